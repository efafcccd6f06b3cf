/** The models and their providers as layers, without chats and the HTTP side. */
import { LanguageModels, ModelFacts, ModelFetch, PublicModelFetch } from "@boocode/language-models"
import { McpFetch } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Foundation from "./Foundation.ts"
import { ModelProviders } from "./settings/ModelProviders.ts"
import { Settings } from "./settings/Settings.ts"

export * as LocalProviders from "./models/LocalProviders.ts"
export * as ModelList from "./models/ModelList.ts"
export * as ProviderChange from "./models/ProviderChange.ts"
export type { Draft, Trial } from "./models/ProviderChange.ts"
export { DefaultModel } from "./settings/DefaultModel.ts"
export { type KnownProvider, ModelProviders } from "./settings/ModelProviders.ts"
export * as SettingsChange from "./settings/SettingsChange.ts"

/** An address that must be public is reached by the fetch that judges each connection. */
const fetches = Layer.unwrap(Effect.map(McpFetch, ({ fetch, publicFetch }) =>
  Layer.merge(
    Layer.succeed(ModelFetch, fetch),
    publicFetch === undefined ? Layer.empty : Layer.succeed(PublicModelFetch, publicFetch)
  )))

/** The models, and their providers. */
export const models = Layer.unwrap(Effect.map(ModelProviders, ({ entries }) => LanguageModels.layerOf(entries))).pipe(
  Layer.provide(fetches),
  // Beside the models: who may use which is asked where one is chosen.
  Layer.provideMerge(Layer.effect(ModelFacts.ModelOverrides, Effect.map(Settings, ({ models }) => models))),
  Layer.provideMerge(ModelProviders.layer),
  Layer.provide(Foundation.credentials)
)
