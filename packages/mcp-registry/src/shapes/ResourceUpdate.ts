/**
 * The news that a resource changed.
 */
import * as Schema from "effect/Schema"

/** A resource changed, or may have. @category schemas */
export const ResourceUpdate = Schema.Struct({
  server: Schema.String,
  /** Of the resource that changed: the one that is watched, or one below it. */
  uri: Schema.String,
  /** When that was heard, in milliseconds since 1970. */
  at: Schema.Number
})

/** A resource changed, or may have. @category models */
export type ResourceUpdate = typeof ResourceUpdate.Type
