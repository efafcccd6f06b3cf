/**
 * Answers the elicitation and sampling requests of one call, as long as it runs: a person does, or the model with a
 * person's approval.
 */
import {
  type Asker,
  CleanText,
  type Elicitation,
  type ElicitationAnswer,
  type SamplingAnswer,
  SamplingRefused,
  type SamplingRequest
} from "@boocode/mcp-registry"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { OpenQuestion, QuestionAnswer, SamplingResult } from "../model/Question.ts"
import * as PendingQuestions from "./PendingQuestions.ts"
import type { Place } from "./PendingQuestions.ts"
import * as Sampling from "./Sampling.ts"
import * as SamplingPrompt from "./SamplingPrompt.ts"

/** Whether one server may use the model, as that server is now. */
export interface Permission {
  /** Identifies the server; null outside chats, where nothing is kept about it. */
  readonly print: string | null
  /** The reason why no person is asked first; null when a person is asked. */
  readonly granted: string | null
  /** Allows this server to ask the model from now on. */
  readonly allow: Effect.Effect<void>
}

/** Which model servers may use, after whose approval, and how often. */
export interface SamplingRules {
  /** Fails, with a message for the server, where there is no model. */
  readonly model: Effect.Effect<Sampling.SamplingModel, SamplingRefused>
  readonly permission: (server: string) => Effect.Effect<Permission>
  /** How often one call may ask. */
  readonly most: number
}

/** Where the questions of a call go. */
export interface CallPlace extends Omit<Place, "tell"> {
  /** The id of the person who is asked. */
  readonly owner: string
  readonly chat: string | null
  /** `print` is that of the server of a sampling. Not interrupted half-way. */
  readonly tell: (question: OpenQuestion, print: string | null) => Effect.Effect<void>
  /** The answer of the model to a sampling. Not interrupted half-way. */
  readonly tellResult: (result: SamplingResult) => Effect.Effect<void>
}

export interface CallAsker {
  readonly asker: Asker
  /** The call is over: what waits is cancelled. When this is done, nothing is told any more. */
  readonly close: Effect.Effect<void>
}

/** The asker of one call; with null, of requests that may belong to any call. */
export const make = (
  { call, pending, place, rules }: {
    readonly call: string | null
    readonly pending: PendingQuestions.PendingQuestions
    readonly place: CallPlace
    readonly rules: SamplingRules
  }
): CallAsker => {
  const group = PendingQuestions.group()
  const over = Deferred.makeUnsafe<void>()
  const writing = Semaphore.makeUnsafe(1)
  let samplings = 0

  const ask = (draft: Omit<PendingQuestions.Draft, "call">, { granted, print }: Omit<Permission, "allow"> = ASKED) =>
    pending.ask({
      chat: place.chat,
      owner: place.owner,
      draft: { ...draft, call },
      place: { ...place, tell: (question) => place.tell(question, print) },
      group,
      granted
    })

  const tellResult = (result: SamplingResult) =>
    writing.withPermit(Effect.suspend(() => group.over === null ? place.tellResult(result) : Effect.void)).pipe(
      Effect.uninterruptible
    )

  /** The answer of the model, told in the chat as it goes to the server. */
  const sampled = Effect.fnUntraced(function*(
    id: string,
    model: Sampling.SamplingModel,
    prompt: SamplingPrompt.SamplingPrompt
  ): Effect.fn.Return<SamplingAnswer, SamplingRefused> {
    const started = yield* Clock.currentTimeMillis
    const said = yield* Effect.result(Sampling.ask(model, prompt))
    const millis = (yield* Clock.currentTimeMillis) - started
    if (Result.isFailure(said)) {
      yield* tellResult({ id, text: "", stopReason: null, error: said.failure.message, millis })
      return yield* said.failure
    }
    const { stopReason, text } = said.success
    yield* tellResult({ id, text, stopReason, error: null, millis })
    return { model: model.id, text, stopReason }
  })

  const sample = Effect.fnUntraced(function*(request: SamplingRequest) {
    samplings++
    if (samplings > rules.most) {
      return yield* SamplingPrompt.refused(`one call may ask the model ${rules.most} times, and it did`)
    }
    const model = yield* rules.model
    const prompt = yield* Effect.fromResult(SamplingPrompt.promptOf(request, model.id))
    const draft = { ...asked(request), kind: "sampling", sampling: prompt.shown } as const
    // For the server as it is now: its entry may change before the yes.
    const permission = yield* rules.permission(request.server)
    const answer = yield* ask(draft, permission)
    if (answer.action !== "accept") {
      return yield* new SamplingRefused({ message: WHY_NOT[answer.action], isRejected: answer.action === "decline" })
    }
    if (answer.scope === "chat") yield* permission.allow
    return yield* Effect.raceFirst(
      sampled(answer.id, model, prompt),
      Effect.andThen(Deferred.await(over), Effect.fail(SamplingPrompt.refused(OVER)))
    )
  })

  return {
    asker: {
      elicit: (request) => Effect.map(ask(elicitation(request)), toElicitationAnswer),
      sample
    },
    close: writing.withPermit(Effect.andThen(Deferred.succeed(over, undefined), PendingQuestions.close(group, OVER)))
  }
}

const OVER = "the call is over"

const ASKED = { granted: null, print: null }

const WHY_NOT = {
  decline: "the person who was asked said no",
  cancel: "nobody decided whether the model may be asked",
  expired: "nobody answered whether the model may be asked"
}

const asked = ({ isTrusted, server }: Elicitation | SamplingRequest) => ({
  server,
  isTrusted,
  message: "",
  schema: null,
  url: null,
  sampling: null
})

const MESSAGE_CHARACTERS = 10_000

const elicitation = (request: Elicitation): Omit<PendingQuestions.Draft, "call"> => {
  const words = CleanText.clean(request.message)
  const message = words.length <= MESSAGE_CHARACTERS ? words : `${words.slice(0, MESSAGE_CHARACTERS)}…`
  return request.kind === "form"
    ? { ...asked(request), kind: "form", message, schema: request.schema }
    : { ...asked(request), kind: "url", message, url: request.url }
}

const toElicitationAnswer = ({ action, content }: QuestionAnswer): ElicitationAnswer => {
  if (action === "accept") return { action, content }
  return { action: action === "expired" ? "cancel" : action }
}
