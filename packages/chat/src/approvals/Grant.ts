/**
 * What is kept of a yes for good.
 */
import * as Schema from "effect/Schema"

/** One tool that is allowed for good. @category schemas */
export const Grant = Schema.Struct({
  /** Null for a built-in tool. */
  server: Schema.NullOr(Schema.String),
  /** The raw name. */
  tool: Schema.String,
  /** What models called it when it was allowed. */
  name: Schema.String,
  since: Schema.String
})

/** One tool that is allowed for good. @category models */
export type Grant = typeof Grant.Type
