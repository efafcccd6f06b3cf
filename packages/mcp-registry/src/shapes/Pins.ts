/**
 * The pins of a file: what tools were when somebody approved them, or when they were first seen.
 */
import * as Schema from "effect/Schema"

/** A tool as it was pinned. @category schemas */
export const PinnedTool = Schema.Struct({
  name: Schema.String,
  /** SHA-256 over its name and its definition as canonical JSON. */
  hash: Schema.String,
  /** For showing what changed; null when it is too long to keep. */
  definition: Schema.NullOr(Schema.JsonObject)
})

/** A server as it was pinned. @category schemas */
export const PinnedServer = Schema.Struct({
  server: Schema.String,
  /** What the server called itself; null when it gave no name. */
  version: Schema.NullOr(Schema.String),
  pinnedAt: Schema.String,
  /** SHA-256 over all of its tools. */
  hash: Schema.String,
  tools: Schema.Array(PinnedTool)
})

/** A server as it was pinned. @category models */
export type PinnedServer = typeof PinnedServer.Type

/** The whole file. @category schemas */
export const PinFile = Schema.Struct({
  version: Schema.Literal(1),
  /** Of which configuration file, or which project's folder. */
  of: Schema.String,
  /** True after a file that could not be used was replaced: then no server is seen here for the first time. */
  lost: Schema.Boolean,
  servers: Schema.Array(PinnedServer)
})

/** The whole file. @category models */
export type PinFile = typeof PinFile.Type
