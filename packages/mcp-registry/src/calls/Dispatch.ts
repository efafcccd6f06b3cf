/**
 * Brings a call to the connection of its server: wakes one that sleeps, waits for one that is connecting again, and sends a
 * call once more where the entry allows it.
 */
import * as CallScope from "@boocode/mcp-client/CallScope"
import type { Connection } from "@boocode/mcp-client/Connection"
import type { ServerLog } from "@boocode/mcp-client/Host"
import { type McpErrorReason, NotReady, OutcomeUnknown, UnknownTool } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer, ServerConfig } from "@boocode/mcp-config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isBelieved } from "../model/EntryTrust.ts"
import type { CallOptions, CallResult } from "../model/McpTool.ts"
import * as ToolClass from "../model/ToolClass.ts"
import type { InFlightCalls } from "../state/InFlightCalls.ts"
import * as RestartPolicy from "../state/RestartPolicy.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"
import * as Discovery from "../tools/Discovery.ts"
import type { Discovered } from "../tools/Discovery.ts"
import type { CallLimits, Spent } from "./CallLimits.ts"
import type { Fork } from "./ProgressDelivery.ts"
import * as ServerCall from "./ServerCall.ts"

export interface Ready {
  readonly config: ServerConfig
  readonly connection: Connection
}

export interface Dispatch {
  /**
   * Begins a call of a tool by its raw name; to be run at once. See `McpRegistry.call` for limits. `spent` is the time that
   * the call had at a server whose place this one takes.
   */
  readonly begin: (
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    scope: CallScope.CallScope,
    spent?: Spent
  ) => Effect.Effect<CallResult, McpErrorReason>
  /**
   * Runs a request that only reads on the connection; the server is woken for it as for a call. One whose server goes on
   * elsewhere meanwhile runs once more there, after the entry's `timeout` at most. Has no other limit of its own.
   */
  readonly use: <A>(run: (ready: Ready) => Effect.Effect<A, McpErrorReason>) => Effect.Effect<A, McpErrorReason>
  /** The connection, after waking the server where it sleeps, or waiting while it connects. Fails with `NotReady`. */
  readonly connected: Effect.Effect<Ready, McpErrorReason>
}

export interface Options {
  readonly entry: ConfiguredServer
  readonly state: StateRef.StateRef
  /** Opened when a caller wants the server to run. */
  readonly wake: Latch.Latch
  readonly calls: InFlightCalls
  readonly limits: CallLimits
  readonly fork: Fork
  readonly log: ServerLog.ServerLog
}

