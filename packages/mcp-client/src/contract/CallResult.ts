/** The result and the progress of a tool call. */
import type * as Schema from "effect/Schema"
import type { TextStyle } from "./TextStyles.ts"

/** The answer to `tools/call`, before anything is cut or rendered. */
export interface CallResult {
  readonly isError: boolean
  readonly content: ReadonlyArray<Schema.JsonObject>
  readonly structuredContent: Schema.Json
  /** `_meta` of the answer, for programs and not for models; left out where there is none. */
  readonly meta?: Schema.JsonObject
  /** The colours of its text blocks, which have no escapes; left out where there are none. */
  readonly styles?: ReadonlyArray<BlockStyle>
  /** From sending the request to its answer. */
  readonly millis: number
}

/** One progress notification of a call. */
export interface CallProgress {
  readonly progress: number
  readonly total: number | null
  readonly message: string | null
}

/** How one piece of a text block looks. */
export interface BlockStyle extends TextStyle {
  /** The place of the block in the content. */
  readonly block: number
}
