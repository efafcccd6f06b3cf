/** A registry in front of one set of servers: those that all share, or those of one person beside them. */
import type { CallScope } from "@boocode/mcp-client/CallScope"
import * as Connect from "@boocode/mcp-client/Connect"
import { McpError, type McpErrorReason, UnknownServer } from "@boocode/mcp-client/McpError"
import { type ConfigSource, type ConfiguredServer, type LogLevel, Nearest } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as CallLimits from "./calls/CallLimits.ts"
import * as ServerCall from "./calls/ServerCall.ts"
import { McpServer } from "./lifecycle/McpServer.ts"
import type * as CallMetrics from "./metrics/CallMetrics.ts"
import type { CallOptions, CallResult, McpTool } from "./model/McpTool.ts"
import * as ServerNews from "./model/ServerNews.ts"
import type { ServerStatus } from "./model/ServerStatus.ts"
import * as ToolClass from "./model/ToolClass.ts"
import * as Offerings from "./servers/Offerings.ts"
import * as ServerLogins from "./servers/ServerLogins.ts"
import type { Applied, ServerSet } from "./servers/ServerSet.ts"
import * as ToolLookup from "./servers/ToolLookup.ts"
import * as TrustDecisions from "./servers/TrustDecisions.ts"
import { ConnectionSource } from "./state/ConnectionSource.ts"
import * as ToolView from "./tools/ToolView.ts"

/** A server that one caller has for itself. */
export type OwnServer = Pick<McpServer["Service"], "call" | "offerings">

export interface Options {
  readonly servers: ServerSet
  readonly searchAfterPath: ReadonlyArray<string> | undefined
  /** The entries as their files have them. */
  readonly entries: Effect.Effect<ReadonlyArray<ConfiguredServer>>
  readonly sources: Effect.Effect<ReadonlyArray<ConfigSource>>
  /** An entry as it is to be run. */
  readonly admit: (entry: ConfiguredServer) => Effect.Effect<ConfiguredServer>
  readonly apply: Effect.Effect<Applied>
  readonly applied: Stream.Stream<Applied>
  readonly counted: CallMetrics.Counted
  /** How many people's servers of a personal entry run. */
  readonly running: (name: string) => number
}

