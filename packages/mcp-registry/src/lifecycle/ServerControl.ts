/** Starts and stops one server: one change at a time, and no change is left half done when the caller goes away. */
import type { ServerLog } from "@boocode/mcp-client/Host"
import { AlreadyRunning, type McpErrorReason, NotRunning } from "@boocode/mcp-client/McpError"
import type { ConfiguredServer } from "@boocode/mcp-config"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import type { Fork } from "../calls/ProgressDelivery.ts"
import type { ServerStatus } from "../model/ServerStatus.ts"
import * as AttemptFailure from "../state/AttemptFailure.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"

export interface ServerControl {
  /** Begins the life of an enabled entry. */
  readonly open: Effect.Effect<void>
  /** Ends it for good. Answers when nothing of the server is left. */
  readonly close: Effect.Effect<void>
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
  /** The life runs in it. Runs nothing once the scope of the server has closed. */
  readonly fork: Fork
  /** The life of the server, which ends by interruption. `isWanted`: somebody asked for the start. Null: it has none. */
  readonly lead: ((isWanted: boolean) => Effect.Effect<void>) | null
}

export const make = ({ entry, fork, lead, log, state }: Options): ServerControl => {
  const turn = Semaphore.makeUnsafe(1)
  let life: Fiber.Fiber<void> | null = null

  const changing = <A, E>(change: Effect.Effect<A, E>) => turn.withPermit(Effect.uninterruptible(change))
  // In one step, so that no life begins that an end does not know.
  const begin = (led: Effect.Effect<void>) =>
    Effect.sync(() => {
      life = fork(Effect.catchCause(led, (cause) => StateRef.send(state, broken(cause))))
    })
  const ended = Effect.suspend(() => life === null ? Effect.void : Fiber.interrupt(life))
  const stopped = Effect.suspend(() =>
    // The event comes first, so that no call finds a connection that is about to close.
    Effect.andThen(StateRef.send(state, { _tag: "Stopped" }), Effect.andThen(ended, log.append("event", "stopped")))
  )
  /** Ends its process for another one. Calls wait meanwhile, and its tools stay known, unless there will be no other. */
  const away = Effect.suspend(() =>
    ServerState.obstacle(StateRef.now(state).entry) !== null
      ? stopped
      : Effect.andThen(
        StateRef.send(state, { _tag: "Launched" }),
        Effect.andThen(ended, log.append("event", "stopped"))
      )
  )
  const launched = Effect.suspend((): Effect.Effect<void, McpErrorReason> => {
    const obstacle = ServerState.obstacle(StateRef.now(state).entry)
    if (obstacle !== null || lead === null) return Effect.fail(obstacle ?? new NotRunning({ state: "failed" }))
    return Effect.andThen(
      ended,
      Effect.flatMap(
        // The scope may have closed while the old process ended.
        StateRef.sendIf(state, { _tag: "Launched" }, ({ phase }) => phase._tag !== "Closed"),
        (isLaunched) => isLaunched ? begin(lead(true)) : Effect.fail(new NotRunning({ state: "stopped" }))
      )
    )
  })
  const stateNow = () => ServerState.stateOf(StateRef.now(state))
  const isRunning = () => RUNNING.has(stateNow()) && ServerState.obstacle(entry) === null

  return {
    changing,
    open: Effect.suspend(() => lead !== null && stateNow() === "connecting" ? begin(lead(false)) : Effect.void),
    close: Effect.andThen(StateRef.send(state, { _tag: "Closed" }), ended),
    start: changing(Effect.suspend(() => {
      const now = stateNow()
      return now === "connecting" || now === "ready" ? Effect.fail(new AlreadyRunning({ state: now })) : launched
    })),
    stop: changing(
      Effect.suspend(() => isRunning() ? stopped : Effect.fail(new NotRunning({ state: stateNow() })))
    ),
    restart: changing(Effect.suspend(() => isRunning() ? Effect.andThen(away, launched) : launched))
  }
}

/** A life that breaks by a defect of ours must not leave its server connecting for ever. */
const broken = (cause: Cause.Cause<never>): ServerState.ServerEvent => ({
  _tag: "Lost",
  reason: AttemptFailure.ofCause(cause, AttemptFailure.UNKNOWN),
  steps: null,
  isTriedAgain: false
})

/** A failed server is running as far as stopping goes: it may be about to be tried again. */
const RUNNING: ReadonlySet<ServerStatus["state"]> = new Set(["connecting", "ready", "failed", "needs-auth"] as const)
