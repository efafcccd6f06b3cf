/**
 * The registry: every configured server as one scoped layer, its tools under one set of names.
 */
import type { Duration } from "effect"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { McpError } from "./McpError.ts"
import type { CallProgress, CallResult, McpTool } from "./McpTool.ts"
import type { ServerStatus } from "./ServerStatus.ts"

/**
 * How one call is made.
 *
 * @category models
 */
export interface CallOptions {
  /** Replaces the entry's idle `timeout` for this call. */
  readonly timeout?: Duration.Duration | undefined
  /** Is run for each progress notification, in order. */
  readonly onProgress?: ((progress: CallProgress) => Effect.Effect<void>) | undefined
}

/**
 * What an agent's patterns select.
 *
 * @category models
 */
export interface ToolView {
  /** Sorted by name. */
  readonly tools: ReadonlyArray<McpTool>
  /** Exact names nobody has, with the nearest; a list of denials alone. Meaningful once everything settled. */
  readonly warnings: ReadonlyArray<string>
}

/**
 * All servers once none is connecting any more.
 *
 * @category models
 */
export interface Settled {
  readonly connected: ReadonlyArray<ServerStatus>
  readonly failed: ReadonlyArray<ServerStatus>
}

/**
 * The registry of MCP servers.
 *
 * @category services
 */
export class McpRegistry extends Context.Service<McpRegistry, {
  /** Every configured server as it stands, sorted by name. Answers at once. */
  readonly servers: Effect.Effect<ReadonlyArray<ServerStatus>>
  /** One server as it stands. Fails with `UnknownServer`, which names the nearest. */
  readonly server: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** The tools of every server that is or was ready, sorted by name. Answers at once. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** The tools that patterns allow (Decision 3); `undefined` allows all. `own` names tools that exist elsewhere. Answers at once. */
  readonly view: (patterns: ReadonlyArray<string> | undefined, own?: ReadonlyArray<string>) => Effect.Effect<ToolView>
  /** One tool by its model-facing name. Fails with `UnknownTool`, `RejectedByPolicy`, or `NotReady` while its server may still bring it. */
  readonly tool: (name: string) => Effect.Effect<McpTool, McpError>
  /**
   * Calls a tool by its model-facing name. Missing, null and "" arguments become {}. A tool's own error and a JSON-RPC
   * error are results with `isError`. Interruption reaches the server. Limits: the entry's `timeout` (idle) and
   * `maxTotalTimeout`. Sent at most once.
   */
  readonly call: (name: string, args: unknown, options?: CallOptions) => Effect.Effect<CallResult, McpError>
  /** Starts a server that is stopped or failed; answers when it is ready or failed. Fails with `AlreadyRunning` or the reason it failed. */
  readonly start: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** Stops a server; answers when it is gone, 6 s at most. Fails with `NotRunning`. */
  readonly stop: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** Stops a server if it runs, then starts it. */
  readonly restart: (name: string) => Effect.Effect<ServerStatus, McpError>
  /** The status of a server at each change, from subscription on. */
  readonly events: Stream.Stream<ServerStatus>
  /** Waits until each server is ready, failed or past its `startupTimeout`. */
  readonly settled: Effect.Effect<Settled>
}>()("mcp-registry/McpRegistry") {}