/** Keeps its records where the context says. */
export const make = Effect.fnUntraced(function*(options: Options) {
  const { admit, apply, applied, counted, running, searchAfterPath, servers } = options
  const clock = yield* Clock.Clock
  const counting = (status: ServerStatus): ServerStatus =>
    status.sharing === "personal" ? { ...status, instances: running(status.name) } : status
  const told = <E>(status: Effect.Effect<ServerStatus, E>) => Effect.map(status, counting)

  const unknownServer = (name: string) =>
    failure(null, new UnknownServer({ name, nearest: Nearest.nearest(name, servers.names()) }))
  const server = Effect.fnUntraced(function*(name: string) {
    return servers.find(name) ?? (yield* unknownServer(name))
  })
  const { appTools, rejected, tool, tools, writers } = ToolLookup.make(
    servers,
    options.sources
  )
  const view = ToolView.keeping<McpTool>()
  const unoffered = ({ name, server, tool: raw }: McpTool) =>
    Effect.andThen(
      tool(name),
      Effect.fail(failure(server, ToolClass.nowWrites(server, raw)))
    )
  const begin = (
    found: McpTool,
    args: unknown,
    callOptions: CallOptions,
    parting: CallScope,
    spent?: CallLimits.Spent
  ): Effect.Effect<CallResult, McpError> => {
    const decoded = ServerCall.decodeArguments(found.name, args)
    if (Result.isFailure(decoded)) return Effect.fail(failure(found.server, decoded.failure))
    const slot = servers.find(found.server)
    if (slot === undefined) return unknownServer(found.server)
    const holder = slot.holder(found, callOptions.writes === true)
    if (holder === null) return unoffered(found)
    const since = clock.currentTimeMillisUnsafe()
    // A call that was never sent goes to the server that takes the place of its own. Its time began once it had a connection.
    return Effect.catchIf(
      holder.begin(found.tool, decoded.success, callOptions, parting, spent),
      ({ reason }) => slot.isReplaced(holder, reason),
      ({ reason }) => {
        const begun = spent ?? (reason._tag === "ConnectionLost" ? { since, rested: 0 } : undefined)
        return Effect.flatMap(Effect.ignore(slot.settled), () => begin(found, args, callOptions, parting, begun))
      }
    )
  }
  const callTool = (found: McpTool, args: unknown, callOptions: CallOptions = {}) =>
    counted((parting) => begin(found, args, callOptions, parting), found)

  const configured = Effect.fnUntraced(function*(name: string) {
    return (yield* options.entries).find((entry) => entry.name === name) ?? (yield* unknownServer(name))
  })
  const decisions = yield* TrustDecisions.make({
    entry: configured,
    server: (name: string) => Effect.map(server(name), (slot) => slot.serving()),
    status: (name) => Effect.flatMap(server(name), ({ status }) => told(status)),
    apply
  })

  const signing = yield* ServerLogins.make({
    entry: (name) => Effect.flatMap(configured(name), admit),
    status: (name) => Effect.flatMap(server(name), ({ status }) => told(status)),
    restart: (name: string) => Effect.flatMap(server(name), ({ restart }) => told(restart))
  })

  const requirements = yield* Effect.context<Connect.Requirements>()
  const own = Effect.fnUntraced(function*(
    name: string,
    onNews: (news: ServerNews.ServerNews) => void = () => {}
  ): Effect.fn.Return<OwnServer | null, McpError, Scope.Scope> {
    const entry = yield* Effect.flatMap(configured(name), admit)
    if (!Result.isSuccess(entry.config) || entry.config.success.session === "shared") return null
    const layer = McpServer.layer(entry, {
      servers: servers.names(),
      ...(searchAfterPath === undefined ? {} : { searchAfterPath })
    })
    const built = Layer.buildWithScope(layer, yield* Effect.scope)
    const alone = Context.get(
      yield* Effect.updateContext(
        built,
        (_: Context.Context<never>) =>
          requirements.pipe(
            Context.add(ServerNews.Listener, onNews),
            // It is nobody else's, so it runs here.
            Context.add(ConnectionSource, Connect.open)
          )
      ),
      McpServer
    )
    const call: typeof alone.call = (tool, args, callOptions = {}) =>
      counted((scope) => alone.begin(tool, args, callOptions, scope), { server: name, tool })
    return {
      call,
      get offerings() {
        return alone.offerings
      }
    }
  })

  return {
    servers: Effect.suspend(() => Effect.forEach(servers.all(), ({ status }) => told(status))),
    server: (name: string) => Effect.flatMap(server(name), ({ status }) => told(status)),
    tools,
    rejected,
    writers,
    appTools,
    view: (patterns: ReadonlyArray<string> | undefined, own?: ReadonlyArray<string>) =>
      Effect.map(tools, (all) => view(all, patterns, own ?? [])),
    tool,
    call: (name: string, args: unknown, callOptions?: CallOptions) =>
      Effect.flatMap(tool(name), (found) => callTool(found, args, callOptions)),
    callTool,
    ...Offerings.make(servers),
    watchResource: Offerings.makeResourceWatch(servers, applied),
    setLogLevel: (name: string, level: LogLevel | null) =>
      Effect.flatMap(server(name), (slot) => told(slot.serving().setLogLevel(level))),
    own,
    start: (name: string) => Effect.flatMap(server(name), (slot) => told(slot.serving().start)),
    stop: (name: string) => Effect.flatMap(server(name), ({ stop }) => told(stop)),
    restart: (name: string) => Effect.flatMap(server(name), ({ restart }) => told(restart)),
    refresh: (name: string) => Effect.flatMap(server(name), (slot) => told(slot.serving().refresh)),
    health: (name: string) => Effect.flatMap(server(name), (slot) => slot.serving().health),
    apply,
    applied,
    events: Stream.map(Stream.unwrap(servers.events), counting),
    news: Stream.unwrap(servers.news),
    settled: Effect.map(
      Effect.suspend(() =>
        Effect.partition(servers.all(), ({ settled }) => told(settled), { concurrency: "unbounded" })
      ),
      ([connected, failed]) => ({ connected: connected.filter(({ state }) => state === "ready"), failed })
    ),
    settledServer: (name: string) =>
      Effect.flatMap(server(name), ({ settled, status }) => told(Effect.catch(settled, () => status))),
    log: (name: string, after?: number) => Effect.flatMap(server(name), ({ log }) => log.after(after ?? 0)),
    ...signing,
    ...decisions
  }
})

const failure = (server: string | null, reason: McpErrorReason) => new McpError({ server, reason })
