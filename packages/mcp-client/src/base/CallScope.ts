/**
 * The work that is due when a call is over, however it ends. Each part of its way adds its own as it begins, and one
 * hook does all of it: a hook for each would cost more than the work.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** How a call ends. */
export interface CallScope<A = unknown> {
  /** Is done once when the call is over, what was said last first. It must not throw. */
  readonly add: (leave: Leave<A>) => void
}

export type Leave<A> = (exit: Exit.Exit<A, unknown>) => void

/**
 * Runs something whose parts begin in one step: an interruption may come between any two steps, but none before its end is
 * sure to be noticed.
 */
export const around = <A, E, R>(
  begin: (parting: CallScope<A>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const leaving = new Leaving<A>()
    return Effect.onExitPrimitive(Effect.suspend(() => begin(leaving)), (exit) => leaving.over(exit))
  })

class Leaving<A> implements CallScope<A> {
  private readonly leaves: Array<Leave<A>> = []

  add(leave: Leave<A>): void {
    this.leaves.push(leave)
  }
  over(exit: Exit.Exit<A, unknown>): undefined {
    for (let leave = this.leaves.pop(); leave !== undefined; leave = this.leaves.pop()) leave(exit)
    return undefined
  }
}
