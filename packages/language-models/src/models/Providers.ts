/** The providers, with the keys and addresses that the environment gives them. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Secrets from "../errors/Secrets.ts"
import { ModelFetch } from "./ModelFetch.ts"
import * as ProviderTraits from "./ProviderTraits.ts"
import type * as ServerModels from "./ServerModels.ts"

/** One provider and whether it can be used as things stand. */
export interface ProviderStatus {
  /** The part before the slash, for instance `openai`. */
  readonly provider: string
  readonly ready: boolean
  /** The missing setting, for instance "set OPENAI_API_KEY"; null when ready. */
  readonly missing: string | null
  /** A model id that works with it, as an example. */
  readonly example: string
}

/** A provider that makes models. */
export interface Provider {
  readonly status: ProviderStatus
  readonly traits: ProviderTraits.ProviderTraits
  /** Hides its key, and what is secret in its address. */
  readonly scrub: Secrets.Scrub
  /** Asks no network. Only to be used when `status.ready`. */
  readonly model: (modelId: string) => LanguageModelV4
  /** Where its own list of models is; null for a maker's own address, whose models are known. */
  readonly listedAt: ServerModels.ListedAt | null
}

/**
 * Every provider, sorted by name, from these variables: ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL,
 * GOOGLE_GENERATIVE_AI_API_KEY (or GEMINI_API_KEY, GOOGLE_API_KEY), OPENAI_API_KEY, OPENAI_BASE_URL. An empty one
 * counts as unset. With a base URL no key is needed. A base URL that holds a user or a password, and a key that no
 * header can carry, are refused: they would be shown by every error.
 */
export const fromConfig: Effect.Effect<ReadonlyArray<Provider>, Config.ConfigError> = Effect.gen(function*() {
  const fetch = yield* ModelFetch
  return [
    anthropic(yield* access(["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL"), fetch),
    google(yield* access(["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"]), fetch),
    openai(yield* access(["OPENAI_API_KEY"], "OPENAI_BASE_URL"), fetch)
  ]
})

interface Access {
  readonly key: string | null
  readonly baseUrl: string | null
  readonly missing: string | null
}

const access = Effect.fnUntraced(function*(keyVariables: ReadonlyArray<string>, urlVariable?: string) {
  const keys = yield* Effect.forEach(keyVariables, (name) => Effect.map(variable(name), (key) => ({ name, key })))
  const url = urlVariable === undefined ? null : yield* variable(urlVariable)
  const { key, name } = keys.find((found) => found.key !== null) ?? { key: null, name: "" }
  const missing = (url === null ? null : urlTrouble(urlVariable ?? "", url)) ??
    (key === null || HEADER_VALUE.test(key)
      ? null
      : `${name} holds a character that no key has, such as a line break`) ??
    (key === null && url === null ? `set ${keyVariables[0]}` : null)
  return { key, baseUrl: url, missing } satisfies Access
})

const HEADER_VALUE = /^[\x20-\x7e\xa0-\xff]*$/

const urlTrouble = (name: string, text: string): string | null => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return `${name} is not a URL`
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${name} does not start with http:// or https://`
  return url.username + url.password === ""
    ? null
    : `${name} holds a user or a password; give a key in its own variable`
}

const variable = (name: string): Effect.Effect<string | null, Config.ConfigError> =>
  Effect.map(Config.option(Config.Redacted(name)), (value) => {
    const text = Option.match(value, { onNone: () => "", onSome: Redacted.value }).trim()
    return text === "" ? null : text
  })

/** Sent where a base URL is set without a key: the provider packages insist on one, such servers do not. */
const NO_KEY = "none"

const status = (provider: string, { missing }: Access, example: string): ProviderStatus => ({
  provider,
  ready: missing === null,
  missing,
  example: `${provider}/${example}`
})

// Base URLs are always given, since the packages would else read the process's environment behind Config's back.
const anthropic = (access: Access, fetch: typeof globalThis.fetch): Provider => ({
  status: status("anthropic", access, "claude-sonnet-5"),
  traits: ProviderTraits.anthropic,
  scrub: Secrets.make(access),
  listedAt: null,
  model: (modelId) =>
    createAnthropic({
      apiKey: access.key ?? NO_KEY,
      baseURL: access.baseUrl ?? "https://api.anthropic.com/v1",
      fetch
    }).languageModel(modelId)
})

const google = (access: Access, fetch: typeof globalThis.fetch): Provider => ({
  status: status("google", access, "gemini-2.5-flash"),
  traits: ProviderTraits.google,
  scrub: Secrets.make(access),
  listedAt: null,
  model: (modelId) => createGoogle({ apiKey: access.key ?? NO_KEY, fetch }).languageModel(modelId)
})

const openai = (access: Access, fetch: typeof globalThis.fetch): Provider => {
  const { baseUrl, key } = access
  if (baseUrl !== null) return compatible(access, baseUrl, fetch)
  return {
    status: status("openai", access, "gpt-5.4"),
    traits: ProviderTraits.openai,
    scrub: Secrets.make(access),
    listedAt: null,
    model: (modelId) =>
      createOpenAI({ apiKey: key ?? NO_KEY, baseURL: "https://api.openai.com/v1", fetch }).languageModel(modelId)
  }
}

const compatible = (access: Access, baseURL: string, fetch: typeof globalThis.fetch): Provider => ({
  status: status("openai", access, "MODEL"),
  traits: ProviderTraits.openaiCompatible,
  scrub: Secrets.make(access),
  listedAt: { baseUrl: baseURL, key: access.key, fetch },
  model: (modelId) =>
    createOpenAICompatible({
      // Not `openai`: signatures are kept under this name and must not mix with the Responses API's.
      name: "compatible",
      baseURL,
      includeUsage: true,
      fetch,
      ...(access.key === null ? {} : { apiKey: access.key })
    }).languageModel(modelId)
})
