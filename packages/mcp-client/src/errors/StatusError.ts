/** Why a server is not ready, as data. */
import * as Schema from "effect/Schema"

/** Why a server is not ready. `_tag` is the reason's name in `McpError`; what does not apply is null. */
export const StatusError = Schema.Struct({
  _tag: Schema.String,
  message: Schema.String,
  hint: Schema.String,
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  /** The last lines of standard error, at most 8 KB. */
  stderr: Schema.NullOr(Schema.String),
  /** A JSON-RPC error code or an HTTP status. */
  code: Schema.NullOr(Schema.Int),
  method: Schema.NullOr(Schema.String),
  limitMillis: Schema.NullOr(Schema.Number)
})

/** Why a server is not ready. */
export type StatusError = typeof StatusError.Type
