/** The questions that wait, wherever they are asked, and for how long. */
import { ElicitationForm } from "@boocode/mcp-registry"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { OpenQuestion, Question, QuestionAnswer, QuestionReply } from "../model/Question.ts"
import { QuestionClosed, type ReplyRefused, UnknownQuestion, UnusableAnswer } from "../model/QuestionError.ts"

/** What is asked, before it has an id and a limit. */
export type Draft = Omit<Question, "id" | "expiresAt" | "isGranted">

/** What waits together: the questions of one call. */
export interface Group {
  readonly waiting: Set<WaitingQuestion>
  /** Why nothing may be asked any more; null while it may. */
  over: string | null
}

export const group = (): Group => ({ waiting: new Set(), over: null })

/** Cancels what waits in the group, and whatever is asked in it from now on, before anybody sees it. */
export const close = (group: Group, reason: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    group.over = reason
    return Effect.forEach([...group.waiting], (one) => one.end("cancel", reason), { discard: true })
  })

export interface PendingQuestions {
  /**
   * Asks and waits, 5 minutes at most. `granted` is why nobody has to be asked: then the question and a yes are told at
   * once. Interrupted, or ended through its group, it counts as cancelled; where its place is deserted, it is declined.
   */
  readonly ask: (asked: {
    readonly chat: string | null
    readonly draft: Draft
    readonly place: Place
    readonly group: Group
    readonly granted: string | null
  }) => Effect.Effect<QuestionAnswer>
  /** Answers one; it is told when this is done. */
  readonly reply: (id: string, reply: QuestionReply) => Effect.Effect<void, ReplyRefused>
  /** What waits, the oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<OpenQuestion>>
}

/** How long a person has. */
export const LIMIT_MINUTES = 5

/** Of how many questions it is remembered what became of them, for whoever answers too late. */
const REMEMBERED = 1000

/** Nothing waits yet. */
export const make = (): PendingQuestions => {
  const waiting = new Map<string, WaitingQuestion>()
  const over = new Map<string, QuestionAnswer["action"]>()

  const leave = (one: WaitingQuestion, group: Group) =>
    Effect.map(one.end("cancel", "the server took it back"), ({ action, id }) => {
      waiting.delete(id)
      group.waiting.delete(one)
      over.set(id, action)
      for (const old of over.keys()) if (over.size > REMEMBERED) over.delete(old)
    })

  return {
    ask: Effect.fnUntraced(function*({ chat, draft, granted, group, place }) {
      const id = yield* IdGenerator.defaultIdGenerator.generateId()
      const expiresAt = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes: LIMIT_MINUTES }))
      const one = makeWaitingQuestion({
        chat,
        id,
        ...draft,
        ...granted === null ? {} : { isGranted: true },
        expiresAt
      }, place)
      // Entered before it is told: whoever reads of it may answer at once.
      const enter = Effect.suspend((): Effect.Effect<unknown> => {
        if (group.over !== null) return one.end("cancel", group.over)
        waiting.set(id, one)
        group.waiting.add(one)
        return one.tell
      })
      const deserted = Effect.andThen(place.deserted, one.end("decline", "nobody is there any more"))
      const answered = Effect.timeoutOrElse(Effect.raceFirst(one.answered, deserted), {
        duration: `${LIMIT_MINUTES} minutes`,
        orElse: () => one.end("expired", `nobody answered within ${LIMIT_MINUTES} minutes`)
      })
      return yield* Effect.acquireUseRelease(
        enter,
        () => granted === null ? answered : one.end("accept", granted),
        () => leave(one, group)
      )
    }),
    reply: (id, reply) =>
      Effect.suspend((): Effect.Effect<void, ReplyRefused> => {
        const action = over.get(id)
        const one = waiting.get(id)
        if (one !== undefined) return one.reply(reply)
        return action === undefined ? new UnknownQuestion({ id }) : new QuestionClosed({ id, action })
      }),
    open: Effect.sync(() => [...waiting.values()].map(({ question }) => question))
  }
}

/** The answer that a reply is, a form's defaults included. Fails with what is wrong with each field of a form. */
export const answerOf = (
  { id, kind, schema }: Question,
  { action, content, scope }: QuestionReply
): Effect.Effect<QuestionAnswer, UnusableAnswer> => {
  const answer = { id, action, content: null, reason: null }
  if (action !== "accept" || kind === "url") return Effect.succeed(answer)
  if (kind === "sampling") return Effect.succeed({ ...answer, scope: scope ?? "once" })
  const fitting = ElicitationForm.validate(schema ?? {}, content ?? {})
  return Result.isSuccess(fitting)
    ? Effect.succeed({ ...answer, content: fitting.success })
    : new UnusableAnswer({ problems: fitting.failure })
}

/** Where a question is asked: a turn of a chat, or outside chats. Nothing of this is interrupted half-way. */
export interface Place {
  readonly tell: (question: OpenQuestion) => Effect.Effect<void>
  /** Only about questions that were told. */
  readonly tellAnswer: (answer: QuestionAnswer) => Effect.Effect<void>
  /** Done when nobody is there any more to answer. */
  readonly deserted: Effect.Effect<void>
}

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

/** A question that waits from now on. */
export const makeWaitingQuestion = (question: OpenQuestion, place: Place): WaitingQuestion => {
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
    yield* settle(yield* answerOf(question, given))
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
