/**
 * The questions outside chats, for whoever listens; and whether anybody does.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
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
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      listeners++
      Deferred.doneUnsafe(arrived, Effect.void)
    }),
    () =>
      Effect.sync(() => {
        listeners--
        if (listeners === 0) arrived = Deferred.makeUnsafe()
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
      tellAnswer: ({ id }) => Effect.asVoid(PubSub.publish(news, { type: "question-answer", id }))
    },
    changes: Stream.unwrap(Effect.gen(function*() {
      // Before what waits is read: a question that comes in between is told twice rather than never.
      const later = yield* PubSub.subscribe(news)
      yield* listen
      return Stream.concat(Stream.fromIterable(yield* waiting), Stream.fromSubscription(later))
    })),
    isHeard: Effect.suspend(() => Deferred.await(arrived)).pipe(
      Effect.timeoutOption(GRACE),
      Effect.map(({ _tag }) => _tag === "Some")
    )
  }
})
