/**
 * The life of one connection of a server: connect, list, serve until it is gone or not used any more.
 */
import { AuthState } from "@boocode/mcp-client/Auth"
import * as Connect from "@boocode/mcp-client/Connect"
import type { Connection, Listing } from "@boocode/mcp-client/Connection"
import { ProtocolMemory, ServerLog } from "@boocode/mcp-client/Host"
import { AT_WORK, type AuthRequired, Exited, type McpErrorReason } from "@boocode/mcp-client/McpError"
import { Ping } from "@boocode/mcp-client/Protocol"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type * as ProgressDelivery from "../calls/ProgressDelivery.ts"
import * as SessionMetrics from "../metrics/SessionMetrics.ts"
import * as StepTimes from "../model/StepTimes.ts"
import * as AttemptFailure from "../server/AttemptFailure.ts"
import type { InFlightCalls } from "../server/InFlightCalls.ts"
import * as RestartPolicy from "../server/RestartPolicy.ts"
import * as ServerState from "../server/ServerState.ts"
import type { Standing } from "../server/ServerState.ts"
import type { WakeSignal } from "../server/WakeSignal.ts"
import * as Discovery from "../tools/Discovery.ts"
import type { Manifest } from "../tools/Manifest.ts"
import { Manifests } from "../tools/Manifests.ts"
import * as PinnedDiscovery from "../tools/PinnedDiscovery.ts"
import * as Idle from "./Idle.ts"
import * as ServerNotifications from "./ServerNotifications.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

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
  options: LifeOptions,
  course: Course
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const refused = isRemote(options.config) ? Deferred.makeUnsafe<AuthRequired>() : null
  const { attempt, opened, started } = yield* duringTurn(told(refused, attempted(options, course)))
  course.greeting = Result.isFailure(opened) && opened.failure._tag === "Exited"
    ? Connect.nextGreeting(course.greeting, attempt.step)
    : "first"
  if (Result.isFailure(opened)) {
    const reason = AttemptFailure.judge(opened.failure, attempt, course.failures)
    // Said before the scope closes: taking the process down may last seconds.
    yield* tellFailed(options, reason, Effect.logWarning, course, attempt.steps())
    // What was remembered may be why; asking once more costs little.
    yield* Effect.flatMap(ProtocolMemory, ({ forget }) => forget(options.config))
    return { reason, wasReady: false, wasHealthy: false }
  }
  const { changes, connection, listing } = opened.success
  yield* tellReady(options, connection, listing, attempt.steps())
  attempt.step = AT_WORK
  if (connection.declares("logging")) yield* Effect.forkScoped(options.news.tellLevel(connection))
  yield* refreshed(options, connection, changes)
  const life = raced([
    connection.closed,
    ...options.config.ping === null ? [] : [pinged(options, connection, options.config.ping)],
    ...refused === null ? [] : [Deferred.await(refused)],
    ...Idle.isPossible(options, course.isListed)
      ? [Effect.as(Idle.due(options, connection, course.isListed), null)]
      : []
  ])
  const lost = yield* SessionMetrics.during(options.config, connection, life)
  if (lost === null) return { reason: null, wasReady: true, wasHealthy: true }
  const wasHealthy = (yield* Clock.currentTimeMillis) - started >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  const inARow = options.config.restart === "on-failure" && !wasHealthy ? course.failures : 0
  const reason = AttemptFailure.judge(lost, attempt, inARow)
  yield* tellFailed(
    options,
    reason,
    Effect.logError,
    { ...course, wasEverReady: true, isWoken: false },
    attempt.steps()
  )
  // Calls that the server took while it still believed us go on.
  if (lost._tag === "AuthRequired") yield* Effect.timeoutOption(options.flights.none, options.config.maxTotalTimeout)
  return { reason, wasReady: true, wasHealthy }
})

/** What most servers wait for is one thing only, and a race would take a fiber for it. */
const raced = (ends: ReadonlyArray<Effect.Effect<McpErrorReason | null>>): Effect.Effect<McpErrorReason | null> => {
  const [first = Effect.never, ...others] = ends
  return others.length === 0 ? first : Effect.raceAllFirst(ends)
}

