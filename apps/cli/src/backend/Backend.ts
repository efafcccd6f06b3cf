/** What the verbs stand on: the layers of the house for one place, loaded when a verb asks for them. */
import type { Agents, Chats, WorkspaceTools } from "@boocode/chat"
import type { Environment, McpConfig, Scopes } from "@boocode/mcp-config"
import type { McpRegistry } from "@boocode/mcp-registry"
import type { ResultFiles } from "@boocode/toolkit"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import type { Place } from "../options/Place.ts"
import type { Failed, Usage } from "../terminal/Failure.ts"
import type { Remote } from "./Remote.ts"

export interface ServeOptions {
  readonly host: string
  readonly port: number
  readonly model: string | null
  /** null leaves it to settings.json */
  readonly logLevel: LogLevel | null
  readonly logFormat: "pretty" | "json" | null
}

export interface ServerFiles {
  readonly scopes: Scopes
  readonly environment: typeof Environment.Service
  /** Folders in which commands of servers are looked for after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
}

export class Backend extends Context.Service<Backend, {
  /** Which files hold servers, as far as this place goes, and the variables that their entries see. */
  readonly files: (place: Place) => Effect.Effect<ServerFiles, Failed>
  /** Which servers there are. Starts nothing. */
  readonly config: (place: Place) => Layer.Layer<McpConfig, Failed>
  /** What this person decided about servers of project files, and which tools were pinned. Starts nothing. */
  readonly trust: (place: Place) => Layer.Layer<never, Failed>
  /**
   * The servers, started, with a log of their own level or the one of settings.json; all of them are gone when the layer is
   * closed. A trial reads no pins and writes none.
   */
  readonly registry: (
    place: Place,
    log: LogLevel | null,
    isTrial?: boolean
  ) => Layer.Layer<McpRegistry | ResultFiles | Agents | WorkspaceTools, Failed, McpConfig>
  /** The chats over the same servers, and the variables with those of the data folder's `.env`. */
  readonly chats: (
    place: Place,
    log: LogLevel | null
  ) => Layer.Layer<McpRegistry | Agents | Chats | Environment, Failed, McpConfig>
  /** The address of the server that runs on this place and proves that it is the announced one; null when none does. */
  readonly running: (place: Place) => Effect.Effect<string | null>
  /** A running server. Asks nothing yet. */
  readonly remote: (url: string) => Layer.Layer<Remote>
  /** Serves until a signal ends it, which it handles itself. */
  readonly serve: (place: Place, options: ServeOptions) => Effect.Effect<void, Failed | Usage>
}>()("cli/Backend") {}
