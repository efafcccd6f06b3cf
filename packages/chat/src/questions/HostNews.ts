/**
 * The questions outside chats, for whoever listens; and whether anybody does.
 */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import type { OpenQuestion } from "./Question.ts"
import type { Place } from "./WaitingQuestion.ts"

/** A question that belongs to no chat, or the end of one. @category models */
export type HostChange =
  | ({ readonly type: "question" } & OpenQuestion)
  | { readonly type: "question-answer"; readonly id: string }

/** @category models */
export interface HostNews {
  readonly place: Place
  /** What waits, then each change. Whoever is more than 1024 behind misses the oldest. */
  readonly changes: Stream.Stream<HostChange>
  /** Whether somebody listens; waits 2 s for them, since a page may just be loading. */
  readonly isHeard: Effect.Effect<boolean>
}

const GRACE = "2 seconds"
/** A page that is loaded again, or a computer that changes its network, is back by then. */
const ABSENCE = "30 seconds"

/**
 * News that nobody listens to yet; `open` is what waits, in chats too.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  open: Effect.Effect<ReadonlyArray<OpenQuestion>>
): Effect.fn.Return<HostNews> {
  const news = yield* PubSub.sliding<HostChange>(1024)
  let listeners = 0
  let arrived = Deferred.makeUnsafe<void>()
  let left = Deferred.makeUnsafe<void>()
  const heardWithin = (limit: Duration.Input) =>
    Effect.suspend(() => Deferred.await(arrived)).pipe(Effect.timeoutOption(limit), Effect.map(Option.isSome))
  const deserted: Effect.Effect<void> = Effect.suspend(() => Deferred.await(left)).pipe(
    Effect.andThen(heardWithin(ABSENCE)),
    Effect.flatMap((isHeard) => isHeard ? deserted : Effect.void)
  )
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      listeners++
      if (listeners === 1) left = Deferred.makeUnsafe()
      Deferred.doneUnsafe(arrived, Effect.void)
    }),
    () =>
      Effect.sync(() => {
        listeners--
        if (listeners > 0) return
        arrived = Deferred.makeUnsafe()
        Deferred.doneUnsafe(left, Effect.void)
      })
  )
  const waiting = Effect.map(
    open,
    (all) =>
      all.flatMap((question): ReadonlyArray<HostChange> =>
        question.chat === null ? [{ type: "question", ...question }] : []
      )
  )
  return {
    place: {
      tell: (question) => Effect.asVoid(PubSub.publish(news, { type: "question", ...question })),
      tellAnswer: ({ id }) => Effect.asVoid(PubSub.publish(news, { type: "question-answer", id })),
      deserted
    },
    changes: Stream.unwrap(Effect.gen(function*() {
      // Before what waits is read: a question that comes in between is told twice rather than never.
      const later = yield* PubSub.subscribe(news)
      yield* listen
      return Stream.concat(Stream.fromIterable(yield* waiting), Stream.fromSubscription(later))
    })),
    isHeard: heardWithin(GRACE)
  }
})
