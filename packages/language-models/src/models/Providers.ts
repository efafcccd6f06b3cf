/** Makes the models of a provider, by its kind. */
import type { LanguageModelV4 } from "@ai-sdk/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Secrets from "../errors/Secrets.ts"
import type { Wire } from "./ModelFacts.ts"
import { atOrigin, ModelFetch, PublicModelFetch } from "./ModelFetch.ts"
import type * as ModelListing from "./ModelListing.ts"
import { addressOf, type ProviderEntry } from "./ProviderEntry.ts"
import * as ProviderTraits from "./ProviderTraits.ts"

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

export type Maker = "anthropic" | "google" | "openai"

export interface Provider {
  readonly status: ProviderStatus
  readonly traits: ProviderTraits.ProviderTraits
  readonly wire: Wire
  /** Hides its key, and what is secret in its address. */
  readonly scrub: Secrets.Scrub
  /** Asks no network. Only to be used when `status.ready`. */
  readonly model: (modelId: string) => Effect.Effect<LanguageModelV4>
  /** The maker of its models, where that is known without asking it; else null, and its own list says. */
  readonly maker: Maker | null
  readonly listedAt: ModelListing.ListedAt
}

/** Makes a provider of an entry. Asks no network; requests go through `ModelFetch` or `PublicModelFetch`. */
export const make = Effect.fnUntraced(function*(entry: ProviderEntry) {
  const fetch = atOrigin(yield* (entry.publicOnly ? PublicModelFetch : ModelFetch))
  const url = addressOf(entry)
  const key = entry.key === null ? null : Redacted.value(entry.key)
  const way: Way = { key, url: url ?? "", fetch }
  const { example, ...maker } = makers[madeBy(entry)](way)
  const scrub = Secrets.make({ key, baseUrl: entry.url })
  const missing = entry.missing ?? (url === null ? "it has no address" : null)
  const { headers, query, ...rest } = maker
  return {
    ...rest,
    status: { provider: entry.name, ready: missing === null, missing, example: `${entry.name}/${example}` },
    scrub,
    listedAt: { baseUrl: way.url, headers: key === null ? {} : headers(key), query, scrub, fetch }
  } satisfies Provider
})

interface Way {
  readonly key: string | null
  readonly url: string
  readonly fetch: typeof globalThis.fetch
}

interface Made extends Pick<Provider, "traits" | "wire" | "maker" | "model"> {
  readonly example: string
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly query: string
}

/** Sent where there is no key: the provider packages insist on one, such servers do not. */
const NO_KEY = "none"

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

// Each is loaded with its first model: together they take a tenth of a server's start.
const anthropicPackage = Effect.promise(() => import("@ai-sdk/anthropic"))
const googlePackage = Effect.promise(() => import("@ai-sdk/google"))
const openAiPackage = Effect.promise(() => import("@ai-sdk/openai"))
const compatiblePackage = Effect.promise(() => import("@ai-sdk/openai-compatible"))

// Base URLs are always given, since the packages would else read the process's environment behind Config's back.
const anthropic = ({ fetch, key, url }: Way): Made => ({
  traits: ProviderTraits.anthropic,
  wire: "anthropic",
  maker: "anthropic",
  example: "claude-sonnet-5",
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  query: "?limit=1000",
  model: (modelId) =>
    Effect.map(
      anthropicPackage,
      ({ createAnthropic }) => createAnthropic({ apiKey: key ?? NO_KEY, baseURL: url, fetch }).languageModel(modelId)
    )
})

const google = ({ fetch, key, url }: Way): Made => ({
  traits: ProviderTraits.google,
  wire: "google",
  maker: "google",
  example: "gemini-2.5-flash",
  headers: (key) => ({ "x-goog-api-key": key }),
  query: "?pageSize=1000",
  model: (modelId) =>
    Effect.map(
      googlePackage,
      ({ createGoogle }) => createGoogle({ apiKey: key ?? NO_KEY, baseURL: url, fetch }).languageModel(modelId)
    )
})

const responses = ({ fetch, key, url }: Way): Made => ({
  traits: ProviderTraits.openai,
  wire: "openai",
  maker: "openai",
  example: "gpt-5.4",
  headers: bearer,
  query: "",
  model: (modelId) =>
    Effect.map(
      openAiPackage,
      ({ createOpenAI }) => createOpenAI({ apiKey: key ?? NO_KEY, baseURL: url, fetch }).languageModel(modelId)
    )
})

const responsesElsewhere = (way: Way): Made => ({ ...responses(way), maker: null, example: "MODEL" })

const completions = ({ fetch, key, url }: Way): Made => ({
  traits: ProviderTraits.openaiCompatible,
  wire: "openai",
  maker: null,
  example: "MODEL",
  headers: bearer,
  query: "",
  model: (modelId) =>
    Effect.map(compatiblePackage, ({ createOpenAICompatible }) =>
      createOpenAICompatible({
        // Not `openai`: signatures are kept under this name and must not mix with the Responses API's.
        name: "compatible",
        baseURL: url,
        includeUsage: true,
        fetch,
        ...(key === null ? {} : { apiKey: key })
      }).languageModel(modelId))
})

const makers = { anthropic, google, responses, responsesElsewhere, completions }

const madeBy = ({ kind, url }: ProviderEntry): keyof typeof makers => {
  switch (kind) {
    case "anthropic":
    case "google":
      return kind
    case "openai":
      return url === null ? "responses" : "completions"
    case "openai-responses":
      return url === null ? "responses" : "responsesElsewhere"
    case "openai-compatible":
      return "completions"
  }
}
