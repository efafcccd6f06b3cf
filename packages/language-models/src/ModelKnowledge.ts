/** Knowledge about the models of the providers: facts, suggestions and lists. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Secrets from "./errors/Secrets.ts"
import * as ModelCatalog from "./models/ModelCatalog.ts"
import * as ModelFacts from "./models/ModelFacts.ts"
import * as ModelListing from "./models/ModelListing.ts"
import type { ProviderEntry } from "./models/ProviderEntry.ts"
import * as Providers from "./models/Providers.ts"
import * as ProviderTraits from "./models/ProviderTraits.ts"
import type * as RunningProviders from "./RunningProviders.ts"

const MOST_SUGGESTED = 300

const PATIENCE = "10 seconds"

type Known = Pick<RunningProviders.RunningProvider, "provider" | "list" | "lessons">

/** Answers for the providers of `current`; one that is only tried out is reached through the fetches of `fetches`. */
export const make = Effect.fnUntraced(function*(
  current: RunningProviders.Current,
  fetches: Context.Context<never>
) {
  const overrides = yield* ModelFacts.ModelOverrides
  const catalog = yield* Effect.cached(ModelCatalog.load)
  const known = Effect.fnUntraced(function*(id: string, { lessons, list, provider }: Known) {
    const modelId = id.slice(id.indexOf("/") + 1)
    const found = provider.maker === null
      ? yield* listed(list, catalog, modelId)
      : (yield* catalog).facts(provider.maker, modelId)
    const said = ModelFacts.overridden(found ?? ModelFacts.UNKNOWN, id, overrides)
    const facts = ModelFacts.taught(said, lessons.get(id) ?? {})
    const { listedAt, traits, wire } = provider
    return {
      ...facts,
      readsPdf: ProviderTraits.readsPdf(traits, facts),
      defersTools: ProviderTraits.defers(traits, modelId, listedAt.baseUrl, facts.defersTools),
      writesPrograms: facts.writesPrograms ?? ModelCatalog.writesPrograms(modelId),
      wire
    }
  })
  const facts = Effect.fn("LanguageModels.facts")(function*(id: string) {
    const found = (yield* current).get(id.slice(0, id.indexOf("/")))
    const lessons = found?.lessons ?? new Map<string, ModelFacts.Lesson>()
    return {
      ...found === undefined ? ModelFacts.overridden(ModelFacts.UNKNOWN, id, overrides) : yield* known(id, found),
      learn: (lesson: ModelFacts.Lesson) => Effect.sync(() => void lessons.set(id, { ...lessons.get(id), ...lesson }))
    }
  })
  const suggestions = (of: Known, modelIds: ReadonlyArray<string>) =>
    Effect.forEach(modelIds, (modelId) => {
      const id = `${of.provider.status.provider}/${modelId}`
      return Effect.map(known(id, of), (facts) => ModelCatalog.suggestion(id, facts))
    })
  const suggested = Effect.fn("LanguageModels.suggested")(function*(name: string) {
    const found = (yield* current).get(name)
    if (found?.provider.status.ready !== true) return []
    const { list, provider } = found
    const ids = provider.maker === null
      ? (yield* list).map(({ id }) => id)
      : (yield* catalog).models(provider.maker)
    return yield* suggestions(found, ids.slice(0, MOST_SUGGESTED))
  })
  const listedNow = Effect.fn("LanguageModels.listed")(function*(entry: ProviderEntry) {
    const provider = yield* Effect.provideContext(Providers.make(entry), fetches)
    const models = yield* ModelListing.list(provider.listedAt).pipe(
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(silent(provider)) })
    )
    const of = { provider, list: Effect.succeed(models), lessons: new Map() }
    const known = yield* suggestions(of, models.map(({ id }) => id))
    return known.map((one, index) => ({
      ...one,
      contextTokens: one.contextTokens ?? models[index]?.contextTokens ?? null
    }))
  })
  return { facts, suggested, listed: listedNow }
})

const silent = ({ listedAt }: Providers.Provider) =>
  new ModelListing.ListingFailed({
    message: `${Secrets.place(listedAt.baseUrl)} did not answer within ${PATIENCE}`,
    hint: "check the address, and whether a firewall or a proxy stands between"
  })

/** A server may offer the models of the makers under their own names; then they are what they are anywhere. */
const listed = Effect.fnUntraced(function*(
  list: Known["list"],
  catalog: Effect.Effect<ModelCatalog.ModelCatalog>,
  modelId: string
): Effect.fn.Return<ModelFacts.ModelFacts> {
  const contextTokens = (yield* list).find(({ id }) => id === modelId)?.contextTokens ?? null
  const made = ModelCatalog.makerOf(modelId)
  const facts = made === null ? null : (yield* catalog).facts(made.provider, made.modelId)
  return { ...facts ?? ModelFacts.UNKNOWN, contextTokens: contextTokens ?? facts?.contextTokens ?? null }
})
