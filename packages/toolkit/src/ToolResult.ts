/**
 * What a tool's answer is to people, scripts and models (Decision 10).
 */
import * as Schema from "effect/Schema"

/**
 * Says that text was cut, and where the whole of it is.
 *
 * @category schemas
 */
export const Truncated = Schema.Struct({
  bytes: Schema.Number,
  shownBytes: Schema.Number,
  /** The handle that `view_file` reads; null when it could not be kept. */
  file: Schema.NullOr(Schema.String)
})

/**
 * A tool's answer, as `mcp call --json` prints it.
 *
 * @category schemas
 */
export const ToolResult = Schema.Struct({
  isError: Schema.Boolean,
  /** The one representation that reaches a model; never empty. */
  text: Schema.String,
  content: Schema.Array(Schema.JsonObject),
  structuredContent: Schema.Json,
  truncated: Schema.NullOr(Truncated),
  millis: Schema.Number
})

/**
 * A tool's answer.
 *
 * @category models
 */
export type ToolResult = typeof ToolResult.Type

/**
 * An error result made here, not by a tool.
 *
 * @category constructors
 */
export const failure = (text: string, millis = 0): ToolResult => ({
  isError: true,
  text,
  content: [{ type: "text", text }],
  structuredContent: null,
  truncated: null,
  millis
})

/**
 * A plain text result.
 *
 * @category constructors
 */
export const success = (text: string, millis = 0): ToolResult => ({
  isError: false,
  text,
  content: [{ type: "text", text }],
  structuredContent: null,
  truncated: null,
  millis
})
