/** Something that waits for a person. It is answered once, or ends without an answer. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A request that waits for an answer of type `A`. Its members run one at a time, each to its end. */
export interface PendingAnswer<A> {
  /** Shows the request, unless it is over already. */
  readonly show: Effect.Effect<void>
  /** Takes the answer that `decide` makes, and tells it. `decide` gets the answer that holds already, or null. */
  readonly reply: <E>(decide: (settled: A | null) => Effect.Effect<A, E>) => Effect.Effect<void, E>
  /** Ends it without a person, unless there is an answer. Gives the answer that holds; nothing is told after it. */
  readonly end: (answer: A) => Effect.Effect<A>
  /** The answer that holds; `expired` when none came within the limit. */
  readonly answered: (limit: Duration.Input, expired: A) => Effect.Effect<A>
}

/**
 * `tell` is run for each answer to a request that was shown. With `isShown` an earlier run of the program showed it.
 */
export const make = <A>({ isShown: wasShown = false, show, tell }: {
  readonly show: Effect.Effect<void>
  readonly tell: (answer: A) => Effect.Effect<void>
  readonly isShown?: boolean
}): PendingAnswer<A> => {
  const turns = Semaphore.makeUnsafe(1)
  const done = Deferred.makeUnsafe<A>()
  let isShown = wasShown

  const alone = <B, E>(effect: Effect.Effect<B, E>) => Effect.uninterruptible(turns.withPermit(effect))
  const settled = Effect.suspend(() => Deferred.isDoneUnsafe(done) ? Deferred.await(done) : Effect.succeed(null))
  const settle = (answer: A) =>
    Effect.andThen(
      Effect.suspend(() => isShown ? tell(answer) : Effect.void),
      Effect.as(Deferred.succeed(done, answer), answer)
    )
  const end = (answer: A) =>
    alone(Effect.flatMap(settled, (before) => before === null ? settle(answer) : Effect.succeed(before)))

  return {
    show: alone(Effect.suspend(() => {
      if (isShown || Deferred.isDoneUnsafe(done)) return Effect.void
      isShown = true
      return show
    })),
    reply: (decide) => Effect.asVoid(alone(Effect.flatMap(Effect.flatMap(settled, decide), settle))),
    end,
    answered: (limit, expired) =>
      Effect.timeoutOrElse(Deferred.await(done), { duration: limit, orElse: () => end(expired) })
  }
}
