/** The questions outside chats, for the people who listen. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { OpenQuestion } from "../model/Question.ts"
import type { Place } from "./PendingQuestions.ts"

/** A question that belongs to no chat, or the end of one. */
export type HostChange =
  | ({ readonly type: "question" } & OpenQuestion)
  | { readonly type: "question-answer"; readonly id: string }

export interface HostQuestions {
  readonly place: Place
  /** The questions that wait, then each change. A listener who is more than 1024 changes behind misses the oldest. */
  readonly changes: Stream.Stream<HostChange>
  /** Whether somebody listens. Waits 2 s for them: a page may just be loading. */
  readonly isHeard: Effect.Effect<boolean>
}

const GRACE = "2 seconds"
/** A page that is loaded again, or a computer that changes its network, is back by then. */
const ABSENCE = "30 seconds"

/** Makes the questions of one person. `open` gives those that wait, in chats and outside. */
export const make = Effect.fnUntraced(function*(
  open: Effect.Effect<ReadonlyArray<OpenQuestion>>
): Effect.fn.Return<HostQuestions> {
  const told = yield* PubSub.sliding<HostChange>(1024)
  const listeners = yield* SubscriptionRef.make(0)

  const until = (isIt: (count: number) => boolean) =>
    Stream.runHead(Stream.filter(SubscriptionRef.changes(listeners), isIt))
  const heardWithin = (limit: Duration.Input) =>
    Effect.map(Effect.timeoutOption(until((count) => count > 0), limit), Option.isSome)
  const deserted: Effect.Effect<void> = until((count) => count === 0).pipe(
    Effect.andThen(heardWithin(ABSENCE)),
    Effect.flatMap((isHeard) => isHeard ? deserted : Effect.void)
  )
  const listen = Effect.acquireRelease(
    SubscriptionRef.update(listeners, (count) => count + 1),
    () => SubscriptionRef.update(listeners, (count) => count - 1)
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
      tell: (question) => Effect.asVoid(PubSub.publish(told, { type: "question", ...question })),
      tellAnswer: ({ id }) => Effect.asVoid(PubSub.publish(told, { type: "question-answer", id })),
      deserted,
      whyOver: () => null
    },
    changes: Stream.unwrap(Effect.gen(function*() {
      // Before what waits is read: a question that comes in between is told twice rather than never.
      const later = yield* PubSub.subscribe(told)
      yield* listen
      return Stream.concat(Stream.fromIterable(yield* waiting), Stream.fromSubscription(later))
    })),
    isHeard: heardWithin(GRACE)
  }
})
