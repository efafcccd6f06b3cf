/** The layers behind the verbs for one place, loaded when a verb needs them. */
import type { Agents, Chats, WorkspaceTools } from "@boocode/chat"
import type { Options as BackupOptions, Written } from "@boocode/chat-server/Backup"
import type { DataFolder } from "@boocode/chat-server/DataFolder"
import type { EntryTrial } from "@boocode/chat-server/EntryTrial"
import type { ConfigVersion } from "@boocode/chat-server/fleet/ConfigRows"
import type { PublicRegistry } from "@boocode/chat-server/published/PublicRegistry"
import type { Options as RestoreOptions, Restored } from "@boocode/chat-server/Restore"
import type { Environment, McpConfig, Scopes } from "@boocode/mcp-config"
import type { McpRegistry } from "@boocode/mcp-registry"
import type { Permissions, ResultFiles } from "@boocode/toolkit"
import type { Sandbox } from "@boocode/toolkit/code"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { LogLevel } from "effect/LogLevel"
import type * as Redacted from "effect/Redacted"
import type { DataLocation } from "../options/DataLocation.ts"
import type { Failed, Usage } from "../terminal/Failure.ts"
import type { LocalModels } from "./ChatBackend.ts"
import type { ModelBackend } from "./ModelBackend.ts"
import type { PeopleBackend } from "./PeopleBackend.ts"
import type { Remote } from "./Remote.ts"

export interface ServeOptions {
  readonly host: string
  readonly port: number
  /** The port of apps of servers; null for any free one where only this machine reaches the server. */
  readonly appsPort: number | null
  readonly model: string | null
  /** Null leaves it to settings.json. */
  readonly logLevel: LogLevel | null
  readonly logFormat: "pretty" | "json" | null
  /** The command that a person types to run BooCode. */
  readonly command: string
  /** The server ends when nobody has used it for so long; null for one that a signal ends. */
  readonly endIdle: Duration.Duration | null
  /** Whether the server is a node of a fleet. */
  readonly fleet: boolean
}

export interface ServerFiles {
  readonly scopes: Scopes
  readonly environment: typeof Environment.Service
  /** `.env` of the data folder. */
  readonly envFile: string
  /** Where data and state are. */
  readonly folder: typeof DataFolder.Service
  /** Folders that are searched for commands of servers after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
}

export interface TypedHistory {
  /** Messages of one line, the newest first. */
  readonly lines: ReadonlyArray<string>
  /** Keeps one more. One that begins with a space is not kept. */
  readonly add: (line: string) => Effect.Effect<void>
}

export class Backend extends Context.Service<Backend, {
  /** The files that may hold servers, and the variables that their entries see. */
  readonly files: (place: DataLocation) => Effect.Effect<ServerFiles, Failed>
  /** The configured servers. Starts nothing. */
  readonly config: (place: DataLocation) => Layer.Layer<McpConfig, Failed>
  /** The MCP registry at an address, else that of the settings, and trials of servers. Asks and starts nothing by itself. */
  readonly published: (
    place: DataLocation,
    registry: string | null
  ) => Layer.Layer<PublicRegistry | EntryTrial, Failed>
  /** Kept approvals of servers of project files, and pinned tools. Starts nothing. */
  readonly trust: (place: DataLocation) => Layer.Layer<never, Failed>
  /** The rules of permissions, of this person's file and of the projects around. Starts nothing. */
  readonly permissions: (place: DataLocation) => Layer.Layer<Permissions, Failed>
  /**
   * Starts the servers, and stops all of them when the layer is closed. A null log level leaves it to settings.json. A trial
   * reads no pins and writes none.
   */
  readonly registry: (
    place: DataLocation,
    log: LogLevel | null,
    isTrial?: boolean
  ) => Layer.Layer<McpRegistry | ResultFiles | Agents | WorkspaceTools, Failed, McpConfig>
  /** The chats over the same servers, and the variables with those of the data folder's `.env`. */
  readonly chats: (
    place: DataLocation,
    log: LogLevel | null
  ) => Layer.Layer<McpRegistry | Agents | Chats | Environment | LocalModels | WorkspaceTools, Failed, McpConfig>
  /** The models and their providers, as the files and the environment of this command have them. Starts no server. */
  readonly models: (place: DataLocation) => Layer.Layer<ModelBackend, Failed>
  /** The people of the database. */
  readonly people: (place: DataLocation) => Layer.Layer<PeopleBackend, Failed>
  /** The lines that were typed before, kept in the state folder for their owner alone. */
  readonly history: (place: DataLocation) => Effect.Effect<TypedHistory>
  /** The address of the running server of this place, after it has proved that it is the announced one; else null. */
  readonly running: (place: DataLocation) => Effect.Effect<string | null>
  /** Where programs run. Loads and starts nothing before the first one. */
  readonly sandbox: Layer.Layer<Sandbox>
  /** The tokens for servers elsewhere, by address. */
  readonly logins: {
    /** Sorted. */
    readonly addresses: Effect.Effect<ReadonlyArray<string>, Failed>
    readonly keep: (url: string, token: Redacted.Redacted<string>) => Effect.Effect<void, Failed>
    /** Gives the token that was kept; null where it cannot be opened any more. */
    readonly forget: (url: string) => Effect.Effect<Redacted.Redacted<string> | null, Failed>
  }
  /** A running server. Sends nothing before the first request. */
  readonly remote: (url: string) => Layer.Layer<Remote>
  /** Writes everything that is kept into one file. A running server need not stop. */
  readonly backup: (place: DataLocation, options: BackupOptions) => Effect.Effect<Written, Failed>
  /** Brings a backup back; null where the person said no. No server may run. */
  readonly restore: (place: DataLocation, options: RestoreOptions) => Effect.Effect<Restored | null, Failed>
  /** The configuration that the nodes of a fleet have together. */
  readonly fleet: {
    /** Brings the files of the data folder into it. */
    readonly import: (
      place: DataLocation
    ) => Effect.Effect<{ readonly written: ReadonlyArray<string>; readonly same: ReadonlyArray<string> }, Failed>
    /** Writes it into a folder that has none. Gives the names of the files. */
    readonly export: (place: DataLocation, folder: string) => Effect.Effect<ReadonlyArray<string>, Failed>
    /** The kept versions of a file, or of all, the newest first. */
    readonly history: (place: DataLocation, file: string | null) => Effect.Effect<ReadonlyArray<ConfigVersion>, Failed>
    /** Makes an older version of a file the newest one. Gives the number of the newest. */
    readonly restore: (place: DataLocation, file: string, version: number) => Effect.Effect<number, Failed>
  }
  /** Serves until a signal, which it handles itself. */
  readonly serve: (place: DataLocation, options: ServeOptions) => Effect.Effect<void, Failed | Usage>
  /**
   * Passes what an MCP client writes to standard input on to the running server of this place, and what it says back, until
   * the input ends. Starts a server where none runs. `profile` is the name of what the client is offered.
   */
  readonly bridge: (place: DataLocation, profile: string) => Effect.Effect<void, Failed>
}>()("cli/Backend") {}
