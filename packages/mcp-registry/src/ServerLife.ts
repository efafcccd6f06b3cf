/**
 * The life of one server: connect, list, serve until the connection is gone, and try again as the policy says.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Connection, Listing } from "./Connection.ts"
import * as Discovery from "./Discovery.ts"
import { CrashLoop, Exited, HandshakeFailed, HandshakeTimeout, ListFailed, McpErrorReason } from "./McpError.ts"
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
    const end = yield* Effect.scoped(live(options, failures))
    wasEverReady ||= end.wasReady
    failures = end.wasHealthy ? 1 : failures + 1
    if (RestartPolicy.isPermanent(end.reason)) return
    if (wasEverReady && options.config.restart === "never") return
    yield* Effect.sleep(RestartPolicy.delay(failures, yield* Random.next))
    if (wasEverReady) yield* update(options, ({ restarts }) => ({ restarts: restarts + 1 }))
  }
})

/** One connection from its start to its end. */
const live = Effect.fnUntraced(function*(
  options: Options,
  failures: number
): Effect.fn.Return<End, never, Connect.Requirements | Scope.Scope> {
  const started = yield* Clock.currentTimeMillis
  const attempt: Connect.Attempt = { step: "start", pid: null, stderr: () => "" }
  const opened = yield* connectAndList(options, attempt)
  if (Result.isFailure(opened)) {
    const reason = judge(opened.failure, attempt, failures)
    // Said before the scope closes: taking the process down may last seconds.
    yield* failed(options, reason, Effect.logWarning)
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
  const reason = judge(lost, { ...attempt, step: "its work" }, failures)
  const wasHealthy = (yield* Clock.currentTimeMillis) - started >= Duration.toMillis(RestartPolicy.HEALTHY_AFTER)
  yield* failed(options, reason, Effect.logError)
  return { reason, wasReady: true, wasHealthy }
})

const connectAndList = (options: Options, attempt: Connect.Attempt) =>
  Effect.gen(function*() {
    const connection = yield* Connect.open(options.config, options.searchAfterPath, attempt)
    const changes = yield* ToolRefresh.listen(connection)
    attempt.step = "tools/list"
    const listing = yield* Effect.mapError(connection.listTools, (reason) => listFailure(reason, attempt))
    return { changes, connection, listing }
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.config.startupTimeout,
      orElse: () => Effect.fail(tookTooLong(options.config, attempt))
    }),
    // A defect of ours must not leave a server connecting for ever.
    Effect.catchCause((cause) => Effect.fail(reasonOf(cause, attempt))),
    Effect.result
  )

const tookTooLong = (config: ServerConfig, attempt: Connect.Attempt): McpErrorReason => {
  const limitMillis = Duration.toMillis(config.startupTimeout)
  const stderr = attempt.stderr()
  return attempt.step === "tools/list"
    ? new ListFailed({ method: attempt.step, detail: "no answer in time", code: null, limitMillis, stderr })
    : new HandshakeTimeout({ method: attempt.step, limitMillis, stderr })
}

const listFailure = (reason: McpErrorReason, attempt: Connect.Attempt): McpErrorReason =>
  reason._tag === "RequestFailed"
    ? new ListFailed({
      method: reason.method,
      detail: reason.detail,
      code: reason.code,
      limitMillis: null,
      stderr: attempt.stderr()
    })
    : reason

const isReason = Schema.is(McpErrorReason)

const reasonOf = (cause: Cause.Cause<unknown>, attempt: Connect.Attempt): McpErrorReason => {
  const error = Cause.squash(cause)
  if (isReason(error)) return error
  return new HandshakeFailed({
    method: attempt.step,
    detail: error instanceof Error ? error.message : String(error),
    code: null,
    stderr: attempt.stderr(),
    cause: error
  })
}

/** Adds what only the life knows: during which step a process ended, and that it keeps doing so. */
const judge = (reason: McpErrorReason, attempt: Connect.Attempt, failures: number): McpErrorReason => {
  if (reason._tag !== "Exited") return reason
  if (failures >= RestartPolicy.FAST_ATTEMPTS) {
    return new CrashLoop({ restarts: failures, exitCode: reason.exitCode, stderr: reason.stderr })
  }
  return new Exited({ ...reason, during: attempt.step })
}

const ready = Effect.fnUntraced(function*(options: Options, connection: Connection, listing: Listing, started: number) {
  const connectMillis = (yield* Clock.currentTimeMillis) - started
  const discovered = Discovery.judge(options.config, listing.tools, options.servers)
  yield* update(options, () => ({
    state: "ready",
    reason: null,
    connection,
    discovered,
    listing: listing.diagnostics,
    connectMillis
  }))
  const count = `${discovered.tools.length} tools, ${discovered.rejected.length} rejected`
  yield* Effect.logInfo(`${options.config.name}: ready, ${count}, ${connectMillis} ms`)
})

const failed = Effect.fnUntraced(function*(options: Options, reason: McpErrorReason, log: typeof Effect.logWarning) {
  const before = yield* SubscriptionRef.get(options.snapshot)
  yield* update(options, () => ({ state: Snapshots.stateOf(reason), reason, connection: null }))
  // A server that is tried for ever says the same for ever; once is enough.
  const isNews = before.reason?.message !== reason.message
  yield* (isNews ? log : Effect.logDebug)(`${options.config.name}: ${reason.message}`)
})

const applyListing = (options: Options, listing: Listing) =>
  update(options, () => ({
    discovered: Discovery.judge(options.config, listing.tools, options.servers),
    listing: listing.diagnostics
  }))

const update = (options: Options, change: (snapshot: ServerSnapshot) => Partial<ServerSnapshot>) =>
  SubscriptionRef.update(options.snapshot, (snapshot) => ({ ...snapshot, ...change(snapshot) }))
