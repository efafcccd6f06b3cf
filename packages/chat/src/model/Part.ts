/** The events of a turn, the same in API, page, storage and `chat --json`. */
import { Conditions, PermissionRule, ToolResult } from "@boocode/toolkit"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Question, QuestionAnswer, SamplingResult } from "./Question.ts"

/** An attachment of a message. Its bytes are kept beside the chat. */
export const Attachment = Schema.Struct({
  /** Unique in its chat. */
  id: Schema.String,
  /** A file that a person attaches is an image, a PDF or a text, as its bytes say. */
  kind: Schema.Literals(["image", "text", "pdf", "resource"]),
  name: Schema.String,
  mediaType: Schema.String,
  bytes: Schema.Int,
  /** Where a resource comes from; null for all else. */
  server: Schema.NullOr(Schema.String),
  uri: Schema.NullOr(Schema.String),
  /** How many pages a PDF has; left out for all else. */
  pages: Schema.optionalKey(Schema.Int),
  /** A note on how the file is read, such as that a PDF has no text; left out when there is nothing to say. */
  note: Schema.optionalKey(Schema.String)
})
export type Attachment = typeof Attachment.Type

/** One message of a prompt that a server filled in, as text. */
export const PromptMessage = Schema.Struct({ role: Schema.Literals(["user", "assistant"]), text: Schema.String })
export type PromptMessage = typeof PromptMessage.Type

const part = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({
    type: Schema.Literal(type),
    /** Counts every part of the chat from 1, without gaps. */
    seq: Schema.Int,
    /** Which turn of the chat, from 1. */
    turn: Schema.Int,
    ...fields
  })

const Amount = Schema.NullOr(Schema.Finite)

/** How many tokens a turn used, as far as the provider says; null is not known. */
export const Usage = Schema.Struct({
  /** All that was sent, what was read from a cache and written to one included. */
  inputTokens: Amount,
  /** All that was answered, reasoning included. */
  outputTokens: Amount,
  cacheReadTokens: Amount,
  cacheWriteTokens: Amount,
  reasoningTokens: Amount,
  /** In US dollars, by the prices that are known for the model. */
  cost: Amount
})

/** Nothing is known of what a turn used. */
export const NO_USAGE: typeof Usage.Type = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  cost: null
}

/** The usage of the turn so far, where it is known. It is kept with the part, so that it survives a crash. */
const UsedSoFar = Schema.optionalKey(Usage)

/**
 * Why a turn ended; `interrupted` when the program ended while it ran, `joined` when the turn that ran took its message
 * before it began.
 */
export const FinishReason = Schema.Literals([
  "stop",
  "length",
  "steps",
  "stopped",
  "interrupted",
  "joined",
  "error",
  "content-filter",
  "other"
])

/** The answer to an approval; `expired` when nobody answered in time. */
export const ApprovalDecision = Schema.Literals(["once", "chat", "hour", "always", "deny", "expired"])

/** A yes that a person may give for more than this call. */
export const Suggestion = Schema.Struct({
  /** The conditions that calls must meet; null for every call of the tool. */
  where: Schema.NullOr(Conditions.Where),
  /** Such as `files_write_file where path is notes/*`. */
  text: Schema.String
})

/** A call waits for a person's approval. */
export const ApprovalPart = part("approval", {
  /** This request's and no other's (R106). */
  id: Schema.String,
  /** The `id` of its `tool-call`. */
  call: Schema.String,
  name: Schema.String,
  /** Null for a built-in tool. */
  server: Schema.NullOr(Schema.String),
  tool: Schema.String,
  isTrusted: Schema.Boolean,
  /**
   * SHA-256 of the tool's definition and of where its server is declared: an approval for the chat holds for that tool
   * alone.
   */
  print: Schema.optionalKey(Schema.String),
  /** The arguments that are sent after approval, to the letter. */
  args: Schema.JsonObject,
  annotations: Schema.JsonObject,
  class: Schema.optionalKey(Schema.Literals(PermissionRule.CLASSES)),
  /** The rule that asks, and its place; null when the write mode does. */
  rule: Schema.optionalKey(Schema.NullOr(Schema.Struct({ text: Schema.String, source: Schema.String }))),
  /** The text that the call would write over, where it is known; else null. */
  before: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** The suggestions for a yes for the chat, for an hour or always, the narrowest first. */
  suggestions: Schema.optionalKey(Schema.Array(Suggestion)),
  usage: UsedSoFar
})

/**
 * The outcome of a write: `unknown` when the call was cut off or its server did not answer, so that it may have been
 * done.
 */
export const WriteOutcome = Schema.Literals(["done", "failed", "unknown"])

/**
 * The authority of a call: a person for this call, an answer of theirs that holds longer, a rule, or nobody had to
 * allow it.
 */
export const AllowedBy = Schema.Literals(["person", "grant", "rule", "default"])

/** A call of a tool that writes was made. */
export const WritePart = part("write", {
  /** Unique in its chat. */
  id: Schema.String,
  /** The `id` of its `tool-call`. */
  call: Schema.String,
  name: Schema.String,
  /** Null for a built-in tool. */
  server: Schema.NullOr(Schema.String),
  class: Schema.Literals(PermissionRule.CLASSES),
  /** As they were sent. */
  args: Schema.JsonObject,
  outcome: WriteOutcome,
  allowedBy: AllowedBy,
  /** Where that stands, in words for people, such as `permissions.jsonc:4`. */
  source: Schema.String,
  /**
   * Whether it can be undone, as it was when it was made; null when nothing is known of what it changed. `id` is null
   * when nothing is kept.
   */
  undo: Schema.NullOr(
    Schema.Struct({
      id: Schema.NullOr(Schema.String),
      possible: Schema.Boolean,
      /** Why not; null when it can. */
      why: Schema.NullOr(Schema.String)
    })
  )
})

