/**
 * The life of one server, led by one fiber: connect, serve until the connection ends, judge the end, pause or sleep, again.
 * A process that dies is such an end: `StdioChannel` of mcp-client tells of it.
 */
import { AuthState } from "@boocode/mcp-client/Auth"
import * as Connect from "@boocode/mcp-client/Connect"
import type { Connection } from "@boocode/mcp-client/Connection"
import { ProtocolMemory, type ServerHost, ServerLog } from "@boocode/mcp-client/Host"
import { AT_WORK, type AuthRequired, Exited, type McpErrorReason } from "@boocode/mcp-client/McpError"
import { Ping } from "@boocode/mcp-client/Protocol"
import type { ServerConfig } from "@boocode/mcp-config"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Fork } from "../calls/ProgressDelivery.ts"
import * as SessionMetrics from "../metrics/SessionMetrics.ts"
import type { StepTime } from "../model/ServerStatus.ts"
import * as AttemptFailure from "../state/AttemptFailure.ts"
import type { InFlightCalls } from "../state/InFlightCalls.ts"
import * as RestartPolicy from "../state/RestartPolicy.ts"
import * as SelfDescription from "../state/SelfDescription.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StartLimit from "../state/StartLimit.ts"
import * as StateRef from "../state/StateRef.ts"
import type { Discovered } from "../tools/Discovery.ts"
import * as ConnectAttempt from "./ConnectAttempt.ts"
import * as Idle from "./Idle.ts"
import type { ServerLogLevel } from "./ServerLogLevel.ts"
import type { ServerTools } from "./ServerTools.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

export interface Options {
  readonly config: ServerConfig
  /** The host as a connection that is opened now is to meet it. */
  readonly host: Effect.Effect<ServerHost, never, Connect.Requirements>
  readonly state: StateRef.StateRef
  /** Open while a caller wants the server to run. */
  readonly wake: Latch.Latch
  readonly calls: InFlightCalls
  readonly tools: ServerTools
  readonly level: ServerLogLevel
  readonly searchAfterPath: ReadonlyArray<string>
  readonly fork: Fork
}

/** The past of a server, as far as its next attempt depends on it. */
interface Course {
  /** In a row. */
  readonly failures: number
  readonly wasEverReady: boolean
  /** A call woke it: if the attempt fails, only the next call tries again. */
  readonly isWoken: boolean
  /** It is started for its list of tools only. */
  readonly isListed: boolean
  readonly greeting: Connect.Greeting
}

const BEGINNING: Course = { failures: 0, wasEverReady: false, isWoken: false, isListed: false, greeting: "first" }

/** How a connection, or the attempt at one, ended. A reason of null means that nobody used it any more. */
interface End {
  readonly reason: McpErrorReason | null
  readonly wasReady: boolean
  readonly wasHealthy: boolean
  readonly greeting: Connect.Greeting
}

/**
 * Leads the life until the policy gives up. Never fails: failures are in the state. Interruption closes the connection.
 * `isWanted`: somebody asked for the start, so a lazy server connects at once, too.
 */
export const lead = Effect.fnUntraced(function*(
  options: Options,
  isWanted: boolean
): Effect.fn.Return<void, never, Connect.Requirements> {
  let course: Course | null = options.config.lazy && !isWanted ? yield* sleepFirst(options) : BEGINNING
  while (course !== null) {
    const now: Course = course
    const next = (end: End) => after(options, now, end)
    course = yield* Effect.scoped(connected(options, now)).pipe(
      Effect.flatMap(next),
      // Not run where the life itself is interrupted.
      Effect.catchCause((cause) => Effect.flatMap(broken(options, now, cause), next))
    )
  }
})

/** A lazy server sleeps at once where its tools are known. Otherwise it is started once, to list them (R94). */
const sleepFirst = (options: Options): Effect.Effect<Course> =>
  Effect.gen(function*() {
    const knowledge = yield* options.tools.recalled(options.level.wanted())
    if (knowledge === null) return { ...BEGINNING, isListed: true }
    yield* ServerLog.event(`asleep until it is called: ${countsOf(knowledge.discovered)} as last listed`)
    yield* StateRef.send(options.state, { _tag: "Recalled", knowledge })
    yield* Idle.asleep(options)
    return { ...BEGINNING, isWoken: true }
  }).pipe(Effect.catchCause((cause) => Effect.as(broken(options, BEGINNING, cause), BEGINNING)))

