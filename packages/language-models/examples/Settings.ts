/** Settings of requests, a network of your own, and facts of models that you know. */
import { LanguageModels, ModelFacts, ModelFetch, ModelSettings } from "@boocode/language-models"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

/** A request with a low temperature. */
export const careful = (model: LanguageModel.LanguageModel, prompt: string) =>
  Stream.provideService(
    model.streamText({ prompt }),
    ModelSettings,
    { ...ModelSettings.defaultValue(), temperature: 0.2 }
  )

/** Models over a network of your own, with facts that replace all others. */
export const models = (fetch: typeof globalThis.fetch) =>
  LanguageModels.layer.pipe(
    Layer.provide(Layer.succeed(ModelFetch, fetch)),
    Layer.provide(Layer.succeed(ModelFacts.ModelOverrides, {
      "openai/qwen3": { contextTokens: 32_768, inputPrice: 0, outputPrice: 0 },
      "openai/*": { silenceSeconds: 600 }
    }))
  )
