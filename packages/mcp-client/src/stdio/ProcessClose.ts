/** The order and the times in which a server program and everything it started go away (Decision 6). */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ProcessTarget, ProcessTree } from "../host/ProcessTree.ts"

/** From the end of input to SIGTERM. */
export const INPUT_GRACE = Duration.millis(500)
/** From SIGTERM to SIGKILL. */
const TERM_GRACE = Duration.seconds(5)
/** How long after SIGKILL the system may take. */
const KILL_GRACE = Duration.millis(400)

const FIRST_LOOK = 5
const SLOWEST_LOOK = 200

export interface Closing {
  readonly tree: ProcessTree["Service"]
  readonly target: ProcessTarget
  /** Waits until the started process itself has ended. */
  readonly exited: Effect.Effect<unknown>
  readonly endInput: Effect.Effect<void>
}

/**
 * Notes what there is, ends the input, then signals until nothing is left. Takes 6 s at most, and returns as soon as all is gone.
 */
export const close = Effect.fnUntraced(function*(closing: Closing) {
  // A process that its parent leads to now may have no parent a moment later.
  yield* closing.tree.note(closing.target)
  yield* closing.endInput
  if (yield* isGoneWithin(closing, INPUT_GRACE)) return
  yield* closing.tree.signal(closing.target, "SIGTERM")
  if (yield* isGoneWithin(closing, TERM_GRACE)) return
  yield* closing.tree.signal(closing.target, "SIGKILL")
  if (yield* isGoneWithin(closing, KILL_GRACE)) return
  yield* Effect.logWarning(`processes of group ${closing.target.pid} are still there after SIGKILL`)
})

const isGoneWithin = (closing: Closing, limit: Duration.Duration): Effect.Effect<boolean> =>
  closing.exited.pipe(Effect.andThen(isEmpty(closing)), Effect.timeoutOption(limit), Effect.map(Option.isSome))

/** A scan of all processes costs milliseconds, so looks become rarer. */
const isEmpty = Effect.fnUntraced(function*({ target, tree }: Closing) {
  let wait = FIRST_LOOK
  while ((yield* tree.alive(target)) > 0) {
    yield* Effect.sleep(wait)
    wait = Math.min(wait * 2, SLOWEST_LOOK)
  }
})
