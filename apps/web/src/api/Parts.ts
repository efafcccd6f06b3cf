/** What happens in a turn, as the API says it. */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export interface Usage {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cacheReadTokens?: number | null
  readonly cacheWriteTokens?: number | null
  readonly reasoningTokens?: number | null
  /** In US dollars. */
  readonly cost?: number | null
}

export interface Truncated {
  readonly bytes: number
  readonly shownBytes: number
  readonly file: string | null
}

export type FinishReason =
  | "stop"
  | "length"
  | "steps"
  | "stopped"
  | "interrupted"
  | "joined"
  | "error"
  | "content-filter"
  | "other"

export type Decision = "once" | "chat" | "always" | "deny"

/** A call that waits for a person; `call` is the id of its `tool-call`. */
export interface Approval {
  readonly id: string
  readonly call: string
  readonly name: string
  readonly server: string | null
  readonly tool: string
  readonly isTrusted: boolean
  readonly args: Json
  readonly annotations: JsonObject
}

/** What a person says to it. */
export interface ApprovalAnswer {
  readonly decision: Decision
  /** What the model reads of a no. */
  readonly reason?: string
  /** What the tool gets instead of the arguments that were shown. */
  readonly args?: JsonObject
}

/** What a server asks while it works: a form for a person, an address to visit, or words of the host's model. */
export interface Question {
  readonly id: string
  /** The id of the `tool-call` it came up in; null where it belongs to none. */
  readonly call: string | null
  readonly server: string
  readonly isTrusted: boolean
  readonly kind: "form" | "url" | "sampling"
  /** The server's own words, not to be trusted. */
  readonly message: string
  /** Of a form: a flat object schema. */
  readonly schema: JsonObject | null
  readonly url: string | null
  readonly sampling: SamplingWish | null
  readonly expiresAt: string
}

/** What a server wants the chat's model to read, as it would be sent. */
export interface SamplingWish {
  readonly model: string
  readonly messages: ReadonlyArray<SampledMessage>
  readonly systemPrompt: string | null
  readonly maxTokens: number
  readonly temperature: number | null
  readonly stopSequences: ReadonlyArray<string>
}

export interface SampledMessage {
  readonly role: "user" | "assistant"
  readonly text: string
  /** What goes along; its bytes are not shown. */
  readonly media: ReadonlyArray<{ readonly mediaType: string; readonly bytes: number }>
}

/** What a person says to a question. */
export interface QuestionAnswer {
  readonly action: "accept" | "decline" | "cancel"
  /** Of a form. */
  readonly content?: JsonObject
  /** Of a wish for a model: this one, or all of this server in this chat. */
  readonly scope?: "once" | "chat"
}

type Numbered<Type extends string, Fields> = Fields & {
  readonly type: Type
  readonly seq: number
  readonly turn: number
}

export type ToolCallPart = Numbered<"tool-call", { id: string; name: string; server: string | null; args: Json }>
export type ToolProgressPart = Numbered<
  "tool-progress",
  { id: string; progress: number; total: number | null; message: string | null }
>
export type ToolResultPart = Numbered<"tool-result", {
  id: string
  isError: boolean
  text: string
  content: ReadonlyArray<JsonObject>
  truncated: Truncated | null
  millis: number
}>
export type ApprovalPart = Numbered<"approval", Approval>
export type ApprovalAnswerPart = Numbered<
  "approval-answer",
  { id: string; decision: Decision | "expired"; reason: string | null; args?: JsonObject | null }
>
export type QuestionPart = Numbered<"question", Question>
export type QuestionAnswerPart = Numbered<"question-answer", {
  id: string
  action: QuestionAnswer["action"] | "expired"
  content: JsonObject | null
  scope?: "once" | "chat"
  /** Null when a person answered. */
  reason: string | null
}>
/** What the model said to a wish that was allowed. */
export type SamplingResultPart = Numbered<"sampling-result", {
  id: string
  text: string
  stopReason: string | null
  error: string | null
  millis: number
}>
export type RetryPart = Numbered<"retry", { attempt: number; limit: number; delayMillis: number; message: string }>
export type CompactionPart = Numbered<"compaction", {
  results: number | ReadonlyArray<unknown>
  turns: number | ReadonlyArray<unknown>
  tokensBefore: number
  tokensAfter: number
  limit: number
}>
export type FinishPart = Numbered<"finish", { reason: FinishReason; usage: Usage }>

/** One thing that happened in a turn. */
export type Part =
  | Numbered<"text-delta", { text: string }>
  | Numbered<"reasoning-delta", { text: string }>
  | ToolCallPart
  | ToolProgressPart
  | ToolResultPart
  | ApprovalPart
  | ApprovalAnswerPart
  | QuestionPart
  | QuestionAnswerPart
  | SamplingResultPart
  | RetryPart
  | CompactionPart
  | Numbered<"warning", { message: string }>
  | Numbered<"error", { _tag: string; message: string; hint: string }>
  | FinishPart
