/** Which models can be used, and each of them as an `effect/ai` language model. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Cache from "effect/Cache"
import type * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { distance } from "fastest-levenshtein"
import * as AiSdkModel from "./AiSdkModel.ts"
import * as ModelCatalog from "./models/ModelCatalog.ts"
import * as ModelFacts from "./models/ModelFacts.ts"
import * as Providers from "./models/Providers.ts"
import * as ProviderTraits from "./models/ProviderTraits.ts"
import * as ServerModels from "./models/ServerModels.ts"

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
  /** Every provider, sorted by name. Asks no network. */
  readonly providers: ReadonlyArray<Providers.ProviderStatus>
  /**
   * The model of an id such as `openai/gpt-5`. Asks no network: a wrong model name shows at the first request.
   * Fails when the provider is unknown (the nearest is named) or its key is missing (the variable is named).
   */
  readonly model: (id: string) => Effect.Effect<LanguageModel.LanguageModel, ModelUnavailable>
  /**
   * The facts of a model: what `ModelOverrides` say, what its provider taught, what its server lists, what is known
   * of its maker's models. A server is asked once in 5 minutes, for 2 seconds at most; never fails.
   */
  readonly facts: (id: string) => Effect.Effect<ModelFacts.Known>
  /**
   * Chat models of a provider that is ready, the newest first where that is known, at most 30; empty for any other.
   * Waits 2 seconds at most for a server that lists its models itself.
   */
  readonly suggested: (provider: string) => Effect.Effect<ReadonlyArray<ModelCatalog.SuggestedModel>>
}>()("language-models/LanguageModels") {
  /**
   * The providers as the variables say when the layer is built, see `Providers.fromConfig`. Requests go through
   * `ModelFetch`. Fails only when the variables cannot be read at all.
   */
  static readonly layer: Layer.Layer<LanguageModels, Config.ConfigError> = Layer.effect(
    LanguageModels,
    Effect.gen(function*() {
      const providers = yield* Providers.fromConfig
      const known = yield* knowledge(providers)
      const made = Effect.fnUntraced(function*(id: string) {
        const { name, modelId } = yield* parse(id)
        const provider = providers.find(({ status }) => status.provider === name)
        if (provider === undefined) return yield* unknownProvider(id, name, providers)
        const { missing } = provider.status
        if (missing !== null) return yield* new ModelUnavailable({ model: id, ...trouble(name, missing) })
        return yield* AiSdkModel.make(provider.model(modelId), provider.traits, provider.scrub)
      })
      const models = yield* Cache.make({ capacity: MOST_MODELS, lookup: made })
      const model = Effect.fn("LanguageModels.model")((id: string) => Cache.get(models, id))
      return LanguageModels.of({ providers: providers.map(({ status }) => status), model, ...known })
    })
  )
}

const MOST_SUGGESTED = 30

/**
 * A model keeps the schemas of the tools that it was last offered, which is a megabyte for each turn where each turn
 * makes a model of its own.
 */
const MOST_MODELS = 100

/** Facts and suggestions for the models of these providers. */
const knowledge = Effect.fnUntraced(function*(providers: ReadonlyArray<Providers.Provider>) {
  const overrides = yield* ModelFacts.ModelOverrides
  const catalog = yield* Effect.cached(ModelCatalog.load)
  const lessons = new Map<string, ModelFacts.Lesson>()
  const lists = new Map(
    yield* Effect.forEach(providers, ({ listedAt, status }) =>
      Effect.map(
        listedAt === null ? Effect.succeed(null) : ServerModels.make(listedAt),
        (list) => [status.provider, list] as const
      ))
  )
  const facts = Effect.fn("LanguageModels.facts")(function*(id: string) {
    const slash = id.indexOf("/")
    const [provider, modelId] = [id.slice(0, slash), id.slice(slash + 1)]
    const list = lists.get(provider) ?? null
    const found = list === null
      ? (yield* catalog).facts(provider, modelId)
      : yield* listed(list, catalog, modelId)
    const taught = ModelFacts.taught(
      ModelFacts.overridden(found ?? ModelFacts.UNKNOWN, id, overrides),
      lessons.get(id) ?? {}
    )
    const { traits } = providers.find(({ status }) => status.provider === provider) ?? { traits: null }
    return {
      ...taught,
      readsPdf: ProviderTraits.readsPdf(traits, taught),
      learn: (lesson: ModelFacts.Lesson) => Effect.sync(() => void lessons.set(id, { ...lessons.get(id), ...lesson }))
    }
  })
  const suggested = Effect.fn("LanguageModels.suggested")(function*(provider: string) {
    if (providers.find(({ status }) => status.provider === provider)?.status.ready !== true) return []
    const list = lists.get(provider) ?? null
    const ids = list === null
      ? (yield* catalog).models(provider).map(({ id }) => id)
      : (yield* list).map(({ id }) => `${provider}/${id}`)
    return yield* Effect.forEach(
      ids.slice(0, MOST_SUGGESTED),
      (id) => Effect.map(facts(id), (known) => ModelCatalog.suggestion(id, known))
    )
  })
  return { facts, suggested }
})

/** A server may offer the models of the makers under their own names; then they are what they are anywhere. */
const listed = Effect.fnUntraced(function*(
  list: Effect.Effect<ReadonlyArray<ServerModels.ServerModel>>,
  catalog: Effect.Effect<ModelCatalog.ModelCatalog>,
  modelId: string
): Effect.fn.Return<ModelFacts.ModelFacts> {
  const contextTokens = (yield* list).find(({ id }) => id === modelId)?.contextTokens ?? null
  const made = ModelCatalog.makerOf(modelId)
  const facts = made === null ? null : (yield* catalog).facts(made.provider, made.modelId)
  return { ...facts ?? ModelFacts.UNKNOWN, contextTokens: contextTokens ?? facts?.contextTokens ?? null }
})

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