/** A server that wants authorization says so anywhere in the conversation. */
const told = <A, E, R>(refused: Deferred.Deferred<AuthRequired> | null, effect: Effect.Effect<A, E, R>) =>
  refused === null
    ? effect
    : Effect.provideService(effect, AuthState.Refused, (reason) => Effect.asVoid(Deferred.succeed(refused, reason)))

/** Lists the tools again from the first occasion on, until the connection is gone. */
const refreshed = Effect.fnUntraced(function*(
  options: LifeOptions,
  connection: Connection,
  changes: ToolRefresh.Occasions
) {
  const context = yield* Effect.context<never>()
  changes.heed(() => {
    const refreshing = changes.heeding({
      listing: Effect.timeoutOption(believed(options, changes, connection.listTools), options.config.startupTimeout),
      apply: (fresh) => applyListing(options, connection, fresh),
      server: options.config.name
    })
    options.fork(Effect.updateContext(Effect.asVoid(Effect.raceFirst(refreshing, connection.closed)), () => context))
  })
})

/** Why pings gave the connection up. */
const pinged = (options: LifeOptions, connection: Connection, interval: Duration.Duration) => {
  const { config: { name }, standing } = options
  return Ping.run({
    connection,
    interval,
    onMissed: Effect.fnUntraced(function*(missedPings) {
      const words = missedPings === 0 ? "it answers pings again" : "it did not answer a ping"
      yield* (missedPings === 0 ? Effect.logInfo : Effect.logWarning)(`${name}: ${words}`)
      yield* ServerLog.event(words)
      standing.set({ missedPings })
    })
  })
}

/** Its time begins when its turn does. */
const attempted = Effect.fnUntraced(function*(options: LifeOptions, { greeting }: Course) {
  const started = yield* Clock.currentTimeMillis
  const attempt = new StepTimes.TimedAttempt(yield* Clock.Clock, greeting)
  yield* ServerLog.event("starting")
  return { started, attempt, opened: yield* connectAndList(options, attempt) }
})

