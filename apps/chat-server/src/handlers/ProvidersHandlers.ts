/** The providers of models. */
import { LanguageModels, ProviderEntries } from "@boocode/language-models"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Match from "effect/Match"
import { Access } from "../access/Access.ts"
import { ChatApi } from "../api/ChatApi.ts"
import * as Problems from "../api/Problems.ts"
import * as LocalProviders from "../models/LocalProviders.ts"
import * as ProviderChange from "../models/ProviderChange.ts"
import { type KnownProvider, ModelProviders } from "../settings/ModelProviders.ts"

export const layer = HttpApiBuilder.group(
  ChatApi,
  "providers",
  Effect.fnUntraced(function*(handlers) {
    const { isOpen } = yield* Access
    const { known } = yield* ModelProviders
    const models = yield* LanguageModels
    const needs = yield* Effect.context<Effect.Services<ReturnType<typeof ProviderChange.change>> | LanguageModels>()
    const asker = { isOpen, mayNameVariables: false }
    const examples = Effect.map(models.providers, (all) => new Map(all.map((one) => [one.provider, one.example])))
    const document = (provider: KnownProvider) =>
      Effect.map(examples, (all) => shown(provider, all.get(provider.entry.name) ?? `${provider.entry.name}/MODEL`))
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query }) {
        return {
          providers: yield* Effect.flatMap(known, Effect.forEach(document)),
          kinds: KINDS,
          found: query.find === "true" && isOpen ? yield* Effect.provideContext(LocalProviders.find, needs) : []
        }
      }),
      add: ({ payload: { name, ...draft } }) =>
        ProviderChange.add(name, draft, asker).pipe(
          Effect.flatMap(document),
          Effect.provideContext(needs),
          Effect.mapError(problem)
        ),
      change: ({ params, payload }) =>
        ProviderChange.change(params.name, payload, asker).pipe(
          Effect.flatMap(document),
          Effect.provideContext(needs),
          Effect.mapError(problem)
        ),
      remove: ({ params }) =>
        ProviderChange.remove(params.name).pipe(Effect.provideContext(needs), Effect.mapError(problem)),
      test: ({ params, payload }) =>
        ProviderChange.test(params.name, payload ?? {}, asker).pipe(
          Effect.provideContext(needs),
          Effect.mapError(problem)
        )
    })
  })
)

const KINDS = ProviderEntries.PROVIDER_KINDS.map((kind) => ({ kind, ...ProviderEntries.KINDS[kind] }))

const shown = ({ entry, keyFrom, source, variable }: KnownProvider, example: string) => ({
  name: entry.name,
  kind: entry.kind,
  url: entry.url,
  key: { from: keyFrom, variable },
  source,
  ready: entry.missing === null,
  missing: entry.missing,
  example
})

type Failure = Effect.Error<ReturnType<typeof ProviderChange.change>> | ProviderChange.ProviderConflict

const problem = Match.typeTags<Failure>()({
  WrongProvider: Problems.badRequest,
  UnknownHost: Problems.badRequest,
  NotOverHttp: Problems.forbidden,
  UnknownProvider: Problems.notFound,
  ProviderConflict: (error) => Problems.conflict(error.state, error),
  KeyNotKept: Problems.internal
})
