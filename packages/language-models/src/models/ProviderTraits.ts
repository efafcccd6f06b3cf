/** Differences between providers. */
import type { SharedV4ProviderOptions } from "@ai-sdk/provider"
import type { ModelFacts } from "./ModelFacts.ts"

/** How requests to one provider are made. */
export interface ProviderTraits {
  /** Media types that may go into a tool's result as files. */
  readonly resultMedia: ReadonlyArray<string>
  /**
   * Media types of files that go into a user's message after the results where they may not go into the result. A file
   * of another type becomes a note in the text.
   */
  readonly messageMedia: ReadonlyArray<string>
  /**
   * How the provider is asked to keep the beginning of requests in its cache. `marks`: by a mark at each place up to which it is kept.
   * `key`: it does so by itself, and a key leads requests with the same beginning to the same machine. Null: by itself, or not at all.
   */
  readonly cache: "marks" | "key" | null
  /**
   * How its interface has tools that a model reads when a search found them, which not every model of it takes. `references`: all
   * definitions come with the request, and a result refers to some. `additions`: a result is followed by the definitions. Null: not at all.
   */
  readonly defersTools: "references" | "additions" | null
  /** Sent with every request, under the provider's own name. */
  readonly providerOptions: SharedV4ProviderOptions
}

const images = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const PDF = "application/pdf"
const documents = [...images, PDF]
const googleMedia = ["image/png", "image/jpeg", "image/webp", PDF]

/** A model nothing is known of: images after the results of tools, no other files. */
export const plain: ProviderTraits = {
  resultMedia: [],
  messageMedia: images,
  cache: null,
  defersTools: null,
  providerOptions: {}
}

/**
 * OpenAI's Responses API. Nothing is stored there: history is sent whole, and reasoning comes and goes encrypted, so a
 * chat can go on after any time.
 */
export const openai: ProviderTraits = {
  resultMedia: documents,
  messageMedia: documents,
  cache: "key",
  defersTools: "additions",
  providerOptions: { openai: { store: false } }
}

/**
 * Anthropic's Messages API. Tool arguments are not streamed eagerly: the API then checks that they are JSON, and
 * servers that only resemble Anthropic's meet no key they do not know.
 */
export const anthropic: ProviderTraits = {
  resultMedia: documents,
  messageMedia: documents,
  cache: "marks",
  defersTools: "references",
  providerOptions: { anthropic: { toolStreaming: false } }
}

/** Google's Gemini API. */
export const google: ProviderTraits = {
  resultMedia: googleMedia,
  messageMedia: googleMedia,
  cache: null,
  defersTools: null,
  providerOptions: {}
}

/** Chat completions, where a tool's result is text alone, and its images come after it. */
export const openaiCompatible: ProviderTraits = plain

/** Whether a model of this provider takes PDFs, where nobody says. It does where the provider does and it sees images. */
export const readsPdf = (
  { messageMedia }: ProviderTraits,
  { readsPdf, seesImages }: Pick<ModelFacts, "readsPdf" | "seesImages">
): boolean => readsPdf ?? (seesImages !== false && messageMedia.includes(PDF))

/**
 * Where each way is known to work. At Anthropic: models since Opus, Sonnet and Haiku 4.5. At OpenAI: those that TanStack AI lists for
 * `additional_tools` (its page on mid-conversation changes, October 2026). Others get `tool_call`.
 */
const DEFERRING = {
  references: { origin: "https://api.anthropic.com/", models: /^claude-[a-z]+-(4-[5-9]|[5-9]|\d\d)(?!\d)/ },
  additions: {
    origin: "https://api.openai.com/",
    models: /^gpt-(5\.4-mini|5\.5|5\.6-(luna|sol|terra)|6-(astra|luna|sol))(-\d{4}-\d\d-\d\d)?$/
  }
} as const

/**
 * Whether tools may be left to search at the provider itself. Where nobody says, they may for a model of which that is known, at its
 * maker's own address: servers that only resemble its maker's refuse what they do not know.
 */
export const defers = (
  { defersTools }: ProviderTraits,
  modelId: string,
  address: string,
  said: ModelFacts["defersTools"]
): boolean => {
  if (defersTools === null) return false
  const { models, origin } = DEFERRING[defersTools]
  return said ?? (address.startsWith(origin) && models.test(modelId))
}
