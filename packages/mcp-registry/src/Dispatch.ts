/**
 * Brings a call to the connection of its server: wakes what sleeps, waits for what is on its way, and sends once more what
 * an entry allows to be sent twice.
 */
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { CallLimits } from "./CallLimits.ts"
import type { Connection } from "./Connection.ts"
import * as Discovery from "./Discovery.ts"
import type { Flights } from "./Flights.ts"
import { type McpErrorReason, NotReady, UnknownTool } from "./McpError.ts"
import type { CallOptions, CallResult } from "./McpTool.ts"
import type * as ProgressTeller from "./ProgressTeller.ts"
import * as Resend from "./Resend.ts"
import * as ServerCall from "./ServerCall.ts"
import type * as ServerLog from "./ServerLog.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"

/** What calls are brought by. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  readonly wake: Queue.Enqueue<void>
  readonly flights: Flights
  readonly limits: CallLimits
  /** Runs what progress is told to. */
  readonly fork: ProgressTeller.Fork
  readonly log: ServerLog.ServerLog
}

/** @category models */
export interface Dispatch {
  /** Calls a tool by its raw name. See `McpRegistry.call` for limits. */
  readonly call: (
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions
  ) => Effect.Effect<CallResult, McpErrorReason>
  /** Runs something else on the connection of the server, which is woken for it as for a call. Has no limit of its own. */
  readonly use: <A>(run: (ready: Ready) => Effect.Effect<A, McpErrorReason>) => Effect.Effect<A, McpErrorReason>
  /** The connection there is, or that comes of waking the server. To be asked for in flight. Fails with `NotReady`. */
  readonly connected: Effect.Effect<Ready, McpErrorReason>
}

/** @category models */
export interface Ready {
  readonly config: ServerConfig
  readonly connection: Connection
}

/** @category constructors */
export const make = (options: Options): Dispatch => {
  const { entry, flights, fork, limits, snapshot, wake } = options
  const permits = permitsOf(entry.config)
  const read = SubscriptionRef.get(snapshot)

  /** A server that sleeps, or is about to be tried again, is started now, once however many callers wait (R4, R47, R94). */
  const revived = Effect.gen(function*() {
    const now = yield* read
    if (now.connection !== null || isLeftAlone(now)) return now
    yield* Queue.offer(wake, undefined)
    yield* SubscriptionRef.changes(snapshot).pipe(
      Stream.filter((later) => later.connection !== null || later.attempts > now.attempts || isLeftAlone(later)),
      Stream.runHead
    )
    return yield* read
  })
  const connected: Dispatch["connected"] = Effect.gen(function*() {
    const { connection, reason, state } = yield* revived
    if (connection !== null && Result.isSuccess(entry.config)) return { config: entry.config.success, connection }
    return yield* new NotReady({ state, why: reason?.message ?? null })
  })
  /** None where there is none before the call has had all the time it may take. */
  const next = Effect.fnUntraced(function*(lost: Connection, limit: Duration.Input) {
    const gone = Stream.runHead(
      Stream.filter(SubscriptionRef.changes(snapshot), ({ connection }) => connection !== lost)
    )
    // A broken exchange need not be the end of a connection over HTTP.
    yield* Effect.timeoutOption(gone, Resend.GRACE)
    return Option.flatten(yield* Effect.timeoutOption(Effect.option(connected), limit))
  })
  /** What was listed meanwhile may have left it out, as pins do. */
  const offered = Effect.fnUntraced(function*(tool: string) {
    const { rejected, tools } = (yield* read).discovered
    if (tools.some((listed) => listed.tool === tool)) return
    const left = rejected.find((listed) => listed.tool === tool)
    return yield* Effect.fail(
      left === undefined ? new UnknownTool({ name: tool, nearest: [] }) : Discovery.whyLeft(entry.name, left)
    )
  })
  /** Sends a call once, or twice where its entry allows it. */
  const sendOn = (ready: Ready, tool: string, args: Schema.JsonObject, callOptions: CallOptions) => {
    const call = { ...ready, tool, args, options: callOptions, spent: limits.begin(), limits, fork }
    const first = ServerCall.run(call)
    return Resend.mayRepeat(entry, ready.config, SubscriptionRef.getUnsafe(snapshot).discovered, tool)
      ? Effect.catchIf(first, Resend.isUncertain, (reason) => resend(call, reason))
      : first
  }
  const resend = Effect.fnUntraced(function*(call: ServerCall.Options, reason: McpErrorReason) {
    const { config, connection, spent, tool } = call
    const again = Option.getOrNull(yield* next(connection, limits.left(config.maxTotalTimeout, spent)))
    if (again === null) return yield* Effect.fail(reason)
    yield* Effect.mapError(offered(tool), () => reason)
    yield* Resend.tell(options.log, config.name, tool, reason)
    return yield* Effect.mapError(ServerCall.run({ ...call, ...again }), Resend.asSecond)
  })
  const afterWaiting = Effect.fnUntraced(
    function*(tool: string, args: Schema.JsonObject, callOptions: CallOptions) {
      const ready = yield* connected
      yield* offered(tool)
      return yield* sendOn(ready, tool, args, callOptions)
    }
  )
  const send = (tool: string, args: Schema.JsonObject, callOptions: CallOptions) =>
    Effect.suspend(() => {
      const { connection } = SubscriptionRef.getUnsafe(snapshot)
      return connection === null || Result.isFailure(entry.config)
        ? afterWaiting(tool, args, callOptions)
        : sendOn({ config: entry.config.success, connection }, tool, args, callOptions)
    })
  // The connection is looked up when it is the call's turn: it may have been replaced while the call waited.
  const inTurn = <A>(request: Effect.Effect<A, McpErrorReason>) =>
    flights.during(permits === null ? request : permits.withPermit(request))
  return {
    call: (tool, args, callOptions) => inTurn(send(tool, args, callOptions)),
    use: (run) => inTurn(Effect.flatMap(connected, run)),
    connected
  }
}

/** Nothing that a caller does, or waits for, makes it run. */
const isLeftAlone = ({ connection, retry }: ServerSnapshot): boolean =>
  connection === null && (retry === "none" || retry === "slowly")

const permitsOf = (config: ConfiguredServer["config"]): Semaphore.Semaphore | null =>
  Result.isSuccess(config) && config.success.maxConcurrency !== null
    ? Semaphore.makeUnsafe(config.success.maxConcurrency)
    : null