const connectAndList = (options: LifeOptions, attempt: Connect.Attempt) =>
  Effect.gen(function*() {
    const connection = yield* Connect.open(options.config, options.searchAfterPath, attempt)
    ServerNotifications.listen(connection, {
      wanted: () => options.news.level,
      log: yield* ServerLog.Current,
      clock: yield* Clock.Clock,
      fork: options.fork
    })
    const changes = ToolRefresh.listen(connection)
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
const believed = (options: LifeOptions, changes: ToolRefresh.Occasions, listing: Connection["listTools"]) =>
  Effect.tap(
    listing,
    ({ ttlMillis }) =>
      Effect.map(Clock.currentTimeMillis, (now) => options.news.freshness.listed(ttlMillis, now, changes))
  )

// How many servers of a registry connect at the same time, where somebody limits it (R17).

/**
 * The turns that there are; null, for all at once, without a limit.
 *
 * @category references
 */
export class ConnectTurn extends Context.Reference<Semaphore.Semaphore | null>("mcp-registry/ConnectTurn", {
  defaultValue: () => null
}) {}

/** Waits for a turn, which has no limit of its own, and gives it back when the attempt is over. @category combinators */
export const duringTurn = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ConnectTurn, (turns) => turns === null ? attempt : turns.withPermit(attempt))

// What the life of a server puts into its snapshot and into its log, and what is decided by it.

/** What a life is led with. @category models */
export interface LifeOptions {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  /** The names of all configured servers, as they are at the moment. */
  readonly servers: () => ReadonlyArray<string>
  readonly searchAfterPath: ReadonlyArray<string>
  readonly standing: Standing
  /** Ends the wait for the next attempt, and the sleep of a server that is not used. */
  readonly wish: WakeSignal
  readonly flights: InFlightCalls
  readonly news: ServerNotifications.ServerNotifications
  /** Runs what is begun where nobody waits for it, as long as the registry is there. */
  readonly fork: ProgressDelivery.Fork
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
  /** How the next attempt greets a program. */
  greeting: Connect.Greeting
}

/** Says of a server that it is ready, in its snapshot and in its log. @category combinators */
export const tellReady = Effect.fnUntraced(function*(
  options: LifeOptions,
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
  options.standing.set({
    state: "ready",
    reason: null,
    retry: "none",
    connection,
    // The names may have changed while this was logged.
    discovered: Discovery.among(discovered, options.config, options.servers()),
    instructions: ServerState.instructionsOf(connection),
    capabilities: ServerState.capabilitiesOf(connection),
    logLevel: connection.declares("logging") ? options.news.level : null,
    listing: listing.diagnostics,
    missedPings: 0,
    connectMillis,
    steps
  })
})

/** Says of a server that it failed, in its snapshot and in its log. @category combinators */
export const tellFailed = Effect.fnUntraced(function*(
  options: LifeOptions,
  reason: McpErrorReason,
  log: typeof Effect.logWarning,
  course: Course,
  steps: ReadonlyArray<StepTimes.StepTime> | null = null
) {
  const before = options.standing.now
  // A server that is tried for ever says the same for ever; once is enough.
  const isNews = before.reason === null || wordsOf(before.reason) !== wordsOf(reason)
  yield* (isNews ? log : Effect.logDebug)(`${options.config.name}: ${reason.message}`)
  yield* ServerLog.event(`${ServerState.stateOf(reason)}: ${reason.message}`)
  options.standing.set({
    state: ServerState.stateOf(reason),
    reason,
    connection: null,
    attempts: options.standing.now.attempts + 1,
    ...(steps === null ? {} : { steps }),
    retry: isTriedAgain(options, reason, course) ? "trying" : "none"
  })
})

/** How long it took, how often, and the times and process ids in its words make the same end no other one. */
const wordsOf = (reason: McpErrorReason): string => {
  if (reason._tag !== "Exited" && reason._tag !== "CrashLoop") return reason.message
  const { exitCode, signal = null, stderr } = reason
  return new Exited({ during: "", exitCode, signal, stderr: stderr.replaceAll(/\d/g, "") }).message
}

/** How many tools there are, in words. @category getters */
export const countsOf = ({ rejected, tools }: Discovery.Discovered) =>
  `${tools.length} tools, ${rejected.length} rejected`

/** What discovery makes of tools as they were listed. @category combinators */
export const judgeTools = (
  { config, entry, servers }: LifeOptions,
  { serverInfo, tools }: Manifest,
  isMirrored = false
) => PinnedDiscovery.judge({ entry, config, tools, serverInfo, isMirrored }, servers)

const listed = Effect.fnUntraced(function*(options: LifeOptions, connection: Connection, { tools }: Listing) {
  const manifest = ServerState.manifestOf(connection, tools)
  yield* Effect.flatMap(Manifests, ({ remember }) => remember(options, { ...manifest, scrub: connection.scrub }))
  return yield* judgeTools(options, manifest, connection.mirrorsArguments())
})

/** Takes over what was listed anew. @category combinators */
export const applyListing = Effect.fnUntraced(
  function*(options: LifeOptions, connection: Connection, listing: Listing) {
    const discovered = yield* listed(options, connection, listing)
    yield* ServerLog.event(`its tools changed: ${discovered.tools.length}, ${discovered.rejected.length} rejected`)
    options.standing.set({
      discovered: Discovery.among(discovered, options.config, options.servers()),
      listing: listing.diagnostics
    })
  }
)

/**
 * `restart` is about a process that was ready and died; what never was ready is tried until it is, and a new connection to
 * an HTTP server restarts nothing (Decision 7).
 *
 * @category predicates
 */
export const isTriedAgain = (
  { config }: LifeOptions,
  reason: McpErrorReason,
  { isWoken, wasEverReady }: Course
): boolean =>
  !RestartPolicy.isPermanent(reason) &&
  (isWoken || !wasEverReady || isRemote(config) || config.restart === "on-failure")

/** Whether there is no process to restart. @category predicates */
export const isRemote = ({ transport }: ServerConfig): boolean => transport._tag !== "stdio"
