/**
 * One server as a scoped layer: it connects in a fiber of its own, and when the layer's scope closes nothing is left.
 */
import type { ConfiguredServer, LogLevel, ServerConfig } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FiberHandle from "effect/FiberHandle"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as AuthNews from "./auth/AuthNews.ts"
import * as CallLimits from "./CallLimits.ts"
import { CurrentServer } from "./CurrentServer.ts"
import * as Dispatch from "./Dispatch.ts"
import * as Flights from "./Flights.ts"
import { AlreadyRunning, McpError, type McpErrorReason, NotReady, NotRunning } from "./McpError.ts"
import type { CallOptions, CallResult, McpTool, RejectedTool } from "./McpTool.ts"
import * as Ping from "./Ping.ts"
import * as EntryHost from "./requests/EntryHost.ts"
import * as ServerHost from "./requests/ServerHost.ts"
import type * as Connect from "./rpc/Connect.ts"
import * as ServerLife from "./ServerLife.ts"
import * as ServerLog from "./ServerLog.ts"
import * as ServerNews from "./ServerNews.ts"
import * as ServerOfferings from "./ServerOfferings.ts"
import * as ServerSnapshot from "./ServerSnapshot.ts"
import type { ServerStatus } from "./ServerStatus.ts"
import * as ServerTools from "./ServerTools.ts"
import type * as PinVerdict from "./trust/PinVerdict.ts"
import type * as Watches from "./Watches.ts"

/** What a server's layer is made from. @category models */
export interface ServerOptions {
  /** The names of all configured servers at first; tool names depend on them (Decision 1). */
  readonly servers: ReadonlyArray<string>
  /** Folders in which commands are looked for after PATH. */
  readonly searchAfterPath: ReadonlyArray<string>
  /** Takes what becomes of the server and what it writes to standard error. It may outlive the layer. */
  readonly log: ServerLog.ServerLog
}

/**
 * One configured server.
 *
 * @category services
 */
export class McpServer extends Context.Service<McpServer, {
  readonly name: string
  /** The server as it stands. Answers at once. */
  readonly status: Effect.Effect<ServerStatus>
  /** The status now, and at each change. */
  readonly changes: Stream.Stream<ServerStatus>
  /** The tools that are or were listed, sorted by name; none when stopped by hand. Answers at once. */
  readonly tools: Effect.Effect<ReadonlyArray<McpTool>>
  /** One of these tools by its model-facing name, null when there is none. Answers at once, however many there are. */
  readonly tool: (name: string) => McpTool | null
  /** The tools that discovery left out. Answers at once. */
  readonly rejected: Effect.Effect<ReadonlyArray<RejectedTool>>
  /**
   * Calls a tool by its raw name. See `McpRegistry.call` for limits. Fails with `NotReady` unless the server is ready, or
   * becomes so: one that is idle, or about to be tried again, is started first.
   */
  readonly call: (tool: string, args: Schema.JsonObject, options: CallOptions) => Effect.Effect<CallResult, McpError>
  /** Its prompts, its resources, and what it completes. */
  readonly offerings: ServerOfferings.ServerOfferings
  /** Updates of its resources. */
  readonly watches: Watches.Watches
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
  readonly pins: Effect.Effect<PinVerdict.PinVerdict>
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
}>()("mcp-registry/McpServer") {
  /**
   * A server of this entry. Building it is instant: an enabled server connects in a fiber of the layer's scope. Closing
   * the scope takes it down, process tree and all, in 6 s at most.
   */
  static readonly layer = (
    entry: ConfiguredServer,
    options: ServerOptions
  ): Layer.Layer<McpServer, never, Connect.Requirements> =>
    Layer.effect(McpServer, Effect.provideService(make(entry, options), CurrentServer, entry.name))
}

