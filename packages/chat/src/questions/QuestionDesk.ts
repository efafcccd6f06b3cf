/**
 * The questions that wait, wherever they are asked, and for how long.
 */
import * as IdGenerator from "effect/ai/IdGenerator"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { OpenQuestion, Question, QuestionAnswer, QuestionReply } from "./Question.ts"
import { QuestionClosed, type ReplyRefused, UnknownQuestion } from "./QuestionError.ts"
import * as WaitingQuestion from "./WaitingQuestion.ts"

/** What is asked, before it has an id and a limit. @category models */
export type Draft = Omit<Question, "id" | "expiresAt" | "isGranted">

/** What waits together: the questions of one call. @category models */
export interface Group {
  readonly waiting: Set<WaitingQuestion.WaitingQuestion>
  /** Why nothing may be asked any more; null while it may. */
  over: string | null
}

/** @category constructors */
export const group = (): Group => ({ waiting: new Set(), over: null })

/**
 * Cancels what waits in the group, and whatever is asked in it from now on, before anybody sees it.
 *
 * @category running
 */
export const close = (group: Group, reason: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    group.over = reason
    return Effect.forEach([...group.waiting], (one) => one.end("cancel", reason), { discard: true })
  })

/** @category models */
export interface QuestionDesk {
  /**
   * Asks and waits, 5 minutes at most. `granted` is why nobody has to be asked: then the question and a yes are told at
   * once. Interrupted, or ended through its group, it counts as cancelled; where its place is deserted, it is declined.
   */
  readonly ask: (asked: {
    readonly chat: string | null
    readonly draft: Draft
    readonly place: WaitingQuestion.Place
    readonly group: Group
    readonly granted: string | null
  }) => Effect.Effect<QuestionAnswer>
  /** Answers one; it is told when this is done. */
  readonly reply: (id: string, reply: QuestionReply) => Effect.Effect<void, ReplyRefused>
  /** What waits, the oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<OpenQuestion>>
}

/** How long a person has. @category constants */
export const LIMIT_MINUTES = 5

/** Of how many questions it is remembered what became of them, for whoever answers too late. */
const REMEMBERED = 1000

/**
 * Nothing waits yet.
 *
 * @category constructors
 */
export const make = (): QuestionDesk => {
  const waiting = new Map<string, WaitingQuestion.WaitingQuestion>()
  const over = new Map<string, QuestionAnswer["action"]>()

  const leave = (one: WaitingQuestion.WaitingQuestion, group: Group) =>
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
      const one = WaitingQuestion.make({
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
