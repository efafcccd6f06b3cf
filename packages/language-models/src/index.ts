/** The public names of language-models. */
export * as AiSdkModel from "./AiSdkModel.ts"
export { LanguageModels, ModelUnavailable } from "./LanguageModels.ts"
export { ModelFetch } from "./ModelFetch.ts"
export { ModelSettings, type ReasoningEffort } from "./ModelSettings.ts"
export * as ProviderError from "./ProviderError.ts"
export { type ProviderStatus } from "./Providers.ts"
export * as ProviderTraits from "./ProviderTraits.ts"
