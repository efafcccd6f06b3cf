/**
 * The life of one connection of a server: connect, list, serve until it is gone or not used any more.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as AttemptFailure from "./AttemptFailure.ts"
import * as AuthNews from "./auth/AuthNews.ts"
import type { Connection, Listing } from "./Connection.ts"
import * as ConnectTurn from "./ConnectTurn.ts"
import * as Discovery from "./Discovery.ts"
import type { Flights } from "./Flights.ts"
import type { Occasion } from "./Freshness.ts"
import { type Manifest, Manifests } from "./Manifests.ts"
import { AT_WORK, type AuthRequired, type McpErrorReason } from "./McpError.ts"
import * as Ping from "./Ping.ts"
import { ProtocolMemory } from "./ProtocolMemory.ts"
import * as RestartPolicy from "./RestartPolicy.ts"
import * as Connect from "./rpc/Connect.ts"
import * as SelfDescription from "./SelfDescription.ts"
import * as ServerLog from "./ServerLog.ts"
import * as ServerMessages from "./ServerMessages.ts"
import type { ServerNews } from "./ServerNews.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"
import * as Snapshots from "./ServerSnapshot.ts"
import * as SessionMetrics from "./SessionMetrics.ts"
import * as Sleep from "./Sleep.ts"
import * as StepTimes from "./StepTimes.ts"
import * as ToolRefresh from "./ToolRefresh.ts"
import * as PinnedDiscovery from "./trust/PinnedDiscovery.ts"

/** What a life is led with. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  /** The names of all configured servers, as they are at the moment. */
  readonly servers: () => ReadonlyArray<string>
  readonly searchAfterPath: ReadonlyArray<string>
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  /** Ends the wait for the next attempt, and the sleep of a server that is not used. */
  readonly wake: Queue.Dequeue<void>
  readonly flights: Flights
  readonly news: ServerNews
  /** True where somebody wants the server now: then `lazy` makes no difference. */
  readonly isWanted: boolean
}

/** How far a life has come. @category models */
export interface Course {
  /** Of attempts in a row. */
  failures: number
  wasEverReady: boolean
  /** It slept and was woken: should that fail, nothing but the next call tries again. */
  isWoken: boolean
  /** It is started for nothing but its list of tools. */
  isListed: boolean
}

/** How one connection, or the attempt at one, came to its end; no reason means that it went to sleep. @category models */
export interface End {
  readonly reason: McpErrorReason | null
  readonly wasReady: boolean
  readonly wasHealthy: boolean
}

/**
 * Leads one connection from its start to its end; closing the scope closes it. Never fails: what goes wrong is in
 * the snapshot and in its end.
 *
 * @category constructors
 */
export const live = Effect.fnUntraced(function*(
  options: Options,
  course: Course
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const refused = yield* Deferred.make<AuthRequired>()
  const { attempt, opened, started } = yield* Effect.provideService(
    ConnectTurn.during(attempted(options)),
    AuthNews.Refused,
    (reason) => Effect.asVoid(Deferred.succeed(refused, reason))
  )
  if (Result.isFailure(opened)) {
    const reason = AttemptFailure.judge(opened.failure, attempt, course.failures)
    // Said before the scope closes: taking the process down may last seconds.
    yield* failed(options, reason, Effect.logWarning, course, attempt.steps())
    // What was remembered may be why; asking once more costs little.
    yield* Effect.flatMap(ProtocolMemory, ({ forget }) => forget(options.config))
    return { reason, wasReady: false, wasHealthy: false }
  }
  const { changes, connection, listing } = opened.success
  yield* ready(options, connection, listing, attempt.steps())
  attempt.step = AT_WORK
  yield* Effect.forkScoped(options.news.tellLevel(connection))
  yield* Effect.forkScoped(ToolRefresh.run({
    changes,
    listing: Effect.timeoutOption(believed(options, changes, connection.listTools), options.config.startupTimeout),
    apply: (fresh) => applyListing(options, connection, fresh),
    server: options.config.name
  }))
  const life = Effect.raceAllFirst([
    connection.closed,
    pinged(options, connection),
    Deferred.await(refused),
    Effect.as(Sleep.due(options, connection, course.isListed), null)
  ])
  const lost = yield* SessionMetrics.during(options.config, connection, life)
  if (lost === null) return { reason: null, wasReady: true, wasHealthy: true }
  const wasHealthy = (yield* Clock.currentTimeMillis) - started >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  const inARow = options.config.restart === "on-failure" && !wasHealthy ? course.failures : 0
  const reason = AttemptFailure.judge(lost, attempt, inARow)
  yield* failed(options, reason, Effect.logError, { ...course, wasEverReady: true, isWoken: false }, attempt.steps())
  // Calls that the server took while it still believed us go on.
  if (lost._tag === "AuthRequired") yield* Effect.timeoutOption(options.flights.none, options.config.maxTotalTimeout)
  return { reason, wasReady: true, wasHealthy }
})

/** Why pings gave the connection up; for ever silent without them. */
const pinged = (options: Options, connection: Connection) => {
  const { name, ping } = options.config
  if (ping === null) return Effect.never
  return Ping.run({
    connection,
    interval: ping,
    onMissed: Effect.fnUntraced(function*(missedPings) {
      const words = missedPings === 0 ? "it answers pings again" : "it did not answer a ping"
      yield* (missedPings === 0 ? Effect.logInfo : Effect.logWarning)(`${name}: ${words}`)
      yield* ServerLog.event(words)
      yield* update(options, () => ({ missedPings }))
    })
  })
}

