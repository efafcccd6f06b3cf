/** One provider as it is configured: its name, what it speaks, its address and its key. */
import type * as Redacted from "effect/Redacted"

/** The kinds of providers, by the API they speak. */
export const PROVIDER_KINDS = ["openai", "openai-responses", "anthropic", "google", "openai-compatible"] as const

/**
 * The API that a provider speaks. `openai` is the Responses API at OpenAI itself, and chat completions at any other
 * address; `openai-responses` is the Responses API at any address; `openai-compatible` is chat completions.
 */
export type ProviderKind = typeof PROVIDER_KINDS[number]

/** Facts of a kind of provider, for the person who chooses one. */
export interface KindFacts {
  readonly title: string
  /** The address where an entry has none; null where it must have one. */
  readonly url: string | null
  /** Whether a provider at that address needs a key. */
  readonly needsKey: boolean
  /** Where a person gets a key; null where there is no one place. */
  readonly keyPage: string | null
}

const OPENAI = { url: "https://api.openai.com/v1", needsKey: true, keyPage: "https://platform.openai.com/api-keys" }

/** The facts of each kind. */
export const KINDS: Readonly<Record<ProviderKind, KindFacts>> = {
  openai: { title: "OpenAI", ...OPENAI },
  "openai-responses": { title: "OpenAI Responses API at another address", ...OPENAI },
  anthropic: {
    title: "Anthropic",
    url: "https://api.anthropic.com/v1",
    needsKey: true,
    keyPage: "https://platform.claude.com/settings/keys"
  },
  google: {
    title: "Google Gemini",
    url: "https://generativelanguage.googleapis.com/v1beta",
    needsKey: true,
    keyPage: "https://aistudio.google.com/apikey"
  },
  "openai-compatible": { title: "Ollama or another compatible address", url: null, needsKey: false, keyPage: null }
}

/** One provider. */
export interface ProviderEntry {
  /** The part of a model's id before the slash. */
  readonly name: string
  readonly kind: ProviderKind
  /** An http or https address without user and password; null is the address of its kind. */
  readonly url: string | null
  /** Sent to that address alone; null for none. */
  readonly key: Redacted.Redacted<string> | null
  /** Whether it is reached through `PublicModelFetch`. */
  readonly publicOnly: boolean
  /** Why it cannot be used, where that shows before; else null. */
  readonly missing: string | null
}

/** The names that providers may have. */
export const PROVIDER_NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/

/** The address that an entry is reached at; null where it lacks one. */
export const addressOf = ({ kind, url }: Pick<ProviderEntry, "kind" | "url">): string | null => url ?? KINDS[kind].url

/** Why a text can be no address of a provider, as the end of a sentence; null for one that can. */
export const addressTrouble = (text: string): string | null => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null) return "is not a URL"
  if (url.protocol !== "http:" && url.protocol !== "https:") return "does not start with http:// or https://"
  return url.username + url.password === "" ? null : "holds a user or a password; give a key in its own variable"
}

/** Whether a header can carry a text. */
export const isHeaderValue = (text: string): boolean => /^[\x20-\x7e\xa0-\xff]*$/.test(text)
