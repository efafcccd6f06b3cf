/**
 * Brings a call to the connection of its server: wakes what sleeps, waits for what is on its way, and sends once more what
 * an entry allows to be sent twice.
 */
import * as CallScope from "@boocode/mcp-client/CallScope"
import type { Connection } from "@boocode/mcp-client/Connection"
import type { ServerLog } from "@boocode/mcp-client/Host"
import { type McpErrorReason, NotReady, UnknownTool } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { CallOptions, CallResult } from "../model/McpTool.ts"
import type { InFlightCalls } from "../server/InFlightCalls.ts"
import type { ServerSnapshot, Standing } from "../server/ServerState.ts"
import type { WakeSignal } from "../server/WakeSignal.ts"
import * as Discovery from "../tools/Discovery.ts"
import type { CallLimits } from "./CallLimits.ts"
import type * as ProgressDelivery from "./ProgressDelivery.ts"
import * as Resend from "./Resend.ts"
import * as ServerCall from "./ServerCall.ts"

/** What calls are brought by. @category models */
export interface Options {
  readonly entry: ConfiguredServer
  readonly standing: Standing
  readonly wish: WakeSignal
  readonly flights: InFlightCalls
  /** The limits of calls, made when there is a first one. */
  readonly limits: CallLimits
  /** Runs what progress is told to. */
  readonly fork: ProgressDelivery.Fork
  readonly log: ServerLog.ServerLog
}

/** @category models */
export interface Ready {
  readonly config: ServerConfig
  readonly connection: Connection
}

/** Brings calls to one server. @category models */
export class Dispatch {
  private readonly options: Options
  private readonly permits: Semaphore.Semaphore | null

  constructor(options: Options) {
    this.options = options
    this.permits = permitsOf(options.entry.config)
  }

  /** Begins a call of a tool by its raw name; to be run at once. See `McpRegistry.call` for limits. */
  begin(
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    parting: CallScope.CallScope
  ): Effect.Effect<CallResult, McpErrorReason> {
    this.options.flights.join(parting)
    return this.permits === null
      ? this.send(tool, args, options, parting)
      : this.permits.withPermit(Effect.suspend(() => this.send(tool, args, options, parting)))
  }
  /** Runs something else on the connection of the server, which is woken for it as for a call. Has no limit of its own. */
  use<A>(run: (ready: Ready) => Effect.Effect<A, McpErrorReason>): Effect.Effect<A, McpErrorReason> {
    return this.inTurn(Effect.flatMap(this.connected, run))
  }
  /** The connection there is, or that comes of waking the server. To be asked for in flight. Fails with `NotReady`. */
  get connected(): Effect.Effect<Ready, McpErrorReason> {
    return Effect.flatMap(this.revived, ({ connection, reason, state }) => {
      const { config } = this.options.entry
      return connection !== null && Result.isSuccess(config)
        ? Effect.succeed({ config: config.success, connection })
        : Effect.fail(new NotReady({ state, why: reason?.message ?? null }))
    })
  }
  /** A server that sleeps, or is about to be tried again, is started now, once however many callers wait (R4, R47, R94). */
  private get revived(): Effect.Effect<ServerSnapshot> {
    return Effect.suspend(() => {
      const { standing, wish } = this.options
      const { now } = standing
      if (now.connection !== null || isLeftAlone(now)) return Effect.succeed(now)
      const revived = standing.until((later) =>
        later.connection !== null || later.attempts > now.attempts || isLeftAlone(later)
      )
      wish.say()
      return Effect.map(revived, () => standing.now)
    })
  }
  // The connection is looked up when it is the call's turn: it may have been replaced while the call waited.
  private inTurn<A>(request: Effect.Effect<A, McpErrorReason>): Effect.Effect<A, McpErrorReason> {
    return this.options.flights.during(this.permits === null ? request : this.permits.withPermit(request))
  }
  private send(tool: string, args: Schema.JsonObject, options: CallOptions, parting: CallScope.CallScope) {
    const { entry, standing } = this.options
    const { connection } = standing.now
    return connection === null || Result.isFailure(entry.config)
      ? this.sendAfterWaiting(tool, args, options, parting)
      : this.sendOn({ config: entry.config.success, connection }, tool, args, options, parting)
  }
  private sendAfterWaiting(tool: string, args: Schema.JsonObject, options: CallOptions, parting: CallScope.CallScope) {
    return Effect.flatMap(
      this.connected,
      (ready) => Effect.flatMap(this.offered(tool), () => this.sendOn(ready, tool, args, options, parting))
    )
  }
  /** Sends a call once, or twice where its entry allows it. */
  private sendOn(
    { config, connection }: Ready,
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    parting: CallScope.CallScope
  ) {
    const { entry, fork, limits, standing } = this.options
    const call = { config, connection, tool, args, options, spent: limits.begin(), limits, fork, parting }
    if (!Resend.mayRepeat(entry, config, standing.now.discovered, tool)) return ServerCall.run(call)
    // What the first one began ends before the second begins.
    const first = CallScope.around<CallResult, McpErrorReason, never>((own) =>
      ServerCall.run({ ...call, parting: own })
    )
    return Effect.catchIf(first, Resend.isUncertain, (reason) => resend(this, this.options, call, reason))
  }
  /** What was listed meanwhile may have left it out, as pins do. */
  offered(tool: string): Effect.Effect<void, McpErrorReason> {
    return Effect.suspend(() => {
      const { rejected, tools } = this.options.standing.now.discovered
      if (tools.some((listed) => listed.tool === tool)) return Effect.void
      const left = rejected.find((listed) => listed.tool === tool)
      return Effect.fail(
        left === undefined ? new UnknownTool({ name: tool, nearest: [] }) : Discovery.whyLeft(left)
      )
    })
  }
}

const resend = Effect.fnUntraced(function*(
  dispatch: Dispatch,
  { limits, log, standing }: Options,
  call: ServerCall.Options,
  reason: McpErrorReason
) {
  const { config, connection, spent, tool } = call
  const left = limits.left(config.maxTotalTimeout, spent)
  const again = Option.getOrNull(yield* next(dispatch, standing, connection, left))
  if (again === null) return yield* Effect.fail(reason)
  yield* Effect.mapError(dispatch.offered(tool), () => reason)
  yield* Resend.tell(log, config.name, tool, reason)
  return yield* Effect.mapError(ServerCall.run({ ...call, ...again }), Resend.asSecond)
})

/** None where there is none before the call has had all the time it may take. */
const next = Effect.fnUntraced(function*(
  dispatch: Dispatch,
  standing: Standing,
  lost: Connection,
  limit: Duration.Input
) {
  const gone = standing.until(({ connection }) => connection !== lost)
  // A broken exchange need not be the end of a connection over HTTP.
  yield* Effect.timeoutOption(gone, Resend.GRACE)
  return Option.flatten(yield* Effect.timeoutOption(Effect.option(dispatch.connected), limit))
})

/** Nothing that a caller does, or waits for, makes it run. */
const isLeftAlone = ({ connection, retry }: ServerSnapshot): boolean =>
  connection === null && (retry === "none" || retry === "slowly")

const permitsOf = (config: ConfiguredServer["config"]): Semaphore.Semaphore | null =>
  Result.isSuccess(config) && config.success.maxConcurrency !== null
    ? Semaphore.makeUnsafe(config.success.maxConcurrency)
    : null
