/**
 * The models of the large providers with their context windows and prices, from `@pydantic/genai-prices`, which holds
 * them itself: no network is asked.
 */
import type { ModelPrice, PriceCalculation } from "@pydantic/genai-prices"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ModelFacts, type Prices, type Rates, UNKNOWN } from "./ModelFacts.ts"

/** A model that a person may choose. */
export interface SuggestedModel {
  /** As it is chosen, for instance `openai/gpt-5.4`. */
  readonly id: string
  readonly contextTokens: number | null
  /** In US dollars for a million tokens. */
  readonly inputPrice: number | null
  readonly outputPrice: number | null
  /** Null where that is not known. */
  readonly seesImages: boolean | null
}

export interface ModelCatalog {
  /** The facts of a provider's model; null when it is not listed. */
  readonly facts: (provider: string, modelId: string) => ModelFacts | null
  /** The names of the chat models of a provider, the newest first. */
  readonly models: (provider: string) => ReadonlyArray<string>
}

/** The catalog. Its data take about 50 ms to load, so they are loaded when they are first asked for. */
export const load: Effect.Effect<ModelCatalog> = Effect.map(
  Effect.promise(() => import("@pydantic/genai-prices")),
  ({ calcPrice, findProvider }) => {
    const priced = (providerId: string, modelId: string): PriceCalculation | null =>
      Result.getOrNull(Result.try(() => calcPrice({ input_tokens: 0, output_tokens: 0 }, modelId, { providerId })))
    const facts: ModelCatalog["facts"] = (provider, modelId) => {
      const found = priced(provider, modelId)
      if (found === null && makerOf(modelId)?.provider !== provider) return null
      return {
        ...UNKNOWN,
        contextTokens: found?.model.context_window ?? FAMILY_TOKENS[provider] ?? null,
        prices: found === null ? null : pricesOf(found.model_price),
        seesImages: BLIND.test(modelId) ? false : null
      }
    }
    return {
      facts,
      models: (provider) =>
        (findProvider({ providerId: provider })?.models ?? [])
          .filter(({ deprecated, id }) => deprecated !== true && isChat(provider, id))
          .map(({ id }) => id)
          .toSorted(newestFirst)
    }
  }
)

/** A safe context window for a model of a provider that does not document one. */
const FAMILY_TOKENS: Readonly<Record<string, number>> = { anthropic: 200_000, google: 1_000_000, openai: 128_000 }

/** Models that refuse images; of others that is not written anywhere. */
const BLIND = /^(gpt-3\.5|gpt-4(-0|-32k|$)|o1-(mini|preview)|o3-mini|gpt-oss|claude-(2|v|instant)|gemma-[12](-|$))/

export const suggestion = (id: string, facts: ModelFacts): SuggestedModel => ({
  id,
  contextTokens: facts.contextTokens,
  inputPrice: facts.prices?.input ?? null,
  outputPrice: facts.prices?.output ?? null,
  seesImages: facts.seesImages
})

const pricesOf = (price: ModelPrice): Prices | null => {
  const tiers = Object.values(price).flatMap((one) => typeof one === "object" ? one.tiers : [])
  const limits = [...new Set(tiers.map(({ start }) => start))].toSorted((one, other) => one - other)
  return [0, ...limits].reduceRight<Prices | null>((over, tokens, index) => {
    const rates = ratesAt(price, tokens)
    const next = limits[index]
    if (rates === null) return null
    return { ...rates, over: over === null || next === undefined ? null : { tokens: next, prices: over } }
  }, null)
}

const ratesAt = (price: ModelPrice, tokens: number): Rates | null => {
  const at = (key: string): number | null => {
    const one = price[key]
    if (typeof one !== "object") return one ?? null
    return one.tiers.findLast(({ start }) => start <= tokens && tokens > 0)?.price ?? one.base
  }
  const [input, output] = [at("input_mtok"), at("output_mtok")]
  return input === null || output === null
    ? null
    : { input, output, cacheRead: at("cache_read_mtok"), cacheWrite: at("cache_write_mtok") }
}

const MAKERS: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-(?!2|v|3)/,
  google: /^gemini-\d/,
  openai: /^(gpt-[4-9]|o[1-9])/
}

/**
 * The maker of a model that nobody else offers, as its name tells, with or without the maker's name in front; null for
 * any other.
 */
export const makerOf = (id: string): { readonly provider: string; readonly modelId: string } | null => {
  const modelId = id.replace(/^(anthropic|google|openai)\//, "")
  const provider = Object.keys(MAKERS).find((name) => MAKERS[name]?.test(modelId) === true)
  return provider === undefined ? null : { provider, modelId }
}

/**
 * Models whose makers have them call tools in programs: those of Anthropic's programmatic tool calling (Opus and Sonnet since 4.5),
 * and those that OpenAI's Codex gives its code mode (GPT since 5).
 */
const PROGRAMMING: Readonly<Record<string, RegExp>> = {
  anthropic: /^claude-(opus|sonnet)-(4-[5-9]|[5-9]|\d\d)(?!\d)/,
  openai: /^gpt-([5-9]|\d\d)(?!\d)(?!.*(nano|chat))/
}

/** Whether a model is known to write programs that call tools, at any provider. */
export const writesPrograms = (id: string): boolean => {
  const maker = makerOf(id)
  return maker !== null && PROGRAMMING[maker.provider]?.test(maker.modelId) === true
}

/** Models that answer no chat, or only an older or another kind of one. */
const NO_CHAT =
  /audio|computer|deep-research|embed|image|instruct|live|moderation|omni|preview-tts|realtime|search|transcribe|tts|vision|:|-\d{4}-\d\d-\d\d|ft-|gpt-4(-|$)|gemini-1|o1-(mini|preview)/

const isChat = (provider: string, id: string): boolean => MAKERS[provider]?.test(id) === true && !NO_CHAT.test(id)

/** There are no dates: the number in a name tells, `gpt-5.4` before `gpt-5`, `claude-opus-5-5` before `claude-opus-5`. */
const newestFirst = (one: string, other: string): number => {
  const [ours, theirs] = [numbersOf(one), numbersOf(other)]
  const at = ours.findIndex((number, index) => number !== (theirs[index] ?? 0))
  if (at !== -1) return (theirs[at] ?? 0) - (ours[at] ?? 0)
  if (theirs.length > ours.length) return 1
  return one < other ? -1 : 1
}

/** OpenAI's `o` models are older than its GPT 5. */
const numbersOf = (name: string): ReadonlyArray<number> => {
  const numbers = [...name.matchAll(/\d+/g)].map(([digits]) => Number(digits))
  return /^o\d/.test(name) ? [4, ...numbers] : numbers
}
