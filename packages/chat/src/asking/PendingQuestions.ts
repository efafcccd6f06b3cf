/** The questions of servers that wait for a person, in chats and outside. */
import { ElicitationForm } from "@boocode/mcp-registry"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OpenQuestion, Question, QuestionAnswer, QuestionReply } from "../model/Question.ts"
import { QuestionClosed, type ReplyRefused, UnknownQuestion, UnusableAnswer } from "../model/QuestionError.ts"
import * as PendingAnswer from "./PendingAnswer.ts"

/** A question before it has an id and a limit. */
export type Draft = Omit<Question, "id" | "expiresAt" | "isGranted">

/** Where a question is asked: a turn of a chat, or outside chats. No member is interrupted half-way. */
export interface Place {
  readonly tell: (question: OpenQuestion) => Effect.Effect<void>
  /** Only about questions that were told. */
  readonly tellAnswer: (answer: QuestionAnswer) => Effect.Effect<void>
  /** Done when nobody is there any more to answer. */
  readonly deserted: Effect.Effect<void>
  /** Why a question that is interrupted ends; null where its server took it back. */
  readonly whyOver: () => string | null
}

interface WaitingQuestion {
  /** The id of the person who is asked. */
  readonly owner: string
  readonly question: OpenQuestion
  readonly pending: PendingAnswer.PendingAnswer<QuestionAnswer>
}

/** The questions of one call. */
export interface Group {
  readonly waiting: Set<WaitingQuestion>
  /** Why nothing may be asked any more; null while it may. */
  over: string | null
}

export const group = (): Group => ({ waiting: new Set(), over: null })

/** Cancels what waits in the group, and every later question in it before anybody sees it. */
export const close = (group: Group, reason: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    group.over = reason
    return Effect.forEach([...group.waiting], (one) => end(one, "cancel", reason), { discard: true })
  })

const end = ({ pending, question: { id } }: WaitingQuestion, action: QuestionAnswer["action"], reason: string) =>
  pending.end({ id, action, content: null, reason })

export interface PendingQuestions {
  /**
   * Asks and waits, 5 minutes at most unless `minutes` says otherwise. With `granted` nobody has to be asked: the question and a yes, which has that
   * reason, are told at once. A question is cancelled when it is interrupted or its group closes, and declined where
   * its place is deserted.
   */
  readonly ask: (asked: {
    readonly chat: string | null
    /** The id of the person who is asked. */
    readonly owner: string
    readonly draft: Draft
    readonly place: Place
    readonly group: Group
    readonly granted: string | null
    readonly minutes?: number
  }) => Effect.Effect<QuestionAnswer>
  /** Answers one of a person. The answer is told when this is done. */
  readonly reply: (owner: string, id: string, reply: QuestionReply) => Effect.Effect<void, ReplyRefused>
  /** The questions to a person that wait, the oldest first. */
  readonly open: (owner: string) => Effect.Effect<ReadonlyArray<OpenQuestion>>
}

const LIMIT_MINUTES = 5

/** The ends of so many questions are remembered, for people who answer too late. */
const REMEMBERED = 1000

/** Nothing waits yet. */
export const make = (): PendingQuestions => {
  const waiting = new Map<string, WaitingQuestion>()
  const over = new Map<string, Pick<QuestionAnswer, "action"> & Pick<WaitingQuestion, "owner">>()

  const leave = (one: WaitingQuestion, group: Group, { whyOver }: Place) =>
    Effect.suspend(() => end(one, "cancel", whyOver() ?? "the server took it back")).pipe(
      Effect.map(({ action, id }) => {
        waiting.delete(id)
        group.waiting.delete(one)
        over.set(id, { action, owner: one.owner })
        for (const old of over.keys()) if (over.size > REMEMBERED) over.delete(old)
      })
    )

  return {
    ask: Effect.fnUntraced(function*({ chat, draft, granted, group, minutes = LIMIT_MINUTES, owner, place }) {
      const id = yield* IdGenerator.defaultIdGenerator.generateId()
      const expiresAt = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes }))
      const question = { chat, id, ...draft, ...granted === null ? {} : { isGranted: true }, expiresAt }
      const pending = PendingAnswer.make({ show: place.tell(question), tell: place.tellAnswer })
      const one: WaitingQuestion = { owner, question, pending }
      // Entered before it is told: a reader may answer at once.
      const enter = Effect.suspend((): Effect.Effect<unknown> => {
        if (group.over !== null) return end(one, "cancel", group.over)
        waiting.set(id, one)
        group.waiting.add(one)
        return pending.show
      })
      const deserted = Effect.andThen(place.deserted, end(one, "decline", "nobody is there any more"))
      const answered = pending.answered(`${minutes} minutes`, {
        id,
        action: "expired",
        content: null,
        reason: `nobody answered within ${minutes} minutes`
      })
      return yield* Effect.acquireUseRelease(
        enter,
        () => granted === null ? Effect.raceFirst(answered, deserted) : end(one, "accept", granted),
        () => leave(one, group, place)
      )
    }),
    reply: (owner, id, reply) =>
      Effect.suspend((): Effect.Effect<void, ReplyRefused> => {
        const one = waiting.get(id)
        if (one?.owner === owner) return answer(one, reply)
        const past = over.get(id)
        return past?.owner === owner
          ? new QuestionClosed({ id, action: past.action })
          : new UnknownQuestion({ id })
      }),
    open: (owner) =>
      Effect.sync(() => [...waiting.values()].flatMap((one) => one.owner === owner ? [one.question] : []))
  }
}

const answer = ({ pending, question }: WaitingQuestion, reply: QuestionReply) =>
  pending.reply((settled): Effect.Effect<QuestionAnswer, QuestionClosed | UnusableAnswer> =>
    settled === null
      ? answerOf(question, reply)
      : new QuestionClosed({ id: question.id, action: settled.action })
  )

/** The answer that a reply is, a form's defaults included. Fails with what is wrong with each field of a form. */
const answerOf = (
  { id, kind, schema }: Question,
  { action, content, scope }: QuestionReply
): Effect.Effect<QuestionAnswer, UnusableAnswer> => {
  const answer = { id, action, content: null, reason: null }
  if (action !== "accept" || kind === "url" || kind === "call") return Effect.succeed(answer)
  if (kind === "sampling") return Effect.succeed({ ...answer, scope: scope ?? "once" })
  const fitting = ElicitationForm.validate(schema ?? {}, content ?? {})
  return Result.isSuccess(fitting)
    ? Effect.succeed({ ...answer, content: fitting.success })
    : new UnusableAnswer({ problems: fitting.failure })
}
