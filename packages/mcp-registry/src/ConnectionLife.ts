/**
 * The life of one connection of a server: connect, list, serve until it is gone or not used any more.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as AttemptFailure from "./AttemptFailure.ts"
import * as AuthNews from "./auth/AuthNews.ts"
import type { Connection } from "./Connection.ts"
import * as ConnectTurn from "./ConnectTurn.ts"
import type { Course, Options } from "./LifeNews.ts"
import * as LifeNews from "./LifeNews.ts"
import { AT_WORK, type AuthRequired, type McpErrorReason } from "./McpError.ts"
import * as Ping from "./Ping.ts"
import { ProtocolMemory } from "./ProtocolMemory.ts"
import * as RestartPolicy from "./RestartPolicy.ts"
import * as Connect from "./rpc/Connect.ts"
import * as ServerLog from "./ServerLog.ts"
import * as ServerMessages from "./ServerMessages.ts"
import * as SessionMetrics from "./SessionMetrics.ts"
import * as Sleep from "./Sleep.ts"
import * as StepTimes from "./StepTimes.ts"
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
  options: Options,
  course: Course
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const refused = LifeNews.isRemote(options.config) ? Deferred.makeUnsafe<AuthRequired>() : null
  const { attempt, opened, started } = yield* ConnectTurn.during(told(refused, attempted(options, course)))
  course.greeting = Result.isFailure(opened) && opened.failure._tag === "Exited"
    ? Connect.nextGreeting(course.greeting, attempt.step)
    : "first"
  if (Result.isFailure(opened)) {
    const reason = AttemptFailure.judge(opened.failure, attempt, course.failures)
    // Said before the scope closes: taking the process down may last seconds.
    yield* LifeNews.failed(options, reason, Effect.logWarning, course, attempt.steps())
    // What was remembered may be why; asking once more costs little.
    yield* Effect.flatMap(ProtocolMemory, ({ forget }) => forget(options.config))
    return { reason, wasReady: false, wasHealthy: false }
  }
  const { changes, connection, listing } = opened.success
  yield* LifeNews.ready(options, connection, listing, attempt.steps())
  attempt.step = AT_WORK
  if (connection.declares("logging")) yield* Effect.forkScoped(options.news.tellLevel(connection))
  yield* refreshed(options, connection, changes)
  const life = raced([
    connection.closed,
    ...options.config.ping === null ? [] : [pinged(options, connection, options.config.ping)],
    ...refused === null ? [] : [Deferred.await(refused)],
    ...Sleep.isPossible(options, course.isListed)
      ? [Effect.as(Sleep.due(options, connection, course.isListed), null)]
      : []
  ])
  const lost = yield* SessionMetrics.during(options.config, connection, life)
  if (lost === null) return { reason: null, wasReady: true, wasHealthy: true }
  const wasHealthy = (yield* Clock.currentTimeMillis) - started >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  const inARow = options.config.restart === "on-failure" && !wasHealthy ? course.failures : 0
  const reason = AttemptFailure.judge(lost, attempt, inARow)
  yield* LifeNews.failed(
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
    : Effect.provideService(effect, AuthNews.Refused, (reason) => Effect.asVoid(Deferred.succeed(refused, reason)))

/** Lists the tools again from the first occasion on, until the connection is gone. */
const refreshed = Effect.fnUntraced(function*(
  options: Options,
  connection: Connection,
  changes: ToolRefresh.Occasions
) {
  const context = yield* Effect.context<never>()
  changes.heed(() => {
    const refreshing = changes.heeding({
      listing: Effect.timeoutOption(believed(options, changes, connection.listTools), options.config.startupTimeout),
      apply: (fresh) => LifeNews.applyListing(options, connection, fresh),
      server: options.config.name
    })
    options.fork(Effect.updateContext(Effect.asVoid(Effect.raceFirst(refreshing, connection.closed)), () => context))
  })
})

/** Why pings gave the connection up. */
const pinged = (options: Options, connection: Connection, interval: Duration.Duration) => {
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
const attempted = Effect.fnUntraced(function*(options: Options, { greeting }: Course) {
  const started = yield* Clock.currentTimeMillis
  const attempt = new StepTimes.TimedAttempt(yield* Clock.Clock, greeting)
  yield* ServerLog.event("starting")
  return { started, attempt, opened: yield* connectAndList(options, attempt) }
})

const connectAndList = (options: Options, attempt: Connect.Attempt) =>
  Effect.gen(function*() {
    const connection = yield* Connect.open(options.config, options.searchAfterPath, attempt)
    ServerMessages.listen(connection, {
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
const believed = (options: Options, changes: ToolRefresh.Occasions, listing: Connection["listTools"]) =>
  Effect.tap(
    listing,
    ({ ttlMillis }) =>
      Effect.map(Clock.currentTimeMillis, (now) => options.news.freshness.listed(ttlMillis, now, changes))
  )
