/** A turn whose model has trouble, and what came of it. */
import { ModelFacts } from "@boocode/language-models"
import type { AgentTool } from "@boocode/toolkit"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { TurnPart } from "../../src/model/Part.ts"
import * as Turn from "../../src/turn/Turn.ts"
import * as TurnTools from "../../src/turn/TurnTools.ts"
import { agent, files } from "./Scripted.ts"

type Said = ReadonlyArray<Response.StreamPartEncoded>

/** What a model says, and the error it then ends in. */
export type Answer = Said | { readonly said?: Said; readonly fails: AiError.AiErrorReason }

export const limited = (retryAfter?: Duration.Duration) => ({
  fails: new AiError.RateLimitError(retryAfter === undefined ? {} : { retryAfter })
})
export const overloaded = { fails: new AiError.InternalProviderError({ description: "overloaded (529): Overloaded" }) }
export const dropped = (...said: Said) => ({
  said,
  fails: new AiError.NetworkError({
    reason: "TransportError",
    method: "POST",
    url: "https://model.test",
    description: "the stream ended before the model had finished"
  })
})
export const refused = (description: string, status = 400) => ({
  fails: new AiError.InvalidRequestError({ description, http: { response: { status, headers: {} } } })
})

const isSaid = (answer: Answer): answer is Said => Array.isArray(answer)

/** Answers are used in order; the last one is given again and again. */
export const start = (
  answers: ReadonlyArray<Answer>,
  tools: ReadonlyArray<AgentTool> = [],
  options: Partial<Turn.TurnRequest> & { readonly known?: Partial<ModelFacts.ModelFacts> } = {}
) =>
  Effect.gen(function*() {
    const asked: Array<LanguageModel.ProviderOptions> = []
    const model = yield* LanguageModel.make({
      generateText: () => Effect.die("not used"),
      streamText: (request) =>
        Stream.suspend(() => {
          const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
          asked.push(request)
          if (isSaid(answer)) return Stream.fromIterable(answer)
          const error = AiError.make({ module: "M", method: "streamText", reason: answer.fails })
          return Stream.concat(Stream.fromIterable(answer.said ?? []), Stream.fail(error))
        })
    })
    const parts: Array<TurnPart> = []
    const lessons: Array<ModelFacts.Lesson> = []
    const { known, ...rest } = options
    const facts = {
      ...ModelFacts.UNKNOWN,
      ...known,
      learn: (lesson: ModelFacts.Lesson) => Effect.sync(() => void lessons.push(lesson))
    }
    const turn = Turn.run(
      { agent, model, facts, tools: TurnTools.of(tools), history: [], text: "hi", ...rest },
      (part) => Effect.sync(() => void parts.push(part))
    ).pipe(Effect.provide(files()))
    return { asked, lessons, parts, turn }
  })

/** Parts in short. */
export const brief = (parts: ReadonlyArray<TurnPart>): ReadonlyArray<string> =>
  parts.map((part) => {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
        return `says ${part.text}`
      case "tool-call":
        return `call ${part.id}`
      case "tool-result":
        return `${part.isError ? "error" : "result"} ${part.id}`
      case "retry":
        return `retry ${part.attempt}/${part.limit}`
      case "warning":
        return `warning ${part.message}`
      case "error":
        return `error ${part._tag}`
      case "finish":
        return `finish ${part.reason}`
      default:
        return part.type
    }
  })
