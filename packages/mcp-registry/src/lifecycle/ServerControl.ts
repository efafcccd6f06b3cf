/** Starts and stops one server: one change at a time, and no change is left half done when the caller goes away. */
import type { ServerLog } from "@boocode/mcp-client/Host"
import { AlreadyRunning, type McpErrorReason, NotRunning } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as AttemptFailure from "../state/AttemptFailure.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"

export interface ServerControl {
  /** Begins the life of an enabled entry. */
  readonly open: Effect.Effect<void>
  /** Fails with `AlreadyRunning`, or with what keeps it from being started. */
  readonly start: Effect.Effect<void, McpErrorReason>
  /** Answers when nothing runs any more. Fails with `NotRunning`. */
  readonly stop: Effect.Effect<void, McpErrorReason>
  /** Stops it if it runs, then starts it. An entry that cannot be started is only stopped. */
  readonly restart: Effect.Effect<void, McpErrorReason>
  /** Makes another change while none of these is under way. */
  readonly changing: <A, E>(change: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface Options {
  readonly entry: ConfiguredServer
  readonly state: StateRef.StateRef
  readonly log: ServerLog.ServerLog
  /** The life of the server, which ends by interruption. `isWanted`: somebody asked for the start. Null: it has none. */
  readonly lead: ((isWanted: boolean) => Effect.Effect<void>) | null
}

/** When the scope closes, the server is closed for good, and nothing of it is left. */
export const make = Effect.fnUntraced(function*(
  { entry, lead, log, state }: Options
): Effect.fn.Return<ServerControl, never, Scope.Scope> {
  const turn = Semaphore.makeUnsafe(1)
  // It ends the life that runs when the scope closes, and begins none after that.
  const life = yield* FiberHandle.make<void>()
  // The events of an end come before it, so that no call finds a connection that is about to close.
  yield* Effect.addFinalizer(() => StateRef.send(state, { _tag: "Closed" }))

  const changing = <A, E>(change: Effect.Effect<A, E>) => turn.withPermit(Effect.uninterruptible(change))
  const begin = (led: Effect.Effect<void>) =>
    Effect.asVoid(FiberHandle.run(life, Effect.catchCause(led, (cause) => StateRef.send(state, broken(cause)))))
  const ended = FiberHandle.clear(life)
  const stopped = Effect.andThen(
    StateRef.send(state, { _tag: "Stopped" }),
    Effect.andThen(ended, log.append("event", "stopped"))
  )
  const launched = Effect.suspend((): Effect.Effect<void, McpErrorReason> => {
    const obstacle = ServerState.obstacle(StateRef.now(state).entry)
    if (obstacle !== null || lead === null) return Effect.fail(obstacle ?? new NotRunning({ state: "failed" }))
    return Effect.andThen(
      ended,
      Effect.flatMap(
        // The scope may have closed while the old process ended.
        StateRef.sendIf(state, { _tag: "Launched" }, ({ phase }) => phase._tag !== "Closed"),
        // Nor does a handle begin anything that closed meanwhile.
        (isLaunched) => isLaunched ? Effect.catchCause(begin(lead(true)), () => GONE) : GONE
      )
    )
  })
  const stateNow = () => ServerState.stateOf(StateRef.now(state))
  const isRunning = () => RUNNING.has(stateNow()) && ServerState.obstacle(entry) === null

  return {
    changing,
    open: Effect.suspend(() => lead !== null && stateNow() === "connecting" ? begin(lead(false)) : Effect.void),
    start: changing(Effect.suspend(() => {
      const now = stateNow()
      return now === "connecting" || now === "ready" ? Effect.fail(new AlreadyRunning({ state: now })) : launched
    })),
    stop: changing(
      Effect.suspend(() => isRunning() ? stopped : Effect.fail(new NotRunning({ state: stateNow() })))
    ),
    restart: changing(Effect.suspend(() => isRunning() ? Effect.andThen(stopped, launched) : launched))
  }
})

const GONE = Effect.fail(new NotRunning({ state: "stopped" }))

/** A life that breaks by a defect of ours must not leave its server connecting for ever. */
const broken = (cause: Cause.Cause<never>): ServerState.ServerEvent => ({
  _tag: "Lost",
  reason: AttemptFailure.ofCause(cause, AttemptFailure.UNKNOWN),
  steps: null,
  isTriedAgain: false
})

/** A failed server is running as far as stopping goes: it may be about to be tried again. */
const RUNNING: ReadonlySet<ServerStatus["state"]> = new Set(["connecting", "ready", "failed", "needs-auth"] as const)
