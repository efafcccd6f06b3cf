/**
 * One configured server, as the registry and its slots meet it.
 */
import type { CallScope } from "@boocode/mcp-client/CallScope"
import type { McpError } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, LogLevel } from "@boocode/mcp-config"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { CallOptions, CallResult, McpTool, RejectedTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import type { ResourceWatches } from "../offerings/ResourceWatches.ts"
import type { ServerOfferings } from "../offerings/ServerOfferings.ts"
import type { PinVerdict } from "../trust/PinVerdict.ts"

/** One configured server. `RunningServer` makes it. @category models */
export interface McpServer {
  readonly name: string
  /** The server as it stands. Answers at once. */
  readonly status: Effect.Effect<ServerStatus>
  /** The same for whoever cannot wait. */
  readonly stands: () => ServerStatus
  /** The status now, and at each change. */
  readonly changes: Stream.Stream<ServerStatus>
  /** Tells of each change from now on, in the middle of it. */
  readonly listen: (listener: () => void) => void
  /** The tools that are or were listed, sorted by name; none when stopped by hand. Answers at once. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** One of these tools by its model-facing name, null when there is none. Answers at once, however many there are. */
  readonly tool: (name: string) => McpTool | null
  /** The tools that discovery left out. Answers at once. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /**
   * Begins a call of a tool by its raw name; to be run at once. See `McpRegistry.call` for limits. Fails with `NotReady` unless the server is ready, or
   * becomes so: one that is idle, or about to be tried again, is started first.
   */
  readonly begin: (
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    parting: CallScope
  ) => Effect.Effect<CallResult, McpError>
  /** Its prompts, its resources, and what it completes. */
  readonly offerings: ServerOfferings
  /** Updates of its resources. */
  readonly watches: ResourceWatches
  /** Asks for log messages from this level on until somebody asks for another; null is what the entry says. See `McpRegistry.setLogLevel`. */
  readonly setLogLevel: (level: LogLevel | null) => Effect.Effect<ServerStatus, McpError>
  /** Answers when the server is not connecting any more, also one that was idle. Fails with `AlreadyRunning`, or why it cannot be ready. */
  readonly start: Effect.Effect<ServerStatus, McpError>
  /** Answers when nothing of the server is left, 6 s at most. Fails with `NotRunning`. */
  readonly stop: Effect.Effect<ServerStatus, McpError>
  /** Stops if it runs, then starts. */
  readonly restart: Effect.Effect<ServerStatus, McpError>
  /** Waits while connecting, `startupTimeout` at most. Fails when an enabled server is not ready then. */
  readonly settled: Effect.Effect<ServerStatus, ServerStatus>
  /** Lists the tools again, `startupTimeout` at most. Fails with `NotReady`, or why they cannot be listed. */
  readonly refresh: Effect.Effect<ServerStatus, McpError>
  /** See `McpRegistry.health`. */
  readonly health: Effect.Effect<number, McpError>
  /** What became of its tools since they were pinned. Answers at once. */
  readonly pins: Effect.Effect<PinVerdict>
  /** Pins the tools as they are listed, if that is the listing with this hash; null is any. Fails with `EntryChanged`, `DecisionNotKept`. */
  readonly accept: (hash: string | null) => Effect.Effect<void, McpError>
  /** Takes over what an entry may say anew without another server: where it stands, and its warnings. */
  readonly adopt: (entry: ConfiguredServer) => Effect.Effect<void>
  /** Takes over the names of all configured servers: names of tools may change, the process does not. */
  readonly rename: (servers: ReadonlyArray<string>) => Effect.Effect<void>
  /** Whether a tool that was listed once, whatever its name is now, is one of its tools. */
  readonly offers: (tool: McpTool) => boolean
  /** Waits until no call is in flight or the connection is gone, the entry's `maxTotalTimeout` at most. */
  readonly drained: Effect.Effect<void>
}
