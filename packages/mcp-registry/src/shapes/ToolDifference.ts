/**
 * What is different from the tools that were pinned, as others get it.
 */
import * as Schema from "effect/Schema"

/**
 * One place of a definition that is different.
 *
 * @category schemas
 */
export const PartChange = Schema.Struct({
  /** A JSON pointer into the definition, for instance `/description`; empty for all of it. */
  path: Schema.String,
  /** Texts as they are, everything else as JSON; null where there was nothing. Long ones begin shortly before the change. */
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
})

/**
 * One place of a definition that is different.
 *
 * @category models
 */
export type PartChange = typeof PartChange.Type

/**
 * What is different from the tools that were pinned. Tools have their raw names.
 *
 * @category schemas
 */
export const ToolDifference = Schema.Struct({
  /** When they were pinned, as ISO 8601. */
  pinnedAt: Schema.String,
  /** What the server called itself then, and now. */
  versionBefore: Schema.NullOr(Schema.String),
  versionAfter: Schema.NullOr(Schema.String),
  changed: Schema.Array(Schema.Struct({ tool: Schema.String, parts: Schema.Array(PartChange) })),
  added: Schema.Array(Schema.Struct({ tool: Schema.String, description: Schema.NullOr(Schema.String) })),
  removed: Schema.Array(Schema.String)
})

/**
 * What is different from the tools that were pinned.
 *
 * @category models
 */
export type ToolDifference = typeof ToolDifference.Type
