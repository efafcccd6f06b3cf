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
  | RetryPart
  | CompactionPart
  | Numbered<"warning", { message: string }>
  | Numbered<"error", { _tag: string; message: string; hint: string }>
  | FinishPart
