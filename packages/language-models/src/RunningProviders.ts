/** The providers of now, each with what was made for it. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as SynchronizedRef from "effect/SynchronizedRef"
import * as AiSdkModel from "./AiSdkModel.ts"
import type * as ModelFacts from "./models/ModelFacts.ts"
import type * as ModelListing from "./models/ModelListing.ts"
import type { ProviderEntry } from "./models/ProviderEntry.ts"
import * as Providers from "./models/Providers.ts"
import * as ServerModels from "./models/ServerModels.ts"

export interface RunningProvider {
  readonly entry: ProviderEntry
  readonly provider: Providers.Provider
  readonly models: Cache.Cache<string, LanguageModel.LanguageModel>
  /** The lessons of its models, by their names. */
  readonly lessons: Map<string, ModelFacts.Lesson>
  readonly list: Effect.Effect<ReadonlyArray<ModelListing.ListedModel>>
}

const start = Effect.fnUntraced(function*(entry: ProviderEntry): Effect.fn.Return<RunningProvider> {
  const provider = yield* Providers.make(entry)
  const models = yield* Cache.make({
    capacity: MOST_MODELS,
    lookup: (modelId: string) =>
      Effect.flatMap(provider.model(modelId), (model) => AiSdkModel.make(model, provider.traits, provider.scrub))
  })
  return { entry, provider, models, lessons: new Map(), list: yield* ServerModels.make(provider.listedAt) }
})

/** Those of now, by name. */
export type Current = Effect.Effect<ReadonlyMap<string, RunningProvider>>

/** Follows the entries at each question: one that stayed keeps what was made for it, one that changed begins anew. */
export const follow = Effect.fnUntraced(function*(
  entries: SubscriptionRef.SubscriptionRef<ReadonlyArray<ProviderEntry>>
): Effect.fn.Return<Current> {
  const fetches = yield* Effect.context<never>()
  const running = yield* SynchronizedRef.make<ReadonlyMap<string, RunningProvider>>(new Map())
  const renewed = Effect.fnUntraced(function*(before: ReadonlyMap<string, RunningProvider>) {
    const all = yield* Effect.forEach(yield* SubscriptionRef.get(entries), (entry) => {
      const old = before.get(entry.name)
      return old !== undefined && Equal.equals(old.entry, entry) ? Effect.succeed(old) : start(entry)
    })
    return new Map(all.map((one) => [one.entry.name, one]))
  })
  return SynchronizedRef.updateAndGetEffect(running, (before) => Effect.provideContext(renewed(before), fetches))
})

/**
 * A model keeps the schemas of the tools that it was last offered, which is a megabyte for each turn where each turn
 * makes a model of its own.
 */
const MOST_MODELS = 100
