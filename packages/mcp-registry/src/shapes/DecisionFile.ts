/**
 * What was decided about servers of project files, as it is kept.
 */
import * as Schema from "effect/Schema"

const Field = Schema.Struct({ key: Schema.String, shown: Schema.String, hash: Schema.String })

/** One decision. @category schemas */
export const Decision = Schema.Struct({
  server: Schema.String,
  folder: Schema.String,
  /** The declaring file, for a person who reads this. */
  file: Schema.String,
  decision: Schema.Literals(["approved", "rejected"]),
  hash: Schema.String,
  at: Schema.DateTimeUtcFromString,
  /** Holds no secret: values that may be one are hashes. */
  fields: Schema.Array(Field)
})

/** One decision. @category models */
export type Decision = typeof Decision.Type

/** The whole file. @category schemas */
export const DecisionFile = Schema.Struct({ version: Schema.Literal(1), decisions: Schema.Array(Decision) })