export const make = ({ calls, entry, fork, limits, log, state, wake }: Options): Dispatch => {
  const configured = Result.getOrNull(entry.config)
  const most = configured?.maxConcurrency ?? null
  const permits = most === null ? null : Semaphore.makeUnsafe(most)

  /** Waits for a connection that is on its way, and hastens it, once however many callers wait (R4, R47, R94). */
  const revived = Effect.suspend(() => {
    const before = StateRef.now(state)
    if (ServerState.isSettled(before)) return Effect.succeed(before)
    wake.openUnsafe()
    return Effect.map(
      StateRef.until(
        state,
        (later) => ServerState.isSettled(later) || (later.failures > before.failures && !isMoving(later))
      ),
      () => StateRef.now(state)
    )
  })
  const connected = Effect.flatMap(revived, (now): Effect.Effect<Ready, McpErrorReason> => {
    const connection = ServerState.connectionOf(now)
    return connection !== null && configured !== null
      ? Effect.succeed({ config: configured, connection })
      : Effect.fail(
        new NotReady({ state: ServerState.stateOf(now), why: ServerState.reasonOf(now)?.message ?? null })
      )
  })
  /** The tools may have been listed again since the call began, and pins may have left this one out. */
  const offered = (
    tool: string,
    { writes = false }: CallOptions,
    before: Discovered
  ): Effect.Effect<void, McpErrorReason> =>
    Effect.suspend(() => {
      const { discovered } = StateRef.now(state)
      if (!writes && isWriterOf(discovered, tool) && !isWriterOf(before, tool)) {
        return Effect.fail(ToolClass.nowWrites(entry.name, tool))
      }
      if (Discovery.offers(discovered, tool, writes)) return Effect.void
      const left = discovered.rejected.find((listed) => listed.tool === tool)
      return Effect.fail(left === undefined ? new UnknownTool({ name: tool, nearest: [] }) : Discovery.whyLeft(left))
    })
  /** None where there is none before the call has had all the time it may take. */
  const nextReady = Effect.fnUntraced(function*(lost: Connection, limitMillis: number) {
    const gone = StateRef.until(state, (now) => ServerState.connectionOf(now) !== lost)
    // A broken exchange need not be the end of a connection over HTTP.
    yield* Effect.timeoutOption(gone, GRACE)
    return Option.flatten(yield* Effect.timeoutOption(Effect.option(connected), limitMillis))
  })
  /** A call that was not sent begins anew as often as its server moves, within the time of the call. */
  const resend = Effect.fnUntraced(function*(
    call: ServerCall.Options,
    reason: McpErrorReason,
    before: Discovered
  ): Effect.fn.Return<CallResult, McpErrorReason> {
    const { config: { maxTotalTimeout, name }, connection, options, spent, tool } = call
    const again = Option.getOrNull(yield* nextReady(connection, limits.left(maxTotalTimeout, spent)))
    if (again === null) return yield* Effect.fail(reason)
    yield* Effect.mapError(offered(tool, options, before), () => reason)
    yield* tell(log, name, tool, reason)
    const next = { ...call, ...again }
    return yield* Effect.catchIf(
      Effect.mapError(attempted(next), asSecond),
      isBeforeMove,
      (moved) => resend(next, moved, before)
    )
  })
  /** One attempt ends before the next begins. */
  const attempted = (call: ServerCall.Options) =>
    CallScope.around<CallResult, McpErrorReason, never>((own) => ServerCall.run({ ...call, scope: own }))
  /** A request that only reads may be made twice, whatever became of it where its server was. */
  const afterMove = <A>(
    { config: { timeout }, connection }: Ready,
    run: (ready: Ready) => Effect.Effect<A, McpErrorReason>,
    reason: McpErrorReason
  ) =>
    Effect.flatMap(
      nextReady(connection, Duration.toMillis(timeout)),
      Option.match({ onNone: () => Effect.fail(reason), onSome: run })
    )
  const sendOn = (
    ready: Ready,
    tool: string,
    args: Schema.JsonObject,
    options: CallOptions,
    scope: CallScope.CallScope,
    spent = limits.begin()
  ) => {
    const { config, connection } = ready
    const call = { config, connection, tool, args, options, spent, limits, fork, scope }
    const { discovered, entry: now } = StateRef.now(state)
    const repeats = mayRepeat(now, discovered, tool)
    // The process of such a server is another node's: it may move while the call is on its way.
    const mayMove = connection.pid === null && !RestartPolicy.isRemote(config)
    if (!repeats && !mayMove) return ServerCall.run(call)
    return Effect.catchIf(
      attempted(call),
      repeats ? isUncertain : isBeforeMove,
      (reason) => resend(call, reason, discovered)
    )
  }
  const send: Dispatch["begin"] = (tool, args, options, scope, spent) => {
    const now = StateRef.now(state)
    const connection = ServerState.connectionOf(now)
    return connection === null || configured === null
      ? Effect.flatMap(
        Effect.tap(connected, offered(tool, options, now.discovered)),
        (ready) => sendOn(ready, tool, args, options, scope, spent)
      )
      : sendOn({ config: configured, connection }, tool, args, options, scope, spent)
  }
  // The connection is looked up when it is the call's turn: it may have been replaced while the call waited.
  const inTurn = <A>(request: Effect.Effect<A, McpErrorReason>) =>
    permits === null ? request : permits.withPermit(request)
  return {
    connected,
    begin: (tool, args, options, scope, spent) => {
      calls.join(scope)
      return permits === null
        ? send(tool, args, options, scope, spent)
        : inTurn(Effect.suspend(() => send(tool, args, options, scope, spent)))
    },
    use: (run) =>
      calls.during(
        inTurn(Effect.flatMap(connected, (ready) =>
          Effect.catchIf(run(ready), RestartPolicy.isMoved, (reason) =>
            afterMove(ready, run, reason))))
      )
  }
}

/** Whether it is about to be connected to in another place, so that waiting goes on. */
const isMoving = (state: ServerState.ServerState): boolean => {
  const reason = ServerState.reasonOf(state)
  return reason !== null && RestartPolicy.isMoved(reason)
}

/** How long the end of a connection may take to be known, once a call of it failed. */
const GRACE = "300 millis"

/**
 * Whether an entry lets a tool be called twice for one call (docs/decisions.md#decision-8-nothing-is-sent-twice): it says
 * so itself, and the tool that doing it again does no harm. Tools of project files are not believed: their server could
 * say so of anything (R73).
 */
const mayRepeat = (entry: ConfiguredServer, { tools }: Discovered, tool: string): boolean => {
  const { retry, trustAnnotations } = Result.getOrElse(entry.config, () => NEVER)
  const known = tools.find((one) => one.tool === tool)
  if (retry !== "idempotent" || !trustAnnotations || !isBelieved(entry) || known === undefined) return false
  const { idempotentHint, readOnlyHint } = known.annotations
  return idempotentHint === true || (readOnlyHint === true && !ToolClass.isWriter(known.class))
}

/** Whether it is a tool that is called, and that writes. */
const isWriterOf = ({ tools }: Discovered, tool: string): boolean =>
  tools.some((one) => one.tool === tool && ToolClass.isWriter(one.class))

const NEVER = { retry: "never", trustAnnotations: false } as const

/** Whether the outcome of a call is unknown, or it was not sent. A limit that was exceeded is an answer. */
const isUncertain = (reason: McpErrorReason): boolean =>
  reason._tag === "OutcomeUnknown" || (reason._tag === "ConnectionLost" && reason.unsent === true)

/** Whether the call came too late to where its server was, and was not sent. */
const isBeforeMove = (reason: McpErrorReason): boolean =>
  reason._tag === "ConnectionLost" && reason.unsent === true && reason.isMoved === true

/** Says that a call is sent again, and why. */
const tell = (log: ServerLog.ServerLog, server: string, tool: string, why: McpErrorReason) => {
  const text = `${tool} is called a second time: ${why.message}`
  return Effect.andThen(Effect.logInfo(`${server}: ${text}`), log.append("event", text))
}

/** A second failure of the same kind, in the words that fit it. */
const asSecond = (reason: McpErrorReason): McpErrorReason =>
  reason._tag === "OutcomeUnknown"
    ? new OutcomeUnknown({ tool: reason.tool, why: reason.why, isRepeated: true })
    : reason
