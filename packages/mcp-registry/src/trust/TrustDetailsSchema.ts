/** The details of a decision, as others get them. */
import * as Schema from "effect/Schema"
import { ToolDifference } from "./PinSchemas.ts"

/**
 * One value of an entry before and now; null where it was not, or is not any more. Two equal texts mean that a hidden
 * value changed.
 */
export const FieldChange = Schema.Struct({
  key: Schema.String,
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
})
export type FieldChange = typeof FieldChange.Type

/** How a server stands, and what a person has to know to decide about it. Holds no secret. */
export const TrustDetails = Schema.Struct({
  server: Schema.String,
  /** The declaring file, absolute; for an entry that a program gives or that cannot be read, what the status calls it. */
  file: Schema.String,
  decision: Schema.Literals(["not-needed", "pending", "approved", "rejected"]),
  by: Schema.NullOr(Schema.Literals(["always", "once", "publisher"])),
  /** SHA-256 of the entry; null when there is nothing that could be approved. */
  hash: Schema.NullOr(Schema.String),
  /** Variables are not filled in; of values that may be secrets only the names of their variables are shown. */
  entry: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.String })),
  /** The differences to the entry that was decided on last; null when there was none. */
  changes: Schema.NullOr(Schema.Array(FieldChange)),
  /** Why decisions that were made do not count. */
  problem: Schema.NullOr(Schema.String),
  /** The differences to the tools that were pinned; null when there are none. */
  tools: Schema.NullOr(ToolDifference),
  /** Stands for all of this: a decision that is given it fails when something changed since. */
  seen: Schema.String
})
export type TrustDetails = typeof TrustDetails.Type