/** A server that a turn has to do without. Its status has the details. */
export const MissingServer = Schema.Struct({
  name: Schema.String,
  reason: Schema.Literals(["connecting", "failed", "needs-auth"])
})

/**
 * A note that the model made of the oldest turns when they did not fit any more. Later requests carry it in their
 * place, as a person may have edited it. The turns stay in the chat.
 */
export const SummaryPart = part("summary", {
  /** Unique in its chat. */
  id: Schema.String,
  text: Schema.String,
  /** The first turn that it is about, and the last. */
  from: Schema.Int,
  to: Schema.Int,
  /** How many tokens the text takes, as guessed. */
  tokens: Schema.Int,
  /** Whether a person changed the text. */
  edited: Schema.optionalKey(Schema.Boolean),
  usage: UsedSoFar
})

/** One thing that happened in a turn. */
export const Part = Schema.Union([
  part("text-delta", { text: Schema.String }),
  /** A message that waited, and that this turn took between two steps. */
  part("message", {
    /** The turn that it waited as, which has ended with `joined`. */
    from: Schema.Int,
    text: Schema.String,
    /** As a turn has it. */
    prompt: Schema.optionalKey(Schema.Array(PromptMessage)),
    attachments: Schema.Array(Attachment)
  }),
  part("reasoning-delta", { text: Schema.String }),
  /** A page that the provider of the model says the answer is from. */
  part("source", {
    /** Begins with `https:` or `http:`, and has no password. */
    address: Schema.String,
    title: Schema.String,
    /** The place that it is for stands so many UTF-16 units before the end of the text so far; null where no place is known. */
    back: Schema.NullOr(Schema.Int)
  }),
  part("tool-call", {
    id: Schema.String,
    name: Schema.String,
    server: Schema.NullOr(Schema.String),
    args: Schema.Json,
    /** The tool by which the model called this one, such as `tool_call`; left out where it called it by its own name. */
    through: Schema.optionalKey(Schema.String),
    /** The `id` of the `execute` call whose program made this one; left out where the model made it. */
    program: Schema.optionalKey(Schema.String),
    /** The line of the program that made it, from 1, where that is known. */
    line: Schema.optionalKey(Schema.Int),
    /** The `ui://` resource of its server that shows the result (MCP Apps); left out where the tool has none. */
    app: Schema.optionalKey(Schema.String)
  }),
  part("tool-progress", {
    id: Schema.String,
    progress: Schema.Finite,
    total: Schema.NullOr(Schema.Finite),
    message: Schema.NullOr(Schema.String)
  }),
  part("tool-result", {
    id: Schema.String,
    isError: Schema.Boolean,
    text: Schema.String,
    content: Schema.Array(Schema.JsonObject),
    truncated: Schema.NullOr(ToolResult.Truncated),
    origin: Schema.NullOr(ToolResult.Origin),
    millis: Schema.Finite,
    /** The colours of the text, for people; left out where there are none. */
    styles: ToolResult.ToolResult.fields.styles,
    /** The structured content and the `_meta` of the result, for the app of the call. */
    structured: Schema.optionalKey(Schema.Json),
    meta: Schema.optionalKey(Schema.JsonObject),
    usage: UsedSoFar
  }),
  ApprovalPart,
  part("approval-answer", {
    id: Schema.String,
    decision: ApprovalDecision,
    reason: Schema.NullOr(Schema.String),
    /** The arguments as the person changed them. Left out, those that were shown were sent. */
    args: Schema.optionalKey(Schema.JsonObject),
    /** The conditions of a yes for more than this call. Left out, it holds for every call of the tool. */
    where: Schema.optionalKey(Conditions.Where)
  }),
  WritePart,
  /** The server of a call asks, and waits. The call's result or the end of the turn ends the question, too. */
  part("question", {
    ...Question.fields,
    /** Identifies the server of a sampling as its file declares it. A yes for the chat holds for that server alone. */
    print: Schema.optionalKey(Schema.String),
    usage: UsedSoFar
  }),
  part("question-answer", QuestionAnswer.fields),
  part("sampling-result", { ...SamplingResult.fields, usage: UsedSoFar }),
  /**
   * The provider failed and is asked again after a wait. Text and reasoning since the turn's last `tool-result` do not
   * count any more.
   */
  part("retry", {
    attempt: Schema.Int,
    limit: Schema.Int,
    delayMillis: Schema.Finite,
    message: Schema.String
  }),
  /** This request and the later ones of the turn leave something out to fit the context window. Nothing is deleted. */
  part("compaction", {
    /** Results of tools. */
    results: Schema.Int,
    /** Whole turns. */
    turns: Schema.Int,
    tokensBefore: Schema.Int,
    tokensAfter: Schema.Int,
    /** How many tokens the model takes. */
    limit: Schema.Int
  }),
  SummaryPart,
  part("warning", {
    message: Schema.String,
    /** The servers that the warning says are not available, and why. The warning comes again when there are others. */
    servers: Schema.optionalKey(Schema.Array(MissingServer)),
    /** The words that tell the model about it, from here on; left out where it is told nothing. */
    told: Schema.optionalKey(Schema.String)
  }),
  part("error", { _tag: Schema.String, message: Schema.String, hint: Schema.String }),
  part("finish", { reason: FinishReason, usage: Usage })
])
export type Part = typeof Part.Type

type Unnumbered<P> = P extends unknown ? Omit<P, "seq" | "turn"> : never

/** A part before its chat numbers it. */
export type TurnPart = Unnumbered<Part>

/** Takes each part as it happens. It must not be interrupted half-way. */
export type Emit = (part: TurnPart) => Effect.Effect<void>
