/** Which models can be used, and each of them as an `effect/ai` language model. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Cache from "effect/Cache"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { distance } from "fastest-levenshtein"
import * as ModelKnowledge from "./ModelKnowledge.ts"
import { environmentProviders } from "./models/EnvironmentProviders.ts"
import * as KeyShape from "./models/KeyShape.ts"
import type * as ModelCatalog from "./models/ModelCatalog.ts"
import type * as ModelFacts from "./models/ModelFacts.ts"
import type * as ModelListing from "./models/ModelListing.ts"
import type { ProviderEntry } from "./models/ProviderEntry.ts"
import type * as Providers from "./models/Providers.ts"
import * as RunningProviders from "./RunningProviders.ts"

/** A model that cannot be used, and what to do about it. */
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

/** The models that AI SDK provider packages reach. */
export class LanguageModels extends Context.Service<LanguageModels, {
  /** Every provider as it stands, sorted by name. Asks no network. */
  readonly providers: Effect.Effect<ReadonlyArray<Providers.ProviderStatus>>
  /**
   * The model of an id such as `openai/gpt-5`. Asks no network: a wrong model name shows at the first request.
   * Fails when the provider is unknown (the nearest is named), when its key is missing (the variable is named), and for
   * an id that looks like a key, which the error does not repeat.
   */
  readonly model: (id: string) => Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable>
  /**
   * The facts of a model: what `ModelOverrides` say, what its provider taught, what its server lists, what is known
   * of its maker's models. A server is asked once in 5 minutes, for 2 seconds at most; never fails.
   */
  readonly facts: (id: string) => Effect.Effect<ModelFacts.Known>
  /**
   * Chat models of a provider that is ready, the newest first where that is known, at most 300; empty for any other.
   * Waits 2 seconds at most for a server that lists its models itself.
   */
  readonly suggested: (provider: string) => Effect.Effect<ReadonlyArray<ModelCatalog.SuggestedModel>>
  /**
   * The chat models that a provider lists at its own address now, with what is known of them; it need not be among
   * `providers`, so that one can be tried before it is kept. At most 1,000. Waits 10 seconds at most.
   */
  readonly listed: (
    entry: ProviderEntry
  ) => Effect.Effect<ReadonlyArray<ModelCatalog.SuggestedModel>, ModelListing.ListingFailed>
}>()("language-models/LanguageModels") {
  /**
   * The providers as the variables say when the layer is built, see `environmentProviders`. Requests go through
   * `ModelFetch`. Fails only when the variables cannot be read at all.
   */
  static readonly layer: Layer.Layer<LanguageModels, Config.ConfigError> = Layer.effect(
    LanguageModels,
    Effect.gen(function*() {
      const entries = yield* environmentProviders
      return yield* make(yield* SubscriptionRef.make<ReadonlyArray<ProviderEntry>>(entries))
    })
  )

  /**
   * The models of these providers, as they are at each question: a change works from the next model that is asked for.
   * An entry that stayed keeps its models and what they taught.
   */
  static readonly layerOf = (
    entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<ProviderEntry>>
  ): Layer.Layer<LanguageModels> => Layer.effect(LanguageModels, make(entries))
}

const make = Effect.fnUntraced(function*(entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<ProviderEntry>>) {
  const fetches = yield* Effect.context<never>()
  const current = yield* RunningProviders.follow(entries)
  const statuses = Effect.map(current, (all) =>
    [...all.values()].map(({ provider }) => provider.status)
      .toSorted((one, other) => one.provider < other.provider ? -1 : 1))
  const model = Effect.fn("LanguageModels.model")(function*(id: string) {
    const { modelId, name } = yield* parse(id)
    const found = (yield* current).get(name)
    if (found === undefined) return yield* unknownProvider(id, name, yield* statuses)
    const { missing } = found.provider.status
    if (missing !== null) return yield* new ModelUnavailable({ model: id, ...trouble(name, missing) })
    return yield* Cache.get(found.models, modelId)
  })
  return LanguageModels.of({ providers: statuses, model, ...yield* ModelKnowledge.make(current, fetches) })
})

const parse = (id: string): Effect.Effect<{ readonly name: string; readonly modelId: string }, ModelUnavailable> => {
  if (KeyShape.isLikeKey(id)) return Effect.fail(keyAsModel)
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

const keyAsModel = new ModelUnavailable({
  model: KeyShape.HIDDEN,
  detail: "this looks like a key, not like the name of a model",
  hint: "give the key to its provider with boocode setup, and a new one where this one was seen by others"
})

const trouble = (name: string, missing: string) => ({
  detail: `${name} is not configured: ${missing}`,
  hint: missing.startsWith("set ")
    ? `${missing} in the environment or in .env of the data folder, or run boocode setup`
    : "correct it in the environment, in .env or in settings.json of the data folder, or run boocode setup"
})

const unknownProvider = (id: string, name: string, providers: ReadonlyArray<Providers.ProviderStatus>) => {
  const names = providers.map(({ provider }) => provider)
  const [nearest] = names.toSorted((a, b) => distance(name, a) - distance(name, b))
  return new ModelUnavailable({
    model: id,
    detail: `no provider is called ${name}`,
    hint: `did you mean ${nearest}? There are ${
      names.join(", ")
    }; boocode setup adds any server that speaks chat completions`
  })
}
