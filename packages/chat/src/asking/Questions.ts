/** What servers ask while their calls run: who is asked, in a chat and outside, and who answers. */
import type { LanguageModels } from "@boocode/language-models"
import { type Asker, nobody, SamplingRefused } from "@boocode/mcp-registry"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ResultMatching from "../history/ResultMatching.ts"
import * as CommandMode from "../model/CommandMode.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import { type Emit, NO_USAGE, type Part, type TurnPart } from "../model/Part.ts"
import type { OpenQuestion, QuestionReply } from "../model/Question.ts"
import { type ReplyRefused, UnknownQuestion } from "../model/QuestionError.ts"
import * as CallAsker from "./CallAsker.ts"
import * as PendingQuestions from "./PendingQuestions.ts"
import type { Place } from "./PendingQuestions.ts"
import type { Sampling } from "./Sampling.ts"

/** The turn whose calls may be asked about. */
export interface AskedTurn {
  readonly chat: string
  readonly emit: Emit
  /** Every part of the chat so far. */
  readonly earlier: ReadonlyArray<Part>
  /** The chat's own model; null in the command mode. */
  readonly sampler: Sampling | null
  /** The same for this very server alone (see `CallAsker`). */
  readonly printOf: (server: string) => Effect.Effect<string>
}

/** Who answers for one call of a turn, until the scope closes; then what waits is cancelled. */
export type AskerOf = (call: string) => Effect.Effect<Asker, never, Scope.Scope>

/** How questions are asked. */
export interface QuestionsOptions {
  /** Whether servers may ask the model of a chat: after a yes, without one, or not at all. */
  readonly sampling: "ask" | "allow" | "never"
  /** The model for what belongs to no chat; null is none. */
  readonly model: string | null
}

/** The questions of servers. Without a layer there is nobody to ask, and every question is cancelled. */
export class Questions extends Context.Reference<{
  /** The askers of one turn's calls. Each question waits 5 minutes; a call may ask the model 10 times. */
  readonly forTurn: (turn: AskedTurn) => AskerOf
  /**
   * For calls outside chats, and for what belongs to no one chat. Says no where nobody listens to `changes` within 2 s,
   * or nobody does any more for 30 s; a sampling always waits for a yes.
   */
  readonly host: Asker
  /** Answers a question, in whatever chat; it is told when this is done. */
  readonly reply: (id: string, reply: QuestionReply) => Effect.Effect<void, ReplyRefused>
  /** What waits, in all chats and outside, the oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<OpenQuestion>>
  /**
   * What waits outside chats now, then each new question and each end of one. Listening says that somebody is there.
   */
  readonly changes: Stream.Stream<HostChange>
}>("chat/Questions", {
  defaultValue: () => ({
    forTurn: () => () => Effect.succeed(nobody),
    host: nobody,
    reply: (id) => Effect.fail(new UnknownQuestion({ id })),
    open: Effect.succeed([]),
    changes: Stream.empty
  })
}) {
  /** Asks through the parts of chats, and those who listen. */
  static readonly layer = (options: QuestionsOptions): Layer.Layer<never, never, LanguageModels> =>
    Layer.effect(Questions, make(options))
}

const MOST_SAMPLINGS = 10

const make = Effect.fnUntraced(function*(options: QuestionsOptions) {
  const models = yield* Effect.context<LanguageModels>()
  const desk = PendingQuestions.make()
  const news = yield* makeHostNews(desk.open)

  const host = CallAsker.make({
    call: null,
    desk,
    place: { chat: null, ...news.place, tellResult: () => Effect.void },
    sampling: {
      sampler: Effect.provideContext(samplerOf(options), models),
      leave: () => Effect.succeed({ print: null, granted: null, allow: Effect.void }),
      most: Number.POSITIVE_INFINITY
    }
  }).asker

  return {
    forTurn: (turn: AskedTurn) => turnAskers(desk, options, turn),
    host: {
      elicit: (request) =>
        Effect.flatMap(
          news.isHeard,
          (isHeard) => isHeard ? host.elicit(request) : Effect.succeed({ action: "decline" } as const)
        ),
      sample: (request) =>
        Effect.flatMap(news.isHeard, (isHeard) => isHeard ? host.sample(request) : Effect.fail(NOBODY))
    } satisfies Asker,
    reply: desk.reply,
    open: desk.open,
    changes: news.changes
  }
})

const NOBODY = new SamplingRefused({ message: "nobody is there to allow it", isRejected: false })
const NO_MODEL = new SamplingRefused({
  message: "there is no language model here: the command mode is none",
  isRejected: false
})

