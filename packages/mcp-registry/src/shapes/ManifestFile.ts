/**
 * What a lazy server listed last, as it is kept.
 */
import * as Schema from "effect/Schema"
import { ServerCapabilities } from "./ServerStatus.ts"

/** The whole file. @category schemas */
export const ManifestFile = Schema.fromJsonString(Schema.Struct({
  /** For a person who reads this. */
  server: Schema.String,
  /** SHA-256 over how the server is reached, values included. */
  key: Schema.String,
  serverInfo: Schema.NullOr(Schema.Struct({ name: Schema.String, version: Schema.String })),
  instructions: Schema.NullOr(Schema.String),
  capabilities: Schema.NullOr(ServerCapabilities),
  /** Configured values that may be secrets stand in it as their place in the list of them. */
  tools: Schema.Array(Schema.JsonObject)
}))