/** Its time begins when its turn does. */
const attempted = Effect.fnUntraced(function*(options: Options) {
  const started = yield* Clock.currentTimeMillis
  const attempt = StepTimes.begin(yield* Clock.Clock)
  yield* ServerLog.event("starting")
  return { started, attempt, opened: yield* connectAndList(options, attempt) }
})

const connectAndList = (options: Options, attempt: Connect.Attempt) =>
  Effect.gen(function*() {
    const connection = yield* Connect.open(options.config, options.searchAfterPath, attempt)
    yield* ServerMessages.listen(connection, options.news.level)
    const changes = yield* ToolRefresh.listen(connection)
    attempt.step = "tools/list"
    const listing = yield* Effect.mapError(
      believed(options, changes, connection.listTools),
      (reason) => AttemptFailure.ofListing(reason, attempt)
    )
    return { changes, connection, listing }
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.config.startupTimeout,
      orElse: () => Effect.fail(AttemptFailure.tookTooLong(options.config, attempt))
    }),
    // A defect of ours must not leave a server connecting for ever.
    Effect.catchCause((cause) => Effect.fail(AttemptFailure.ofCause(cause, attempt))),
    Effect.result
  )

/** Notes for how long what it brings is believed. */
const believed = (options: Options, changes: Queue.Queue<Occasion>, listing: Connection["listTools"]) =>
  Effect.tap(
    listing,
    ({ ttlMillis }) =>
      Effect.map(Clock.currentTimeMillis, (now) => options.news.freshness.listed(ttlMillis, now, changes))
  )

const ready = Effect.fnUntraced(function*(
  options: Options,
  connection: Connection,
  listing: Listing,
  steps: ReadonlyArray<StepTimes.StepTime>
) {
  const connectMillis = steps.reduce((sum, { millis }) => sum + millis, 0)
  const discovered = yield* listed(options, connection, listing)
  const count = countsOf(discovered)
  // Logged before it is told: who waits for it may end the program at once.
  yield* Effect.logInfo(`${options.config.name}: ready, ${count}, ${connectMillis} ms`)
  yield* ServerLog.event(`ready, ${count}, ${connectMillis} ms`)
  yield* update(options, () => ({
    state: "ready",
    reason: null,
    retry: "none",
    connection,
    // The names may have changed while this was logged.
    discovered: Discovery.among(discovered, options.config, options.servers()),
    instructions: SelfDescription.instructionsOf(connection),
    capabilities: SelfDescription.capabilitiesOf(connection),
    logLevel: connection.declares("logging") ? options.news.level() : null,
    listing: listing.diagnostics,
    missedPings: 0,
    connectMillis,
    steps
  }))
})

/** Says of a server that it failed, in its snapshot and in its log. @category combinators */
export const failed = Effect.fnUntraced(function*(
  options: Options,
  reason: McpErrorReason,
  log: typeof Effect.logWarning,
  course: Course,
  steps: ReadonlyArray<StepTimes.StepTime> | null = null
) {
  const before = yield* SubscriptionRef.get(options.snapshot)
  // A server that is tried for ever says the same for ever; once is enough.
  const isNews = before.reason?.message !== reason.message
  yield* (isNews ? log : Effect.logDebug)(`${options.config.name}: ${reason.message}`)
  yield* ServerLog.event(`${Snapshots.stateOf(reason)}: ${reason.message}`)
  yield* update(options, ({ attempts }) => ({
    state: Snapshots.stateOf(reason),
    reason,
    connection: null,
    attempts: attempts + 1,
    ...(steps === null ? {} : { steps }),
    retry: isTriedAgain(options, reason, course) ? "trying" : "none"
  }))
})

/** How many tools there are, in words. @category getters */
export const countsOf = ({ rejected, tools }: Discovery.Discovered) =>
  `${tools.length} tools, ${rejected.length} rejected`

/** What discovery makes of tools as they were listed. @category combinators */
export const judge = ({ config, entry, servers }: Options, { serverInfo, tools }: Manifest, isMirrored = false) =>
  PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, servers)

const listed = Effect.fnUntraced(function*(options: Options, connection: Connection, { tools }: Listing) {
  const manifest = SelfDescription.manifestOf(connection, tools)
  yield* Effect.flatMap(Manifests, ({ remember }) => remember(options, { ...manifest, scrub: connection.scrub }))
  return yield* judge(options, manifest, connection.mirrorsArguments())
})

const applyListing = Effect.fnUntraced(function*(options: Options, connection: Connection, listing: Listing) {
  const discovered = yield* listed(options, connection, listing)
  yield* ServerLog.event(`its tools changed: ${discovered.tools.length}, ${discovered.rejected.length} rejected`)
  yield* update(options, () => ({
    discovered: Discovery.among(discovered, options.config, options.servers()),
    listing: listing.diagnostics
  }))
})

/** Changes the snapshot. @category combinators */
export const update = (options: Options, change: (snapshot: ServerSnapshot) => Partial<ServerSnapshot>) =>
  SubscriptionRef.update(options.snapshot, (snapshot) => ({ ...snapshot, ...change(snapshot) }))

/**
 * `restart` is about a process that was ready and died; what never was ready is tried until it is, and a new connection to
 * an HTTP server restarts nothing (Decision 7).
 *
 * @category predicates
 */
export const isTriedAgain = ({ config }: Options, reason: McpErrorReason, { isWoken, wasEverReady }: Course): boolean =>
  !RestartPolicy.isPermanent(reason) &&
  (isWoken || !wasEverReady || isRemote(config) || config.restart === "on-failure")

/** Whether there is no process to restart. @category predicates */
export const isRemote = ({ transport }: ServerConfig): boolean => transport._tag !== "stdio"
