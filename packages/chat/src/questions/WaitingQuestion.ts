/**
 * One question that waits for a person: it is answered once, or ends without an answer.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { OpenQuestion, QuestionAnswer, QuestionReply } from "./Question.ts"
import { QuestionClosed, type UnusableAnswer } from "./QuestionError.ts"
import * as Reply from "./Reply.ts"

/** Where a question is asked: a turn of a chat, or outside chats. Nothing of this is interrupted half-way. @category models */
export interface Place {
  readonly tell: (question: OpenQuestion) => Effect.Effect<void>
  /** Only about questions that were told. */
  readonly tellAnswer: (answer: QuestionAnswer) => Effect.Effect<void>
  /** Done when nobody is there any more to answer. */
  readonly deserted: Effect.Effect<void>
}

/** @category models */
export interface WaitingQuestion {
  readonly question: OpenQuestion
  /** Shows it, unless it is over already. */
  readonly tell: Effect.Effect<void>
  /** Takes the answer: when this is done it is told, and the call goes on. */
  readonly reply: (reply: QuestionReply) => Effect.Effect<void, QuestionClosed | UnusableAnswer>
  /** What became of it. */
  readonly answered: Effect.Effect<QuestionAnswer>
  /** Ends it without a person, unless there is an answer: when this is done, nothing is told about it any more. */
  readonly end: (action: QuestionAnswer["action"], reason: string) => Effect.Effect<QuestionAnswer>
}

/**
 * A question that waits from now on.
 *
 * @category constructors
 */
export const make = (question: OpenQuestion, place: Place): WaitingQuestion => {
  const { id } = question
  const writing = Semaphore.makeUnsafe(1)
  const done = Deferred.makeUnsafe<QuestionAnswer>()
  let isTold = false
  let answer: QuestionAnswer | null = null

  const settle = Effect.fnUntraced(function*(given: QuestionAnswer) {
    answer = given
    if (isTold) yield* place.tellAnswer(given)
    yield* Deferred.succeed(done, given)
    return given
  })
  const reply = Effect.fnUntraced(function*(given: QuestionReply) {
    if (answer !== null) return yield* new QuestionClosed({ id, action: answer.action })
    yield* settle(yield* Reply.answerOf(question, given))
  })
  /** One at a time, each to its end. */
  const alone = <A, E>(effect: Effect.Effect<A, E>) => Effect.uninterruptible(writing.withPermit(effect))

  return {
    question,
    tell: alone(Effect.suspend(() => {
      if (answer !== null) return Effect.void
      isTold = true
      return place.tell(question)
    })),
    reply: (given) => alone(reply(given)),
    answered: Deferred.await(done),
    end: (action, reason) =>
      alone(
        Effect.suspend(() => answer === null ? settle({ id, action, content: null, reason }) : Effect.succeed(answer))
      )
  }
}
