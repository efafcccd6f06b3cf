/** How a provider is asked to keep the beginning of a request in its cache. */
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from "@ai-sdk/provider"
import type { ProviderTraits } from "../models/ProviderTraits.ts"

/**
 * The request with what its provider wants for its cache.
 *
 * Anthropic keeps what stands before a mark and takes four marks: the last tool, the system message, the last message that a person
 * wrote, and the last message. It looks for what it kept up to 20 blocks before a mark. An answer may have more calls than that,
 * which is why the last message is not the only one with a mark.
 */
export const asked = (
  call: LanguageModelV4CallOptions,
  { cache }: Pick<ProviderTraits, "cache">,
  conversation: string | null
): LanguageModelV4CallOptions => {
  if (cache === null || conversation === null) return call
  if (cache === "marks") return marked(call)
  return {
    ...call,
    providerOptions: added(call.providerOptions, "openai", { promptCacheKey: conversation.slice(0, KEY_CHARACTERS) })
  }
}

/** OpenAI takes no longer key. */
const KEY_CHARACTERS = 64

const marked = (call: LanguageModelV4CallOptions): LanguageModelV4CallOptions => {
  const { prompt, tools } = call
  const places = new Set([
    prompt.findLastIndex(({ role }) => role === "system"),
    prompt.findLastIndex(({ role }) => role === "user"),
    prompt.length - 1
  ])
  const last = tools?.findLast((tool) => tool.type === "function" && !isDeferred(tool))
  return {
    ...call,
    prompt: prompt.map((message, at) => places.has(at) ? withMark(message) : message),
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => tool === last && tool.type === "function" ? withMark(tool) : tool) })
  }
}

/** Anthropic refuses a mark on such a definition, which is not a part of what it keeps. */
const isDeferred = ({ providerOptions }: { readonly providerOptions?: SharedV4ProviderOptions }): boolean =>
  providerOptions?.["anthropic"]?.["deferLoading"] === true

const withMark = <Marked extends { readonly providerOptions?: SharedV4ProviderOptions }>(one: Marked): Marked => ({
  ...one,
  providerOptions: added(one.providerOptions, "anthropic", MARK)
})

const MARK = { cacheControl: { type: "ephemeral" } } as const

const added = (
  options: SharedV4ProviderOptions | undefined,
  provider: string,
  more: SharedV4ProviderOptions[string]
): SharedV4ProviderOptions => ({ ...options, [provider]: { ...options?.[provider], ...more } })