/** One connection from the attempt to its end. Closing the scope closes it. */
const connected = Effect.fnUntraced(function*(
  options: Options,
  course: Course
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const { config, level, tools } = options
  const refused = RestartPolicy.isRemote(config) ? Deferred.makeUnsafe<AuthRequired>() : null
  const { attempt, opened, startedAt } = yield* attempted(options, course, refused)
  if (Result.isFailure(opened)) {
    const { failure } = opened
    const reason = AttemptFailure.judge(failure, attempt, course.failures)
    // Told before the scope closes: taking the process down may last seconds.
    yield* tellLost(options, reason, course, attempt.steps())
    // A wrong memory of its protocol may be why.
    yield* Effect.flatMap(ProtocolMemory, ({ forget }) => forget(config))
    const greeting = failure._tag === "Exited" ? Connect.nextGreeting(course.greeting, attempt.step) : "first"
    return { reason, wasReady: false, wasHealthy: false, greeting }
  }
  const { connection, occasions } = opened.success
  yield* tellReady(options, opened.success, attempt.steps())
  attempt.step = AT_WORK
  if (connection.declares("logging")) yield* Effect.forkScoped(level.tell(connection))
  // The refresh begins with the first change that is announced: most servers announce none.
  yield* Effect.forkScoped(Effect.andThen(Queue.peek(occasions), () =>
    ToolRefresh.run({
      changes: occasions,
      listing: Effect.timeoutOption(ToolRefresh.list(connection, tools.freshness, occasions), config.startupTimeout),
      apply: (fresh) => tools.replace(connection, fresh),
      server: config.name
    })))
  const lost = yield* SessionMetrics.during(
    config,
    connection,
    firstOf([
      connection.closed,
      ...refused === null ? [] : [Deferred.await(refused)],
      ...config.ping === null ? [] : [pinged(options, connection, config.ping)],
      ...Idle.isPossible(options, course.isListed)
        ? [Effect.as(Idle.due(options, connection, course.isListed), null)]
        : []
    ])
  )
  if (lost === null) return { reason: null, wasReady: true, wasHealthy: true, greeting: "first" }
  const wasHealthy = (yield* Clock.currentTimeMillis) - startedAt >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  const inARow = config.restart === "on-failure" && !wasHealthy ? course.failures : 0
  const reason = AttemptFailure.judge(lost, attempt, inARow)
  const log = RestartPolicy.isMoved(reason) ? Effect.logInfo : Effect.logError
  yield* tellLost(options, reason, { ...course, wasEverReady: true, isWoken: false }, attempt.steps(), log)
  // Calls that the server took while it still accepted the tokens go on.
  if (lost._tag === "AuthRequired") yield* Effect.timeoutOption(options.calls.none, config.maxTotalTimeout)
  return { reason, wasReady: true, wasHealthy, greeting: "first" }
})

/** A function of its own, so that the life keeps nothing of how its connection began. */
const attempted = Effect.fnUntraced(function*(options: Options, course: Course, refused: Refused) {
  const { fork, host, level, searchAfterPath, tools: { freshness } } = options
  const config = yield* asPatient(options, course)
  const run = ConnectAttempt.run(
    { config, host, searchAfterPath, fork, level: level.wanted, freshness },
    course.greeting
  )
  return yield* refused === null
    ? run
    : Effect.provideService(run, AuthState.Refused, (reason) => Effect.asVoid(Deferred.succeed(refused, reason)))
})

/** With longer for a start that may download the program: of a server that was never ready, here or in an earlier run. */
const asPatient = Effect.fnUntraced(function*({ config, state }: Options, { wasEverReady }: Course) {
  if (wasEverReady || !StartLimit.isPatient(config)) return config
  const isKnown = (yield* Effect.flatMap(ProtocolMemory, ({ recall }) => recall(config))) !== null
  if (isKnown) return config
  yield* ServerLog.event(`its first start may download it, and has ${Duration.format(StartLimit.DOWNLOAD)}`)
  yield* StateRef.send(state, { _tag: "Downloading", limitMillis: Duration.toMillis(StartLimit.DOWNLOAD) })
  return { ...config, startupTimeout: StartLimit.DOWNLOAD }
})

/** Completed when a remote server refuses our tokens; null for a program. */
type Refused = Deferred.Deferred<AuthRequired> | null

/** Most servers have one end only, and a race would keep a fiber for it. */
const firstOf = (ends: ReadonlyArray<Effect.Effect<McpErrorReason | null>>): Effect.Effect<McpErrorReason | null> => {
  const [first = Effect.never, ...others] = ends
  return others.length === 0 ? first : Effect.raceAllFirst(ends)
}

/** Decides what follows an end, and waits for it. Null ends the life. */
const after = Effect.fnUntraced(function*(options: Options, before: Course, end: End) {
  const { reason, wasHealthy, wasReady } = end
  if (reason === null) {
    yield* Idle.asleep(options)
    return { ...BEGINNING, wasEverReady: true, isWoken: true }
  }
  // Nothing of a server broke that was ready and goes on elsewhere.
  const isNew = wasHealthy || (wasReady && RestartPolicy.isMoved(reason))
  const course: Course = {
    failures: isNew ? 1 : before.failures + 1,
    wasEverReady: before.wasEverReady || wasReady,
    isWoken: before.isWoken && !wasReady,
    isListed: before.isListed && !wasReady,
    greeting: end.greeting
  }
  if (RestartPolicy.isTriedAgain(options.config, reason, course)) {
    yield* course.isWoken ? untilCalled(options) : pause(options, course)
    return course
  }
  if (!(yield* AuthState.waitForSignIn(options.config, reason))) return null
  yield* ServerLog.event("somebody has signed in by way of another program")
  yield* StateRef.send(options.state, { _tag: "Retried", isRestart: false })
  return { ...course, failures: 0 }
})