/** The program's own model. */
const samplerOf = Effect.fnUntraced(
  function*({ model: id }: QuestionsOptions): Effect.fn.Return<Sampling, SamplingRefused, LanguageModels> {
    if (id === null || id === CommandMode.ID) return yield* NO_MODEL
    const model = yield* Effect.mapError(
      ModelChoice.model(id),
      ({ message }) => new SamplingRefused({ message, isRejected: false })
    )
    return { id, model, facts: yield* ModelChoice.facts(id), temperature: null, tally: { usage: NO_USAGE } }
  }
)

/**
 * Before 2026-07-28 a server does not always say which call it asks about: what may belong to any call of the turn goes
 * to an asker that all of them share, for as long as one of them runs.
 */
const turnAskers = (
  desk: PendingQuestions.PendingQuestions,
  { sampling: mode }: QuestionsOptions,
  { chat, earlier, emit, printOf, sampler }: AskedTurn
): AskerOf => {
  const allowed = new Set(allowedForChat(earlier))
  const sampling: CallAsker.Sampling = {
    sampler: sampler === null ? Effect.fail(NO_MODEL) : Effect.succeed(sampler),
    leave: (server) =>
      Effect.map(printOf(server), (print) => ({
        print,
        granted: mode === "allow"
          ? "sampling is allowed in the settings"
          : allowed.has(print)
          ? "this server is allowed for the chat"
          : null,
        allow: Effect.sync(() => void allowed.add(print))
      })),
    most: MOST_SAMPLINGS
  }
  const place: CallAsker.CallPlace = {
    chat,
    tell: ({ chat: _, ...question }, print) =>
      emit({ type: "question", ...question, ...print === null ? {} : { print } }),
    tellAnswer: (answer) => emit({ type: "question-answer", ...answer }),
    tellResult: (result) => emit({ type: "sampling-result", ...result }),
    // A chat is read later, too.
    deserted: Effect.never
  }
  const askerOf = (call: string | null) => CallAsker.make({ call, desk, place, sampling })
  let shared: CallAsker.CallAsker | null = null
  let running = 0
  const ofAny: Asker = {
    elicit: (request) => (shared?.asker ?? nobody).elicit(request),
    sample: (request) => (shared?.asker ?? nobody).sample(request),
    audience: chat
  }
  const open = (call: string) =>
    Effect.sync(() => {
      running++
      shared ??= askerOf(null)
      return askerOf(call)
    })
  const close = (own: CallAsker.CallAsker) =>
    Effect.andThen(
      own.close,
      Effect.suspend(() => {
        running--
        const last = running === 0 ? shared : null
        if (last === null) return Effect.void
        shared = null
        return last.close
      })
    )
  return (call) =>
    Effect.map(
      Effect.acquireRelease(open(call), close),
      ({ asker }): Asker => ({ ...asker, shared: ofAny, audience: chat })
    )
}

/** A question that belongs to no chat, or the end of one. */
export type HostChange =
  | ({ readonly type: "question" } & OpenQuestion)
  | { readonly type: "question-answer"; readonly id: string }

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

/** News that nobody listens to yet; `open` is what waits, in chats too. */
export const makeHostNews = Effect.fnUntraced(function*(
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

/** A question in a chat. */
export type QuestionPart = Extract<Part, { readonly type: "question" }>

/** The questions without an answer whose calls have no result, in turns that have not ended. */
export const open = (parts: ReadonlyArray<Part>): ReadonlyArray<QuestionPart> => {
  const answered = new Set(parts.flatMap((part) => part.type === "question-answer" ? [part.id] : []))
  const isOver = ResultMatching.overOf(parts)
  return parts.filter((part): part is QuestionPart =>
    part.type === "question" && !answered.has(part.id) && !isOver(part.turn, part.call)
  )
}

/** What ends the questions that a program left open: nobody waits for their answers any more. */
export const closing = (parts: ReadonlyArray<Part>): ReadonlyArray<TurnPart> =>
  open(parts).map(({ id }) => ({
    type: "question-answer",
    id,
    action: "cancel",
    content: null,
    reason: "the chat server ended before it was answered"
  }))

/** The prints of the servers that somebody let ask the model for the rest of the chat (see `CallAsker`). */
export const allowedForChat = (parts: ReadonlyArray<Part>): ReadonlySet<string> => {
  const asked = new Map(parts.flatMap((part) => part.type === "question" ? [[part.id, part] as const] : []))
  return new Set(parts.flatMap((part) => {
    const question = part.type === "question-answer" && part.action === "accept" && part.scope === "chat"
      ? asked.get(part.id)
      : undefined
    return question?.print === undefined ? [] : [question.print]
  }))
}