const make = Effect.fnUntraced(function*(entry: ConfiguredServer, options: ServerOptions) {
  const requirements = yield* Effect.context<Connect.Requirements>()
  const snapshot = yield* SubscriptionRef.make(ServerSnapshot.initial(entry))
  const life = yield* FiberHandle.make<void>()
  const wake = yield* Queue.sliding<void>(1)
  const turn = yield* Semaphore.make(1)
  const flights = yield* Flights.make
  const limits = yield* CallLimits.make(yield* Effect.scope)
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const host = yield* EntryHost.make(entry)
  let isClosing = false
  let described = entry
  const calls = Dispatch.make({ entry, snapshot, wake, flights, limits, fork, log: options.log })
  const scope = yield* Effect.scope
  const news = yield* ServerNews.make({ entry: () => described, snapshot, dispatch: calls, flights, scope })
  const { log } = options
  const tools = yield* ServerTools.make({
    entry,
    snapshot,
    log,
    freshness: news.freshness,
    servers: options.servers
  })

  const read = SubscriptionRef.get(snapshot)
  const status = Effect.map(read, (now) => ServerSnapshot.toStatus(described, now))
  const changes = Stream.map(SubscriptionRef.changes(snapshot), (now) => ServerSnapshot.toStatus(described, now))
  const failure = (reason: McpErrorReason) => new McpError({ server: entry.name, reason })
  const set = (change: Partial<ServerSnapshot.ServerSnapshot>) =>
    SubscriptionRef.update(snapshot, (now) => ({ ...now, ...change }))

  const begin = Effect.fnUntraced(function*(config: ServerConfig, isWanted: boolean) {
    const own = { entry, config, snapshot, wake, flights, news, isWanted, servers: tools.servers }
    const lead = Effect.provideServiceEffect(
      ServerLife.lead({ ...options, ...own }),
      ServerHost.Current,
      host.forStart(config)
    )
    yield* FiberHandle.run(
      life,
      Effect.provideContext(lead, requirements).pipe(
        Effect.provideService(ServerLog.Current, options.log),
        Effect.provideService(AuthNews.AuthNews, (auth) => set({ auth }))
      )
    )
  })
  const end = Effect.fnUntraced(function*() {
    // First, so that no new call finds a connection that is about to go.
    yield* set({ state: "stopped", reason: null, retry: "none", connection: null, ...ServerSnapshot.UNKNOWN })
    yield* FiberHandle.clear(life)
    yield* options.log.append("event", "stopped")
  })
  const settled = changes.pipe(
    Stream.filter(({ state }) => state !== "connecting"),
    Stream.runHead,
    Effect.flatMap(Option.match({ onNone: () => status, onSome: Effect.succeed })),
    Effect.filterOrFail(({ state }) => state !== "failed" && state !== "needs-auth", (failed) => failed)
  )
  const launch = Effect.fnUntraced(function*() {
    const obstacle = ServerSnapshot.obstacle(described)
    if (obstacle !== null || Result.isFailure(entry.config)) {
      return yield* failure(obstacle ?? new NotRunning({ state: "failed" }))
    }
    yield* FiberHandle.clear(life)
    // Whoever asked may have waited for its turn, or for the old process, while the scope was closing.
    if (isClosing) return yield* failure(new NotRunning({ state: "stopped" }))
    yield* set({ state: "connecting", reason: null, retry: "none", connection: null })
    yield* begin(entry.config.success, true)
  })
  const outcome = Effect.gen(function*() {
    const now = yield* Effect.catch(settled, Effect.succeed)
    const { reason } = yield* read
    return reason === null ? now : yield* failure(reason)
  })
  /** One change at a time, and none is left half done when whoever asked goes away. */
  const change = <A, E>(effect: Effect.Effect<A, E>) => turn.withPermit(Effect.uninterruptible(effect))

  // Runs first when the scope closes: no call starts any more, and nobody waits for a server that will never be ready.
  yield* Effect.addFinalizer(() => {
    isClosing = true
    return set({ state: "stopped", retry: "none", connection: null })
  })
  if (Result.isSuccess(entry.config) && (yield* read).state === "connecting") yield* begin(entry.config.success, false)

  const start = Effect.gen(function*() {
    const { state } = yield* read
    if (state === "connecting" || state === "ready") return yield* failure(new AlreadyRunning({ state }))
    yield* launch()
  })
  const stop = Effect.gen(function*() {
    const { state } = yield* read
    if (!isRunning(state) || ServerSnapshot.obstacle(entry) !== null) return yield* failure(new NotRunning({ state }))
    yield* end()
  })
  const restart = Effect.gen(function*() {
    // Of an entry that cannot be started nothing runs, and what is wrong with it stays to be said.
    if (isRunning((yield* read).state) && ServerSnapshot.obstacle(entry) === null) yield* end()
    yield* launch()
  })
  // Most servers are never asked for prompts and resources, and what asks would be a tenth of what a server takes.
  let offerings: ServerOfferings.ServerOfferings | null = null
  const woken = flights.during(Effect.matchEffect(calls.connected, {
    onFailure: (notReady) => Effect.flatMap(read, ({ reason }) => failure(reason ?? notReady)),
    onSuccess: () => status
  }))
  const refresh = Effect.gen(function*() {
    const before = yield* read
    // Waking it lists them.
    if (ServerSnapshot.isAsleep(before)) return yield* woken
    const { connection, reason, state } = before
    if (connection === null || Result.isFailure(entry.config)) {
      return yield* failure(new NotReady({ state, why: reason?.message ?? null }))
    }
    yield* Effect.mapError(tools.refresh(entry.config.success, connection), failure)
    return yield* status
  })
  const adopt = (next: ConfiguredServer) =>
    Effect.suspend(() => {
      const isNews = described.source !== next.source || described.isRejected !== next.isRejected ||
        ServerSnapshot.isHeard(described) !== ServerSnapshot.isHeard(next) ||
        !Equal.equals(described.warnings, next.warnings)
      const wasAt = ServerSnapshot.beginning(described)
      const isAt = ServerSnapshot.beginning(next)
      described = next
      // Nothing runs of a broken entry, so how it begins is how it stands; only the place of the mistake is another one.
      if (Result.isFailure(next.config) && !isClosing && wasAt.reason?.message !== isAt.reason?.message) {
        return set(isAt)
      }
      return Effect.andThen(
        Effect.andThen(host.adopt(next), Effect.provideService(news.adopted, ServerLog.Current, options.log)),
        isNews ? set({}) : Effect.void
      )
    })
  const drained = Effect.gen(function*() {
    const before = yield* read
    const { connection } = before
    if (connection === null && !ServerSnapshot.isAsleep(before)) return
    // A call may be waking it.
    const gone = connection === null ? Effect.never : Stream.runHead(
      Stream.filter(SubscriptionRef.changes(snapshot), (now) => now.connection !== connection)
    )
    const limit = Result.isSuccess(entry.config) ? entry.config.success.maxTotalTimeout : Duration.zero
    yield* Effect.timeoutOption(Effect.raceFirst(flights.none, gone), limit)
  })
  return McpServer.of({
    name: entry.name,
    status,
    changes,
    tools: tools.tools,
    tool: tools.tool,
    rejected: tools.rejected,
    call: (tool, args, callOptions) =>
      Effect.suspend(() => {
        tools.used()
        return Effect.mapError(calls.call(tool, args, callOptions), failure)
      }),
    get offerings() {
      return offerings ??= ServerOfferings.make({ server: entry.name, snapshot, dispatch: calls, limits, scope })
    },
    get watches() {
      return news.watches
    },
    setLogLevel: (level) => Effect.andThen(Effect.mapError(news.setLevel(level), failure), status),
    start: Effect.flatMap(read, (now) => ServerSnapshot.isAsleep(now) ? woken : Effect.andThen(change(start), outcome)),
    stop: Effect.andThen(change(stop), status),
    restart: Effect.andThen(change(restart), outcome),
    settled,
    refresh: flights.during(refresh),
    health: flights.during(
      Effect.mapError(Effect.flatMap(calls.connected, ({ connection }) => Ping.once(connection)), failure)
    ),
    pins: tools.pins,
    accept: (hash) => change(Effect.mapError(tools.accept(hash), failure)),
    adopt,
    rename: tools.rename,
    offers: tools.offers,
    drained
  })
})

/** A failed server is running as far as stopping goes: it may be about to be tried again. */
const isRunning = (state: ServerStatus["state"]): boolean =>
  state === "connecting" || state === "ready" || state === "failed" || state === "needs-auth"
