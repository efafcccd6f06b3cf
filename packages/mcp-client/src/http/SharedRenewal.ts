/** Lets fibers that want the same work at the same time share one run of it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export interface SharedRenewal<A, E> {
  /** Joins the run that is under way, or begins one. */
  readonly run: (work: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Waits until no run is under way; false when there was none. */
  readonly settled: Effect.Effect<boolean>
}

/**
 * Each run has a fiber of its own, which `fork` starts: the caller that began the run may be interrupted before its end.
 * Uninterruptible between noting a run and starting it, or everybody would wait for nothing.
 */
export const make = <A, E>(
  fork: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
): SharedRenewal<A, E> => {
  let running: Deferred.Deferred<A, E> | null = null
  const begin = (work: Effect.Effect<A, E>) => {
    const begun = running = Deferred.makeUnsafe<A, E>()
    const over = Effect.sync(() => {
      running = null
    })
    return Effect.as(fork(Deferred.into(Effect.ensuring(work, over), begun)), Deferred.await(begun))
  }
  return {
    run: (work) =>
      Effect.flatten(
        Effect.uninterruptible(
          Effect.suspend(() => running === null ? begin(work) : Effect.succeed(Deferred.await(running)))
        )
      ),
    settled: Effect.suspend(() =>
      running === null ? Effect.succeed(false) : Effect.as(Effect.exit(Deferred.await(running)), true)
    )
  }
}
