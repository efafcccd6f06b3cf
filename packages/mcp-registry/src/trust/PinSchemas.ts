/** The pins of a file: what tools were when somebody approved them, or when they were first seen. */
import * as Schema from "effect/Schema"

export const PinnedTool = Schema.Struct({
  name: Schema.String,
  /** SHA-256 over its name and its definition as canonical JSON. */
  hash: Schema.String,
  /** For showing what changed; null when it is too long to keep. */
  definition: Schema.NullOr(Schema.JsonObject)
})

export const PinnedServer = Schema.Struct({
  server: Schema.String,
  /** The server's own name and version; null when it gave none. */
  version: Schema.NullOr(Schema.String),
  pinnedAt: Schema.String,
  /** SHA-256 over all of its tools. */
  hash: Schema.String,
  tools: Schema.Array(PinnedTool)
})
export type PinnedServer = typeof PinnedServer.Type

export const PinFile = Schema.Struct({
  version: Schema.Literal(1),
  /** The configuration file, or the folder of the project. */
  of: Schema.String,
  /** True after a file that could not be used was replaced: then no server is seen here for the first time. */
  lost: Schema.Boolean,
  servers: Schema.Array(PinnedServer)
})
export type PinFile = typeof PinFile.Type

export const PartChange = Schema.Struct({
  /** A JSON pointer into the definition, for instance `/description`; empty for all of it. */
  path: Schema.String,
  /** Texts as they are, everything else as JSON; null where there was nothing. Long ones begin shortly before the change. */
  before: Schema.NullOr(Schema.String),
  after: Schema.NullOr(Schema.String)
})
export type PartChange = typeof PartChange.Type

/** The differences to the tools that were pinned. Tools have their raw names. */
export const ToolDifference = Schema.Struct({
  /** When they were pinned, as ISO 8601. */
  pinnedAt: Schema.String,
  /** The server's own name and version then, and now. */
  versionBefore: Schema.NullOr(Schema.String),
  versionAfter: Schema.NullOr(Schema.String),
  changed: Schema.Array(Schema.Struct({ tool: Schema.String, parts: Schema.Array(PartChange) })),
  added: Schema.Array(Schema.Struct({ tool: Schema.String, description: Schema.NullOr(Schema.String) })),
  removed: Schema.Array(Schema.String)
})
export type ToolDifference = typeof ToolDifference.Type
