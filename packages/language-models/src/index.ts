/** The public names of language-models. */
export { LanguageModels, ModelUnavailable, type ProviderStatus } from "./LanguageModels.ts"
