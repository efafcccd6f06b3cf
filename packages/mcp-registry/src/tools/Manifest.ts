/** The list of a server, as it is kept. */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Schema from "effect/Schema"
import type { ServerCapabilities } from "../model/ServerStatus.ts"

/** The tools of a server, and its self-description. */
export interface Manifest {
  /** As the server wrote them. */
  readonly tools: ReadonlyArray<Schema.JsonObject>
  readonly serverInfo: { readonly name: string; readonly version: string } | null
  /** As others may see them. */
  readonly instructions: string | null
  readonly capabilities: ServerCapabilities | null
}

/** A manifest of a server that runs. */
export interface Listed extends Manifest {
  /** Hides all that the server was given, what only the connection knows included. */
  readonly scrub: (text: string) => string
}

/** The server of a manifest. */
export interface Owner {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
}
