/** Where connections to servers come from. */
import * as Connect from "@boocode/mcp-client/Connect"
import type { Connection } from "@boocode/mcp-client/Connection"
import type { McpErrorReason } from "@boocode/mcp-client/McpError"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Opens a connection in the current scope. Has no time limit of its own. */
export type Open = (
  config: ServerConfig,
  searchAfterPath: ReadonlyArray<string>,
  attempt: Connect.Attempt
) => Effect.Effect<Connection, McpErrorReason, Connect.Requirements | Scope.Scope>

/**
 * Opens the connections of a registry. Without a layer a server runs here; a fleet gives one to a server that runs on
 * whichever node owns it.
 */
export class ConnectionSource extends Context.Reference<Open>("mcp-registry/ConnectionSource", {
  defaultValue: () => Connect.open
}) {}

/** The key of the person that a server of a personal entry is connected to for; null for a server that all share. */
export class ConnectionPerson extends Context.Reference<string | null>("mcp-registry/ConnectionPerson", {
  defaultValue: () => null
}) {}
