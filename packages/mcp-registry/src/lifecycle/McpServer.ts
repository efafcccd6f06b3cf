/** One MCP server as a scoped layer: building it starts the server, closing its scope leaves nothing behind. */
import { AuthState } from "@boocode/mcp-client/Auth"
import * as CallScope from "@boocode/mcp-client/CallScope"
import type * as Connect from "@boocode/mcp-client/Connect"
import type { Connection } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import { McpError, type McpErrorReason, NotReady } from "@boocode/mcp-client/McpError"
import { Ping } from "@boocode/mcp-client/Protocol"
import type { ConfiguredServer, LogLevel } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CallLimits from "../calls/CallLimits.ts"
import * as Dispatch from "../calls/Dispatch.ts"
import type { CallOptions, CallResult, McpTool, RejectedTool } from "../model/McpTool.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as ToolClass from "../model/ToolClass.ts"
import * as ResourceWatches from "../offerings/ResourceWatches.ts"
import * as ServerOfferings from "../offerings/ServerOfferings.ts"
import * as EntryHost from "../state/EntryHost.ts"
import { InFlightCalls } from "../state/InFlightCalls.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"
import { toStatus } from "../state/StatusView.ts"
import * as Discovery from "../tools/Discovery.ts"
import type { PinVerdict } from "../trust/PinVerdict.ts"
import * as ServerControl from "./ServerControl.ts"
import * as ServerLife from "./ServerLife.ts"
import * as ServerLogLevel from "./ServerLogLevel.ts"
import * as ServerTools from "./ServerTools.ts"

/**
 * One MCP server.
 *
 * Tools are called by their raw names, without the prefix that a registry gives them.
 */
export class McpServer extends Context.Service<McpServer, {
  readonly name: string
  /** How the server stands. Answers at once. */
  readonly status: Effect.Effect<ServerStatus>
  /** The status, for callers that cannot wait. */
  readonly statusNow: () => ServerStatus
  /** The status now, and at each change. Ends with `stopped` when the scope of the server closes. */
  readonly changes: Stream.Stream<ServerStatus>
  /** Runs this with each of `changes`, in order and at once, as long as the scope of the caller is open. It must not wait. */
  readonly follow: (onChange: (status: ServerStatus) => void) => Effect.Effect<void, never, Scope.Scope>
  /** Waits while the server connects, `startupTimeout` at most. Fails with why it failed or who has to sign in. */
  readonly settled: Effect.Effect<ServerStatus, McpError>
  /** One of these tools by its model-facing name; null when there is none. */
  readonly tool: (name: string) => McpTool | null
  /**
   * Whether a tool that was listed once, whatever its name is now, is one of its tools; with `writes` also of `writers`.
   * One that has come to write since is not, without `writes`: its call was decided about as that of another tool.
   */
  readonly offers: (tool: McpTool, writes: boolean) => boolean
  /** The tools that discovery left out. Answers at once. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /**
   * The tools that are or were listed, sorted by name; none when it was stopped by hand. For callers that cannot wait:
   * each call of a gateway asks every server.
   */
  readonly listed: () => Listed
  /**
   * Calls a tool by its raw name. A server that is asleep, or about to be tried again, is started first; one that connects
   * is waited for, `startupTimeout` at most. Limits: the
   * entry's `timeout` and `maxTotalTimeout`. Fails with `NotReady`, and as `McpRegistry.call` does.
   */
  readonly call: (tool: string, args: Schema.JsonObject, options?: CallOptions) => Effect.Effect<CallResult, McpError>
  /** Calls a tool within the scope of a call that began already, and may have `spent` time; to be run at once. */
  readonly begin: (
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    scope: CallScope.CallScope,
    spent?: CallLimits.Spent
  ) => Effect.Effect<CallResult, McpError>
  /**
   * The connection itself, for a host that passes it on. A server that is asleep is woken, one that connects is waited for.
   * Fails with why there is none.
   */
  readonly connection: Effect.Effect<Connection, McpError>
  /** Its prompts, its resources, and what it completes. */
  readonly offerings: ServerOfferings.ServerOfferings
  /** Updates of its resources. */
  readonly watches: ResourceWatches.ResourceWatches
  /** Asks for log messages from this level on; null is what the entry says. See `McpRegistry.setLogLevel`. */
  readonly setLogLevel: (level: LogLevel | null) => Effect.Effect<ServerStatus, McpError>
  /** Starts it; answers when it is not connecting any more. Fails with `AlreadyRunning`, or why it cannot be ready. */
  readonly start: Effect.Effect<ServerStatus, McpError>
  /** Stops it; answers when nothing of it is left, 6 s at most. Fails with `NotRunning`. */
  readonly stop: Effect.Effect<ServerStatus, McpError>
  /** Stops it if it runs, then starts it. */
  readonly restart: Effect.Effect<ServerStatus, McpError>
  /** Lists the tools again, `startupTimeout` at most. Fails with `NotReady`, or why they cannot be listed. */
  readonly refresh: Effect.Effect<ServerStatus, McpError>
  /** Pings it; gives the milliseconds until the answer. See `McpRegistry.health`. */
  readonly health: Effect.Effect<number, McpError>
  /** How its tools differ from those that were pinned. Answers at once. */
  readonly pins: Effect.Effect<PinVerdict>
  /** Pins the tools as they are listed, if the listing has this hash; null is any. Fails with `EntryChanged`, `DecisionNotKept`. */
  readonly accept: (hash: string | null) => Effect.Effect<void, McpError>
  /** Takes over what an entry may change while the server runs: its place, warnings, folders, log level, classes of tools. */
  readonly adopt: (entry: ConfiguredServer) => Effect.Effect<void>
  /** Takes over the names of all configured servers: tools may get other names, the process stays. */
  readonly rename: (servers: ReadonlyArray<string>) => Effect.Effect<void>
  /** Waits until no call is in flight or the connection is gone, the entry's `maxTotalTimeout` at most. */
  readonly drained: Effect.Effect<void>
}>()("mcp-registry/McpServer") {
  /**
   * A server of this entry. Ready at once: an enabled server connects in a fiber of its own, and is tried again as its
   * entry says. When the scope closes, its process tree ends and its transport closes, in 6 s at most.
   */
  static readonly layer = (
    entry: ConfiguredServer,
    options: ServerOptions = {}
  ): Layer.Layer<McpServer, never, Connect.Requirements> => Layer.effect(McpServer, make(entry, options))
}

