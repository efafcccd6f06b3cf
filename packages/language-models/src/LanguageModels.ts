/**
 * Which models can be used, and each of them as an `effect/ai` language model.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { distance } from "fastest-levenshtein"
import * as AiSdkModel from "./AiSdkModel.ts"
import * as Providers from "./Providers.ts"

/**
 * A model that cannot be used, and what to do about it.
 *
 * @category errors
 */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  detail: Schema.String,
  hint: Schema.String
}) {
  /** Names the model and the trouble. */
  override get message(): string {
    return `${this.model}: ${this.detail}`
  }
}

/**
 * The models that AI SDK provider packages reach.
 *
 * @category services
 */
export class LanguageModels extends Context.Service<LanguageModels, {
  /** Every provider, sorted by name. Asks no network. */
  readonly providers: ReadonlyArray<Providers.ProviderStatus>
  /**
   * The model of an id such as `openai/gpt-5`. Asks no network: a wrong model name shows at the first request.
   * Fails when the provider is unknown (the nearest is named) or its key is missing (the variable is named).
   */
  readonly model: (id: string) => Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable>
}>()("language-models/LanguageModels") {
  /**
   * The providers as the variables say when the layer is built, see `Providers.fromConfig`. Requests go through
   * `ModelFetch`. Fails only when the variables cannot be read at all.
   */
  static readonly layer: Layer.Layer<LanguageModels, Config.ConfigError> = Layer.effect(
    LanguageModels,
    Effect.gen(function*() {
      const providers = yield* Providers.fromConfig
      const model = Effect.fn("LanguageModels.model")(function*(id: string) {
        const { name, modelId } = yield* parse(id)
        const provider = providers.find(({ status }) => status.provider === name)
        if (provider === undefined) return yield* unknownProvider(id, name, providers)
        const { missing } = provider.status
        if (missing !== null) return yield* new ModelUnavailable({ model: id, ...trouble(name, missing) })
        return yield* AiSdkModel.make(provider.model(modelId), provider.traits, provider.scrub)
      })
      return LanguageModels.of({ providers: providers.map(({ status }) => status), model })
    })
  )
}

const parse = (id: string): Effect.Effect<{ readonly name: string; readonly modelId: string }, ModelUnavailable> => {
  const slash = id.indexOf("/")
  const [name, modelId] = [id.slice(0, slash), id.slice(slash + 1)]
  return slash > 0 && modelId !== ""
    ? Effect.succeed({ name, modelId })
    : Effect.fail(
      new ModelUnavailable({
        model: id,
        detail: "a model is named as PROVIDER/MODEL",
        hint: "for instance openai/gpt-5.4"
      })
    )
}

const trouble = (name: string, missing: string) => ({
  detail: `${name} is not configured: ${missing}`,
  hint: missing.startsWith("set ")
    ? `${missing} in the environment or in .env of the data folder`
    : "correct it in the environment or in .env of the data folder"
})

const unknownProvider = (id: string, name: string, providers: ReadonlyArray<Providers.Provider>) => {
  const names = providers.map(({ status }) => status.provider)
  const [nearest] = names.toSorted((a, b) => distance(name, a) - distance(name, b))
  return new ModelUnavailable({
    model: id,
    detail: `no provider is called ${name}`,
    hint: `did you mean ${nearest}? There are ${
      names.join(", ")
    }; with OPENAI_BASE_URL set, openai/MODEL reaches any server that speaks chat completions`
  })
}
