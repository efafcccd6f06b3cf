/** Elicitation and sampling: servers ask while their calls run, and a person answers, in a chat or outside. */
import type { LanguageModels } from "@boocode/language-models"
import { type Asker, nobody, type SamplingRefused } from "@boocode/mcp-registry"
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as CommandMode from "../model/CommandMode.ts"
import * as ModelChoice from "../model/ModelChoice.ts"
import type { Emit, Part } from "../model/Part.ts"
import type { OpenQuestion, ProgramCall, QuestionAnswer, QuestionReply } from "../model/Question.ts"
import { type ReplyRefused, UnknownQuestion } from "../model/QuestionError.ts"
import * as Usage from "../model/Usage.ts"
import { Spending } from "../spending/Spending.ts"
import { asOwner, CurrentUser, FIRST } from "../users/CurrentUser.ts"
import { serversAllowedForChat } from "./AskedParts.ts"
import * as CallAsker from "./CallAsker.ts"
import * as HostQuestions from "./HostQuestions.ts"
import * as PendingQuestions from "./PendingQuestions.ts"
import type { SamplingModel } from "./Sampling.ts"
import { refused } from "./SamplingPrompt.ts"

/** The turn whose calls may be asked about. */
export interface AskedTurn {
  readonly chat: string
  /** The id of the person whose chat it is. */
  readonly owner: string
  readonly emit: Emit
  /** Every part of the chat so far. */
  readonly earlier: ReadonlyArray<Part>
  /** The chat's own model; null in the command mode. */
  readonly model: SamplingModel | null
  /** Why the turn is ended before its time; null while nobody ends it. */
  readonly whyOver: () => string | null
  /** Identifies a server as its file declares it (see `ServerContext.printOf`). */
  readonly printOf: (server: string) => Effect.Effect<string>
}

/** The asker of one call of a turn. When the scope closes, its open questions are cancelled. */
export type AskerOf = (call: string) => Effect.Effect<Asker, never, Scope.Scope>

/** How questions are asked. */
export interface QuestionsOptions {
  /** Whether servers may use the model of a chat: after a yes, without one, or never. */
  readonly sampling: "ask" | "allow" | "never"
  /** The id of the model for sampling outside chats; null is none. An effect is asked for each time. */
  readonly model: ModelChoice.ProgramModel
}

/**
 * Elicitation and sampling requests of servers. Without a layer every question is cancelled, as there is nobody to ask.
 */
