/** Elicitation and sampling: the questions of servers and their answers, the same in API, page and storage. */
import * as Schema from "effect/Schema"

/** Media in a message of a sampling request. The bytes are not shown. */
export const SampledMedia = Schema.Struct({
  mediaType: Schema.String,
  bytes: Schema.Int
})

/** The sampling request of a server, whole, as it would be sent to the model. */
export const SamplingShown = Schema.Struct({
  /** The model that would answer, such as `openai/gpt-5`. */
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

/** A call that a program wants to make for a person, whole, as it would be sent. */
export const ProgramCall = Schema.Struct({
  /** The name by which people know the program. */
  program: Schema.String,
  /** The tool's name for models, and that of its server. */
  name: Schema.String,
  tool: Schema.String,
  args: Schema.JsonObject,
  class: Schema.Literals(["reads", "writes", "destroys", "undeclared"]),
  /** Why a person is asked, in words that go after `because`. */
  why: Schema.String
})
export type ProgramCall = typeof ProgramCall.Type

/**
 * A question of a server: elicitation or sampling. The server wrote its text, which is never markup. Or one of this program:
 * whether another one may call a server.
 */
export const Question = Schema.Struct({
  /** Unique among all questions. */
  id: Schema.String,
  /** The `id` of the `tool-call` that runs; null when that cannot be told, and outside chats. */
  call: Schema.NullOr(Schema.String),
  server: Schema.String,
  /** False for a server of a project file. */
  isTrusted: Schema.Boolean,
  /** A form to fill in, a URL to visit, a request for sampling, or a call of a program. */
  kind: Schema.Literals(["form", "url", "sampling", "call"]),
  /** Empty for a sampling and for a call. */
  message: Schema.String,
  /** For a form: a flat object schema of texts, numbers, booleans and choices, with their defaults. */
  schema: Schema.NullOr(Schema.JsonObject),
  /** For a url: the whole address. Only the person visits it. */
  url: Schema.NullOr(Schema.String),
  sampling: Schema.NullOr(SamplingShown),
  /** For a call. */
  wanted: Schema.optionalKey(ProgramCall),
  /** True when nobody is asked: the yes follows at once. */
  isGranted: Schema.optionalKey(Schema.Boolean),
  /** When it counts as cancelled. */
  expiresAt: Schema.String
})
export type Question = typeof Question.Type

/** The answer of a person, as it is sent. */
export const QuestionReply = Schema.Struct({
  /** `cancel` decides nothing: the server may ask again. */
  action: Schema.Literals(["accept", "decline", "cancel"]),
  /** For a form that is accepted: the values by the names of its fields. */
  content: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
  /** For a sampling that is accepted: `chat` lets this server use the model for the rest of this chat. */
  scope: Schema.optionalKey(Schema.NullOr(Schema.Literals(["once", "chat"])))
})
export type QuestionReply = typeof QuestionReply.Type

/** How a question ended; `expired` when nobody answered in time. */
export const QuestionAnswer = Schema.Struct({
  /** The id of the question. */
  id: Schema.String,
  action: Schema.Literals(["accept", "decline", "cancel", "expired"]),
  /** The values of a form, its defaults included. */
  content: Schema.NullOr(Schema.JsonObject),
  /** How long the yes to a sampling holds. */
  scope: Schema.optionalKey(Schema.Literals(["once", "chat"])),
  /** Why nobody was asked, or why it ended without an answer; null when a person answered. */
  reason: Schema.NullOr(Schema.String)
})
export type QuestionAnswer = typeof QuestionAnswer.Type

/** The answer of the model to a sampling that was allowed. */
export const SamplingResult = Schema.Struct({
  /** The id of the question. */
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
