/**
 * The registry: every configured server as one scoped layer, its tools under one set of names.
 */
import { type ConfiguredServer, McpConfig, Nearest } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallArguments from "./CallArguments.ts"
import { McpError, type McpErrorReason, NotReady, RejectedByPolicy, UnknownServer, UnknownTool } from "./McpError.ts"
import { McpServer } from "./McpServer.ts"
import type { CallOptions, CallResult, McpTool } from "./McpTool.ts"
import type * as Connect from "./sdk/Connect.ts"
import type { ServerStatus } from "./ServerStatus.ts"
import * as ToolName from "./ToolName.ts"
import * as ToolView from "./ToolView.ts"

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
  readonly view: (
    patterns: ReadonlyArray<string> | undefined,
    own?: ReadonlyArray<string>
  ) => Effect.Effect<ToolView.ToolView>
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
  /** Waits until this one server is not connecting any more, `startupTimeout` at most. Fails with `UnknownServer` only. */
  readonly settledServer: (name: string) => Effect.Effect<ServerStatus, McpError>
}>()("mcp-registry/McpRegistry") {
  /**
   * The registry of the configuration as it stands. Ready at once: servers connect on their own, all at the same time,
   * and one server's trouble is its own. When the scope closes they go in parallel, all within 6 s.
   */
  static readonly layer = (
    options: RegistryOptions = {}
  ): Layer.Layer<McpRegistry, never, McpConfig | Connect.Requirements> => Layer.effect(McpRegistry, make(options))
}

/**
 * How a registry is set up.
 *
 * @category models
 */
export interface RegistryOptions {
  /** Folders in which commands are looked for after PATH, for instance the `node_modules/.bin` of an installation. */
  readonly searchAfterPath?: ReadonlyArray<string> | undefined
}

const make = Effect.fnUntraced(function*(options: RegistryOptions) {
  const configuration = yield* Effect.flatMap(McpConfig, ({ current }) => current)
  const names = configuration.servers.map(({ name }) => name)
  const servers = yield* build(configuration.servers, names, options.searchAfterPath ?? [])

  const tools = Effect.map(
    Effect.forEach(servers, ({ tools }) => tools),
    (lists) => lists.flat().sort((a, b) => a.name < b.name ? -1 : 1)
  )
  const server = Effect.fnUntraced(function*(name: string) {
    const found = servers.find((candidate) => candidate.name === name)
    return found ?? (yield* failure(name, new UnknownServer({ name, nearest: Nearest.nearest(name, names) })))
  })
  const tool = Effect.fnUntraced(function*(name: string) {
    for (const candidate of servers) {
      const found = yield* candidate.tool(name)
      if (found !== null) return found
    }
    return yield* missing(name, yield* tools)
  })
  /** Says why a name is not there: left out, not there yet, or not there at all. */
  const missing = Effect.fnUntraced(function*(name: string, all: ReadonlyArray<McpTool>) {
    for (const { name: server, rejected } of servers) {
      const left = (yield* rejected).find((candidate) => candidate.name === name)
      if (left !== undefined) return yield* failure(server, new RejectedByPolicy({ tool: left.tool, why: left.reason }))
    }
    const owner = servers.find((candidate) => candidate.name === ToolName.owner(name, names))
    const nearest = Nearest.nearest(name, all.map((candidate) => candidate.name))
    const unknown = failure(null, new UnknownTool({ name, nearest }))
    if (owner === undefined) return yield* unknown
    const { error, state } = yield* owner.status
    if (state === "ready") return yield* unknown
    return yield* failure(owner.name, new NotReady({ state, why: error?.message ?? null }))
  })
  const call = Effect.fn("McpRegistry.call")(function*(name: string, args: unknown, callOptions?: CallOptions) {
    const found = yield* tool(name)
    const decoded = yield* Effect.mapError(CallArguments.decode(name, args), (reason) => failure(found.server, reason))
    const owner = yield* server(found.server)
    return yield* owner.call(found.tool, decoded, callOptions ?? {})
  })

  return McpRegistry.of({
    servers: Effect.forEach(servers, ({ status }) => status),
    server: (name) => Effect.flatMap(server(name), ({ status }) => status),
    tools,
    view: (patterns, own) => Effect.map(tools, (all) => ToolView.make(all, patterns, own ?? [])),
    tool,
    call,
    start: (name) => Effect.flatMap(server(name), ({ start }) => start),
    stop: (name) => Effect.flatMap(server(name), ({ stop }) => stop),
    restart: (name) => Effect.flatMap(server(name), ({ restart }) => restart),
    events: Stream.mergeAll(servers.map(({ changes }) => Stream.drop(changes, 1)), { concurrency: "unbounded" }),
    settled: Effect.map(
      Effect.partition(servers, ({ settled }) => settled, { concurrency: "unbounded" }),
      ([connected, failed]) => ({ connected: connected.filter(({ state }) => state === "ready"), failed })
    ),
    settledServer: (name) =>
      Effect.flatMap(server(name), ({ settled }) => Effect.catch(settled, (status) => Effect.succeed(status)))
  })
})

/** Each server in a scope of its own, closed in parallel, so that one slow close does not delay another's. */
const build = Effect.fnUntraced(function*(
  entries: ReadonlyArray<ConfiguredServer>,
  servers: ReadonlyArray<string>,
  searchAfterPath: ReadonlyArray<string>
) {
  const scope = yield* Effect.acquireRelease(Scope.make("parallel"), (scope, exit) => Scope.close(scope, exit))
  return yield* Effect.forEach(entries, (entry) =>
    Effect.gen(function*() {
      const own = yield* Scope.fork(scope)
      const context = yield* Layer.buildWithScope(McpServer.layer(entry, { servers, searchAfterPath }), own)
      return Context.get(context, McpServer)
    }))
})

const failure = (server: string | null, reason: McpErrorReason) => new McpError({ server, reason })