/** The tools of a server: those for models, those left out only because they write, and those that only its apps may call. */
export interface Listed {
  readonly tools: ReadonlyArray<McpTool>
  /** See `McpRegistry.writers`. */
  readonly writers: ReadonlyArray<McpTool>
  /** See `McpRegistry.appTools`. */
  readonly appTools: ReadonlyArray<McpTool>
}

/** How a server is set up. */
export interface ServerOptions {
  /** The names of all configured servers, on which the names of tools depend. Default: its own name alone. */
  readonly servers?: ReadonlyArray<string>
  /** Folders in which commands are looked for after PATH. Default: none. */
  readonly searchAfterPath?: ReadonlyArray<string>
  /** Takes the events of the server, what it writes to standard error, and its log messages. Default: a log of its own. */
  readonly log?: ServerLog.ServerLog
}

/** The name of the server that a fiber works for, for logs that machines read; null outside of any server. */
export const CurrentServer: Context.Reference<string | null> = Context.Reference("mcp-registry/CurrentServer", {
  defaultValue: (): string | null => null
})

const make = Effect.fnUntraced(function*(
  entry: ConfiguredServer,
  { log = ServerLog.make(), searchAfterPath = [], servers = [entry.name] }: ServerOptions
): Effect.fn.Return<McpServer["Service"], never, Connect.Requirements | Scope.Scope> {
  const { name } = entry
  const config = Result.getOrNull(entry.config)
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const state = StateRef.make(entry)
  const host = yield* EntryHost.make(entry)
  // Callers lend nothing of their own to what outlives the call.
  const context = (yield* Effect.context<Connect.Requirements | Scope.Scope>()).pipe(
    Context.add(CurrentServer, name),
    Context.add(ServerLog.Current, log),
    Context.add(AuthState.AuthState, (auth) => StateRef.send(state, { _tag: "AuthChanged", auth }))
  )
  const fork = yield* Effect.updateContext(
    FiberSet.makeRuntime<never, void, never>(),
    (_: Context.Context<never>) => context
  )
  const wake = Latch.makeUnsafe(false)
  const calls = new InFlightCalls(clock)
  const limits = CallLimits.make(clock, fork)
  const level = ServerLogLevel.make({ state, log, fork })
  const tools = config === null ? null : ServerTools.make({ entry, config, state, servers, context })
  const dispatch = Dispatch.make({ entry, state, wake, calls, limits, fork, log })
  const control = ServerControl.make({
    entry,
    state,
    log,
    fork,
    lead: config === null || tools === null ?
      null :
      (isWanted) =>
        ServerLife.lead(
          { config, host: host.forStart(config), state, wake, calls, tools, level, searchAfterPath, fork },
          isWanted
        ).pipe(Effect.updateContext(() => context))
  })

  // Made for the first caller: few servers are asked for prompts and resources, and memory has a budget (docs/performance.md).
  let offerings: ServerOfferings.ServerOfferings | null = null
  let watches: ResourceWatches.ResourceWatches | null = null

  const failure = (reason: McpErrorReason) => new McpError({ server: name, reason })
  const failing = Effect.mapError(failure)
  const now = () => StateRef.now(state)
  const statusNow = () => toStatus(now())
  const status = Effect.sync(statusNow)
  const settled = Effect.flatMap(
    StateRef.until(state, ({ phase }) => phase._tag !== "Connecting"),
    (settledState): Effect.Effect<ServerStatus, McpError> => {
      const reason = ServerState.reasonOf(settledState)
      return reason === null || ServerState.stateOf(settledState) === "needs-approval"
        ? Effect.succeed(toStatus(settledState))
        : Effect.fail(failure(reason))
    }
  )
  /** Like `settled`, but an approval that is missing is a failure, too. */
  const outcome = Effect.flatMap(settled, (is) => {
    const reason = ServerState.reasonOf(now())
    return reason === null ? Effect.succeed(is) : Effect.fail(failure(reason))
  })
  const connection = Effect.matchEffect(dispatch.connected, {
    onFailure: (notReady) => Effect.fail(failure(ServerState.reasonOf(now()) ?? notReady)),
    onSuccess: ({ connection }) => Effect.succeed(connection)
  })
  const woken = Effect.andThen(connection, status)
  const begin: McpServer["Service"]["begin"] = (tool, args, options, scope, spent) => {
    tools?.freshness.used(clock)
    return Effect.mapError(dispatch.begin(tool, args, options, scope, spent), failure)
  }
  const refreshed = Effect.suspend(() => {
    const is = now()
    // Waking it lists them.
    if (ServerState.isAsleep(is)) return woken
    const open = ServerState.connectionOf(is)
    if (open === null || tools === null) {
      const why = ServerState.reasonOf(is)?.message ?? null
      return Effect.fail(failure(new NotReady({ state: ServerState.stateOf(is), why })))
    }
    return Effect.andThen(failing(tools.refresh(open)), status)
  })

  yield* Effect.acquireRelease(control.open, () => control.close)
  return {
    name,
    status,
    statusNow,
    changes: Stream.map(StateRef.changes(state), toStatus),
    follow: (onChange) => StateRef.follow(state, (now) => onChange(toStatus(now))),
    settled,
    tool: (model) => now().discovered.byName.get(model) ?? null,
    offers: ({ class: known, name: model, tool }, writes) => {
      const { discovered } = now()
      const named = discovered.byName.get(model)
      const found = named?.tool === tool ? named : discovered.tools.find((one) => one.tool === tool)
      return found === undefined
        ? Discovery.offers(discovered, tool, writes)
        : writes || !ToolClass.isWriter(found.class) || ToolClass.isWriter(known)
    },
    rejected: Effect.sync(() => now().discovered.rejected),
    listed: () => {
      tools?.freshness.used(clock)
      return now().discovered
    },
    call: (tool, args, options = {}) => CallScope.around((scope) => begin(tool, args, options, scope)),
    begin,
    connection,
    get offerings() {
      return offerings ??= ServerOfferings.make({ name, state, dispatch, limits, scope })
    },
    get watches() {
      return watches ??= ResourceWatches.make({ name, state, clock, dispatch, calls, fork })
    },
    setLogLevel: (wanted) => Effect.andThen(failing(level.set(wanted)), status),
    start: Effect.suspend(() =>
      ServerState.isAsleep(now()) ? calls.during(woken) : Effect.andThen(failing(control.start), outcome)
    ),
    stop: Effect.andThen(failing(control.stop), status),
    restart: Effect.andThen(failing(control.restart), outcome),
    refresh: calls.during(refreshed),
    health: calls.during(failing(Effect.flatMap(dispatch.connected, ({ connection }) => Ping.once(connection)))),
    pins: Effect.sync(() => now().discovered.pins),
    accept: (hash) => tools === null ? Effect.void : failing(control.changing(tools.accept(hash))),
    adopt: (changed) =>
      Effect.all([
        StateRef.send(state, { _tag: "EntryChanged", entry: changed }),
        host.adopt(changed),
        tools === null ? Effect.void : tools.adopt(changed),
        level.entryChanged
      ], { discard: true }),
    rename: (names) => tools === null ? Effect.void : tools.rename(names),
    drained: Effect.suspend(() => {
      const is = now()
      const open = ServerState.connectionOf(is)
      if (open === null && !ServerState.isAsleep(is)) return Effect.void
      // A call may be waking it.
      const gone = open === null
        ? Effect.never
        : StateRef.until(state, (later) => ServerState.connectionOf(later) !== open)
      const limit = config?.maxTotalTimeout ?? Duration.zero
      return Effect.asVoid(Effect.timeoutOption(Effect.raceFirst(calls.none, Effect.asVoid(gone)), limit))
    })
  }
})
