/** Sampling: a server uses the model, without tools, within a limit of time. The usage is counted. */
import { type ModelFacts, ModelSettings, ProviderError } from "@boocode/language-models"
import type { SamplingRefused } from "@boocode/mcp-registry"
import { Utf8 } from "@boocode/toolkit"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ModelRetry from "../model/ModelRetry.ts"
import type { SamplingResult } from "../model/Question.ts"
import * as Usage from "../model/Usage.ts"
import { MOST_CHARACTERS, refused, type SamplingPrompt } from "./SamplingPrompt.ts"

/** The model that servers may use, and the count of its usage. */
export interface SamplingModel {
  /** Such as `openai/gpt-5`. */
  readonly id: string
  readonly model: LanguageModel.LanguageModel
  readonly facts: ModelFacts.ModelFacts
  /** Where the server leaves it open; null leaves it to the provider. */
  readonly temperature: number | null
  readonly tally: Usage.Tally
}

/** The answer of the model. */
export type Sampled = Pick<SamplingResult, "text"> & { readonly stopReason: NonNullable<SamplingResult["stopReason"]> }

/** How long the model may take, its retries included. */
const LIMIT = "5 minutes"

/**
 * Asks the model, again where its provider has passing trouble. Fails within 5 minutes, with a message for the server.
 */
export const ask = Effect.fn("Sampling.ask")(
  (sampler: SamplingModel, asked: SamplingPrompt): Effect.Effect<Sampled, SamplingRefused> =>
    attempt(sampler, asked, ModelRetry.NONE).pipe(
      Effect.mapError((error) =>
        error._tag === "SamplingRefused" ? error : refused(Utf8.prefix(ProviderError.message(error), WORDS_BYTES))
      ),
      Effect.timeoutOrElse({
        duration: LIMIT,
        orElse: () => Effect.fail(refused(`the model did not answer within ${LIMIT}`))
      })
    )
)

const WORDS_BYTES = 1000

const attempt = (
  sampler: SamplingModel,
  asked: SamplingPrompt,
  tried: ModelRetry.Tried
): Effect.Effect<Sampled, AiError.AiError | SamplingRefused> =>
  Effect.catchTag(
    once(sampler, asked),
    "AiError",
    Effect.fnUntraced(function*(error) {
      const next = yield* ModelRetry.next(error, tried)
      yield* Effect.sleep(next.delayMillis)
      return yield* attempt(sampler, asked, next)
    })
  )

const once = Effect.fnUntraced(function*({ facts, model, tally, temperature }: SamplingModel, asked: SamplingPrompt) {
  const { maxTokens, stopSequences, temperature: wanted } = asked.shown
  let text = ""
  let reason: Response.FinishReason = "unknown"
  yield* model.streamText({ prompt: asked.prompt }).pipe(
    Stream.provideService(ModelSettings, {
      ...ModelSettings.defaultValue(),
      temperature: wanted ?? temperature,
      maxOutputTokens: maxTokens,
      silence: facts.silenceSeconds === null ? null : Duration.seconds(facts.silenceSeconds)
    }),
    Stream.runForEach((part) =>
      Effect.suspend((): Effect.Effect<void, AiError.AiError | SamplingRefused> => {
        if (part.type === "error") return ModelRetry.failure(part.error)
        if (part.type === "text-delta") text += part.delta
        // Not every provider keeps to a limit on tokens.
        if (text.length > MOST_CHARACTERS) {
          return Effect.fail(refused(`the model said more than ${MOST_CHARACTERS} characters`))
        }
        if (part.type === "finish") {
          reason = part.reason
          return Usage.count(tally, Usage.ofResponse(part.usage, facts.prices))
        }
        return Effect.void
      })
    )
  )
  yield* refuseFailed(reason)
  return stopped(text, reason, stopSequences)
})

const refuseFailed = (reason: Response.FinishReason): Effect.Effect<void, SamplingRefused> => {
  if (reason === "error") return Effect.fail(refused("the provider ended the answer with an error"))
  return reason === "content-filter"
    ? Effect.fail(refused("the provider's content filter ended the answer"))
    : Effect.void
}

/** Providers know different limits on stop sequences, or none, so the answer is cut here. */
const stopped = (text: string, reason: Response.FinishReason, stops: ReadonlyArray<string>): Sampled => {
  const at = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((index) => index >= 0), text.length)
  if (at < text.length) return { text: text.slice(0, at), stopReason: "stopSequence" }
  return { text, stopReason: reason === "length" ? "maxTokens" : "endTurn" }
}
