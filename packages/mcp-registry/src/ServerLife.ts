/**
 * The life of one server: connect, list, serve until the connection is gone, and try again as the policy says.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as AttemptFailure from "./AttemptFailure.ts"
import type { Connection, Listing } from "./Connection.ts"
import * as Discovery from "./Discovery.ts"
import type { McpErrorReason } from "./McpError.ts"
import { ProtocolMemory } from "./ProtocolMemory.ts"
import * as RestartPolicy from "./RestartPolicy.ts"
import * as Connect from "./sdk/Connect.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"
import * as Snapshots from "./ServerSnapshot.ts"
import * as ToolRefresh from "./ToolRefresh.ts"

/** What a life is led with. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly config: ServerConfig
  /** The names of all configured servers. */
  readonly servers: ReadonlyArray<string>
  readonly searchAfterPath: ReadonlyArray<string>
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  /** Ends the wait for the next attempt. */
  readonly wake: Queue.Dequeue<void>
}

/** How one connection, or the attempt at one, came to its end. */
interface End {
  readonly reason: McpErrorReason
  readonly wasReady: boolean
  readonly wasHealthy: boolean
}

/**
 * Leads the life until the policy gives up; interruption closes the connection. Never fails: what goes wrong is in the
 * snapshot.
 *
 * @category constructors
 */
export const lead = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<void, never, Connect.Requirements> {
  let failures = 0
  let wasEverReady = false
  for (;;) {
    const end: End = yield* Effect.catchDefect(
      Effect.scoped(live(options, failures, wasEverReady)),
      (defect) => broken(options, defect)
    )
    wasEverReady ||= end.wasReady
    failures = end.wasHealthy ? 1 : failures + 1
    if (!isTriedAgain(options, end.reason, wasEverReady)) return
    yield* pause(options, failures)
    if (wasEverReady) yield* update(options, ({ restarts }) => ({ restarts: restarts + 1 }))
  }
})

/** `restart` is about a server that was ready; one that never was is tried until it is (Decision 7). */
const isTriedAgain = ({ config }: Options, reason: McpErrorReason, wasEverReady: boolean): boolean =>
  !RestartPolicy.isPermanent(reason) && (!wasEverReady || config.restart === "on-failure")

/** Waits for the next attempt; while the pace is fast a call may end the wait (R4). */
const pause = Effect.fnUntraced(function*(options: Options, failures: number) {
  const isFast = failures <= RestartPolicy.FAST_ATTEMPTS
  const delay = Effect.sleep(RestartPolicy.delay(failures, yield* Random.next))
  yield* update(options, () => ({ retry: isFast ? "soon" : "slowly" }))
  yield* isFast ? Effect.raceFirst(delay, Queue.take(options.wake)) : delay
  yield* update(options, () => ({ retry: "trying" }))
})

const broken = Effect.fnUntraced(function*(options: Options, defect: unknown): Effect.fn.Return<End> {
  const reason = AttemptFailure.ofDefect(defect, {
    step: "its work",
    elapsed: () => 0,
    stderr: () => "",
    said: () => []
  })
  yield* failed(options, reason, Effect.logError, false)
  return { reason, wasReady: false, wasHealthy: false }
})

/** One connection from its start to its end. */
const live = Effect.fnUntraced(function*(
  options: Options,
  failures: number,
  wasEverReady: boolean
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const started = yield* Clock.currentTimeMillis
  const clock = yield* Clock.Clock
  const attempt: Connect.Attempt = {
    step: "start",
    elapsed: () => clock.currentTimeMillisUnsafe() - started,
    stderr: () => "",
    said: () => []
  }
  const opened = yield* connectAndList(options, attempt)
  if (Result.isFailure(opened)) {
    const reason = AttemptFailure.judge(opened.failure, attempt, failures)
    // Said before the scope closes: taking the process down may last seconds.
    yield* failed(options, reason, Effect.logWarning, wasEverReady)
    // What was remembered may be why; asking once more costs little.
    yield* Effect.flatMap(ProtocolMemory, ({ forget }) => forget(options.config))
    return { reason, wasReady: false, wasHealthy: false }
  }
  const { changes, connection, listing } = opened.success
  yield* ready(options, connection, listing, started)
  yield* Effect.forkScoped(ToolRefresh.run({
    changes,
    listing: Effect.timeoutOption(connection.listTools, options.config.startupTimeout),
    apply: (fresh) => applyListing(options, fresh),
    server: options.config.name
  }))
  const lost = yield* connection.closed
  const wasHealthy = (yield* Clock.currentTimeMillis) - started >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  const inARow = options.config.restart === "on-failure" && !wasHealthy ? failures : 0
  const reason = AttemptFailure.judge(lost, { ...attempt, step: "its work" }, inARow)
  yield* failed(options, reason, Effect.logError, true)
  return { reason, wasReady: true, wasHealthy }
})

const connectAndList = (options: Options, attempt: Connect.Attempt) =>
  Effect.gen(function*() {
    const connection = yield* Connect.open(options.config, options.searchAfterPath, attempt)
    const changes = yield* ToolRefresh.listen(connection)
    attempt.step = "tools/list"
    const listing = yield* Effect.mapError(connection.listTools, (reason) => AttemptFailure.ofListing(reason, attempt))
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

const ready = Effect.fnUntraced(function*(options: Options, connection: Connection, listing: Listing, started: number) {
  const connectMillis = (yield* Clock.currentTimeMillis) - started
  const discovered = Discovery.judge(options.config, listing.tools, options.servers)
  const count = `${discovered.tools.length} tools, ${discovered.rejected.length} rejected`
  // Logged before it is told: who waits for it may end the program at once.
  yield* Effect.logInfo(`${options.config.name}: ready, ${count}, ${connectMillis} ms`)
  yield* update(options, () => ({
    state: "ready",
    reason: null,
    retry: "none",
    connection,
    discovered,
    listing: listing.diagnostics,
    connectMillis
  }))
})

const failed = Effect.fnUntraced(function*(
  options: Options,
  reason: McpErrorReason,
  log: typeof Effect.logWarning,
  wasEverReady: boolean
) {
  const before = yield* SubscriptionRef.get(options.snapshot)
  // A server that is tried for ever says the same for ever; once is enough.
  const isNews = before.reason?.message !== reason.message
  yield* (isNews ? log : Effect.logDebug)(`${options.config.name}: ${reason.message}`)
  yield* update(options, ({ attempts }) => ({
    state: Snapshots.stateOf(reason),
    reason,
    connection: null,
    attempts: attempts + 1,
    retry: isTriedAgain(options, reason, wasEverReady) ? "trying" : "none"
  }))
})

const applyListing = (options: Options, listing: Listing) =>
  update(options, () => ({
    discovered: Discovery.judge(options.config, listing.tools, options.servers),
    listing: listing.diagnostics
  }))

const update = (options: Options, change: (snapshot: ServerSnapshot) => Partial<ServerSnapshot>) =>
  SubscriptionRef.update(options.snapshot, (snapshot) => ({ ...snapshot, ...change(snapshot) }))