export class Questions extends Context.Reference<{
  /** The askers of one turn's calls. Each question waits 5 minutes; a call may ask the model 10 times. */
  readonly forTurn: (turn: AskedTurn) => AskerOf
  /**
   * For requests that belong to no call of anybody: the first person is asked. Declines where nobody listens to `changes`
   * within 2 s, or nobody does any more for 30 s. Sampling always waits for a yes.
   */
  readonly host: Asker
  /** The asker for calls outside chats: the person who makes them is asked. */
  readonly own: Effect.Effect<Asker, never, CurrentUser>
  /**
   * Asks the person whether a program of theirs may make a call. The question belongs to no chat, and waits 24 hours, whether somebody listens or not.
   * Interruption takes it back.
   */
  readonly mayCall: (
    call: ProgramCall,
    of: { readonly server: string; readonly isTrusted: boolean }
  ) => Effect.Effect<QuestionAnswer, never, CurrentUser>
  /** Answers a question to the person, of any of their chats. The answer is told when this is done. */
  readonly reply: (id: string, reply: QuestionReply) => Effect.Effect<void, ReplyRefused, CurrentUser>
  /** The questions to the person that wait, in all their chats and outside, the oldest first. */
  readonly open: Effect.Effect<ReadonlyArray<OpenQuestion>, never, CurrentUser>
  /**
   * The questions to the person outside chats that wait now, then each new one and each end of one. A listener counts as somebody who
   * can answer.
   */
  readonly changes: Stream.Stream<HostQuestions.HostChange, never, CurrentUser>
}>("chat/Questions", {
  defaultValue: () => ({
    forTurn: () => () => Effect.succeed(nobody),
    host: nobody,
    own: Effect.succeed(nobody),
    mayCall: () =>
      Effect.succeed({ id: "", action: "decline", content: null, reason: "this program asks nobody" } as const),
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
  const spending = yield* Spending
  const pending = PendingQuestions.make()
  const places = yield* Cache.make({
    capacity: Number.POSITIVE_INFINITY,
    lookup: (owner: string) => HostQuestions.make(pending.open(owner))
  })
  const outside = Effect.flatMap(CurrentUser, ({ id }) => Cache.get(places, id))

  const askerOf = (owner: string, { isHeard, place }: HostQuestions.HostQuestions): Asker => {
    const { asker } = CallAsker.make({
      call: null,
      pending,
      place: { chat: null, owner, ...place, tellResult: () => Effect.void },
      rules: {
        model: Effect.andThen(
          affordable(spending, owner),
          asOwner(
            owner,
            Effect.provideContext(
              modelOf(options, (usage, model) => spending.note(owner, usage, { model, agent: null })),
              models
            )
          )
        ),
        permission: () => Effect.succeed({ print: null, granted: null, allow: Effect.void }),
        most: Number.POSITIVE_INFINITY
      }
    })
    const heard: Asker = {
      elicit: (request) =>
        Effect.flatMap(
          isHeard,
          (isHeard) => isHeard ? asker.elicit(request) : Effect.succeed({ action: "decline" } as const)
        ),
      sample: (request) => Effect.flatMap(isHeard, (isHeard) => isHeard ? asker.sample(request) : Effect.fail(NOBODY))
    }
    const audience = `the person ${owner}`
    return { ...heard, audience, shared: { ...heard, audience } }
  }
  const own = Effect.gen(function*() {
    return askerOf((yield* CurrentUser).id, yield* outside)
  })

  return {
    forTurn: (turn: AskedTurn) => turnAskers(pending, options, turn, affordable(spending, turn.owner)),
    host: yield* Effect.provideService(own, CurrentUser, FIRST),
    own,
    mayCall: Effect.fnUntraced(
      function*(wanted: ProgramCall, of: { readonly server: string; readonly isTrusted: boolean }) {
        return yield* pending.ask({
          chat: null,
          owner: (yield* CurrentUser).id,
          draft: { ...of, call: null, kind: "call", message: "", schema: null, url: null, sampling: null, wanted },
          place: { ...(yield* outside).place, deserted: Effect.never, whyOver: () => "the program took it back" },
          group: PendingQuestions.group(),
          granted: null,
          minutes: DAY_MINUTES
        })
      }
    ),
    reply: (id: string, reply: QuestionReply) =>
      Effect.flatMap(CurrentUser, (user) => pending.reply(user.id, id, reply)),
    open: Effect.flatMap(CurrentUser, ({ id }) => pending.open(id)),
    changes: Stream.unwrap(Effect.map(outside, ({ changes }) => changes))
  }
})

/** A person is asked as long as about a call of a chat. */
const DAY_MINUTES = 24 * 60

const NOBODY = refused("nobody is there to allow it")
const NO_MODEL = refused("there is no language model here: the command mode is none")

/** Fails, with words for the server, when the person may not use a model. */
const affordable = (spending: typeof Spending.Service, owner: string) =>
  Effect.mapError(spending.check(owner), ({ message }) => refused(message))

const modelOf = Effect.fnUntraced(
  function*(
    { model: given }: QuestionsOptions,
    spent: (usage: Usage.Usage, model: string) => Effect.Effect<void>
  ): Effect.fn.Return<SamplingModel, SamplingRefused, CurrentUser | LanguageModels> {
    const id = yield* ModelChoice.programModel(given)
    if (id === null || id === CommandMode.ID) return yield* NO_MODEL
    const model = yield* Effect.mapError(ModelChoice.model(id), ({ message }) => refused(message))
    return {
      id,
      model,
      facts: yield* ModelChoice.facts(id),
      temperature: null,
      tally: Usage.tally([], (usage) => spent(usage, id))
    }
  }
)

/**
 * Before revision 2026-07-28 a server does not always say which call its request belongs to. Such requests go to one
 * asker that all calls of the turn share, as long as one of them runs.
 */
const turnAskers = (
  pending: PendingQuestions.PendingQuestions,
  { sampling: mode }: QuestionsOptions,
  { chat, earlier, emit, model, owner, printOf, whyOver }: AskedTurn,
  affordable: Effect.Effect<void, SamplingRefused>
): AskerOf => {
  const allowed = new Set(serversAllowedForChat(earlier))
  const rules: CallAsker.SamplingRules = {
    model: model === null ? Effect.fail(NO_MODEL) : Effect.as(affordable, model),
    permission: (server) =>
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
    owner,
    tell: ({ chat: _, ...question }, print) =>
      emit({ type: "question", ...question, ...print === null ? {} : { print } }),
    tellAnswer: (answer) => emit({ type: "question-answer", ...answer }),
    tellResult: (result) => emit({ type: "sampling-result", ...result }),
    // A chat is read later, too.
    deserted: Effect.never,
    whyOver
  }
  const askerOf = (call: string | null) => CallAsker.make({ call, pending, place, rules })
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
