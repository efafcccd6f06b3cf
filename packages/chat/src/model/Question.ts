/**
 * What a server asks a person while one of its calls runs, and what the person answers, as API, page and storage say
 * it.
 */
import * as Schema from "effect/Schema"

/** What goes with a message of a sampling besides its text; its bytes are not shown. */
export const SampledMedia = Schema.Struct({
  mediaType: Schema.String,
  bytes: Schema.Int
})

/** What a server wants of the chat's model: all of it, as it would be sent. */
export const SamplingShown = Schema.Struct({
  /** What would answer, such as `openai/gpt-5`. */
  model: Schema.String,
  messages: Schema.Array(Schema.Struct({
    role: Schema.Literals(["user", "assistant"]),
    text: Schema.String,
    media: Schema.Array(SampledMedia)
  })),
  systemPrompt: Schema.NullOr(Schema.String),
  /** At most 4,096, whatever the server wants. */
  maxTokens: Schema.Int,
  temperature: Schema.NullOr(Schema.Finite),
  stopSequences: Schema.Array(Schema.String)
})
export type SamplingShown = typeof SamplingShown.Type

/** A question of a server. Its words are the server's: text, never markup. */
export const Question = Schema.Struct({
  /** This question's and no other's. */
  id: Schema.String,
  /** The `id` of the `tool-call` that runs; null when that cannot be told, and outside chats. */
  call: Schema.NullOr(Schema.String),
  server: Schema.String,
  /** False for a server of a project file. */
  isTrusted: Schema.Boolean,
  /** A form to fill in, an address to visit, or words that the chat's model is to say. */
  kind: Schema.Literals(["form", "url", "sampling"]),
  /** Empty for a sampling. */
  message: Schema.String,
  /** Of a form: a flat object schema of texts, numbers, booleans and choices, defaults included. */
  schema: Schema.NullOr(Schema.JsonObject),
  /** Of a url: the whole address. Nobody but the person visits it. */
  url: Schema.NullOr(Schema.String),
  sampling: Schema.NullOr(SamplingShown),
  /** True when nobody is asked: the yes follows at once. */
  isGranted: Schema.optionalKey(Schema.Boolean),
  /** When it counts as cancelled. */
  expiresAt: Schema.String
})
export type Question = typeof Question.Type

/** What a person says to a question. */
export const QuestionReply = Schema.Struct({
  /** `cancel` decides nothing: the server may ask again. */
  action: Schema.Literals(["accept", "decline", "cancel"]),
  /** Of a form that is accepted: what was filled in, by the names of its fields. */
  content: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  /** Of a sampling that is accepted: `chat` allows this server to ask the model for the rest of this chat. */
  scope: Schema.optionalKey(Schema.NullOr(Schema.Literals(["once", "chat"])))
})
export type QuestionReply = typeof QuestionReply.Type

/** What became of a question; `expired` when nobody answered in time. */
export const QuestionAnswer = Schema.Struct({
  /** Of the question. */
  id: Schema.String,
  action: Schema.Literals(["accept", "decline", "cancel", "expired"]),
  /** What a form was filled in with, its defaults included. */
  content: Schema.NullOr(Schema.JsonObject),
  /** Of a sampling that was accepted. */
  scope: Schema.optionalKey(Schema.Literals(["once", "chat"])),
  /** Why nobody was asked, or why it ended without an answer; null when a person answered. */
  reason: Schema.NullOr(Schema.String)
})
export type QuestionAnswer = typeof QuestionAnswer.Type

/** What the model said to a sampling that was allowed. */
export const SamplingResult = Schema.Struct({
  /** Of the question. */
  id: Schema.String,
  text: Schema.String,
  stopReason: Schema.NullOr(Schema.Literals(["endTurn", "stopSequence", "maxTokens"])),
  /** Why there is no answer; null when there is one. */
  error: Schema.NullOr(Schema.String),
  millis: Schema.Finite
})
export type SamplingResult = typeof SamplingResult.Type

/** A question that waits, and where: null is outside chats. */
export const OpenQuestion = Schema.Struct({ chat: Schema.NullOr(Schema.String), ...Question.fields })
export type OpenQuestion = typeof OpenQuestion.Type