/** Waits for a call: a server that a call woke, and that failed then, is not tried again by itself. */
const untilCalled = ({ state, wake }: Options) =>
  Effect.gen(function*() {
    yield* StateRef.send(state, { _tag: "Waiting", pace: "soon" })
    yield* Idle.untilWoken({ wake })
    yield* StateRef.send(state, { _tag: "Retried", isRestart: false })
  })

/**
 * Waits for the next attempt. A call ends the wait while the pace is fast (R4). A call of a remote server that was ready
 * always ends it (R99): without pings the call itself would have found the connection closed, and opened a new one.
 */
const pause = Effect.fnUntraced(function*({ config, state, wake }: Options, { failures, wasEverReady }: Course) {
  const isRemote = RestartPolicy.isRemote(config)
  const isFast = failures <= RestartPolicy.FAST_ATTEMPTS || (wasEverReady && isRemote)
  const wait = RestartPolicy.delay(failures, yield* Random.next)
  yield* ServerLog.event(`trying again in ${Duration.toMillis(wait)} ms`)
  yield* StateRef.send(state, { _tag: "Waiting", pace: isFast ? "soon" : "slowly" })
  const delay = Effect.sleep(wait)
  yield* isFast ? Effect.raceFirst(delay, Idle.untilWoken({ wake })) : delay
  yield* StateRef.send(state, { _tag: "Retried", isRestart: wasEverReady && !isRemote })
})

const pinged = ({ config: { name }, state }: Options, connection: Connection, interval: Duration.Duration) =>
  Ping.run({
    connection,
    interval,
    onMissed: Effect.fnUntraced(function*(count) {
      const words = count === 0 ? "it answers pings again" : "it did not answer a ping"
      yield* (count === 0 ? Effect.logInfo : Effect.logWarning)(`${name}: ${words}`)
      yield* ServerLog.event(words)
      yield* StateRef.send(state, { _tag: "PingsMissed", count })
    })
  })

const tellReady = Effect.fnUntraced(function*(
  { config, level, state, tools, wake }: Options,
  { connection, listing }: ConnectAttempt.Opened,
  steps: ReadonlyArray<StepTime>
) {
  const manifest = SelfDescription.manifestOf(connection, listing.tools)
  const discovered = yield* tools.listed(connection, manifest)
  const millis = steps.reduce((sum, step) => sum + step.millis, 0)
  const words = `ready, ${countsOf(discovered)}, ${millis} ms`
  // Logged before it is told: a caller that waits for it may end the program at once.
  yield* Effect.logInfo(`${config.name}: ${words}`)
  yield* ServerLog.event(words)
  yield* answer({ state, wake }, {
    _tag: "Opened",
    connection,
    // The names may have changed while this was logged.
    knowledge: tools.knowledge(manifest, discovered, level.wanted()),
    diagnostics: listing.diagnostics,
    steps
  })
})

const tellLost = Effect.fnUntraced(function*(
  { config, state, wake }: Options,
  reason: McpErrorReason,
  course: Course,
  steps: ReadonlyArray<StepTime> | null,
  log: typeof Effect.logWarning = Effect.logWarning
) {
  const before = ServerState.reasonOf(StateRef.now(state))
  // A server that is tried for ever fails in the same way for ever; one line is enough.
  const isNews = before === null || wordsOf(before) !== wordsOf(reason)
  yield* (isNews ? log : Effect.logDebug)(`${config.name}: ${reason.message}`)
  yield* ServerLog.event(`${ServerState.stateAfter(reason)}: ${reason.message}`)
  const isTriedAgain = RestartPolicy.isTriedAgain(config, reason, course)
  yield* answer({ state, wake }, { _tag: "Lost", reason, steps, isTriedAgain })
})

/** Tells how an attempt ended. That answers every call that wished for it; a call from now on wishes anew. */
const answer = ({ state, wake }: Pick<Options, "state" | "wake">, event: ServerState.ServerEvent) =>
  StateRef.sendIf(state, event, () => {
    wake.closeUnsafe()
    return true
  })

/** Times, counts and process ids do not make an end another one. */
const wordsOf = (reason: McpErrorReason): string => {
  if (reason._tag !== "Exited" && reason._tag !== "CrashLoop") return reason.message
  const { exitCode, signal = null, stderr } = reason
  return new Exited({ during: "", exitCode, signal, stderr: stderr.replaceAll(/\d/g, "") }).message
}

const countsOf = ({ rejected, tools }: Discovered) => `${tools.length} tools, ${rejected.length} rejected`

/** A defect of ours is a failure like that of a server: whether it is tried again is for the policy to say. */
const broken = Effect.fnUntraced(function*(
  options: Options,
  course: Course,
  cause: Cause.Cause<never>
): Effect.fn.Return<End> {
  const reason = AttemptFailure.ofCause(cause, AttemptFailure.UNKNOWN)
  yield* tellLost(options, reason, course, null, Effect.logError)
  return { reason, wasReady: false, wasHealthy: false, greeting: "first" }
})
