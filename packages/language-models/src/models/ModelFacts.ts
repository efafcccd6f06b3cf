/** Facts of a model before a request: its context window, its prices, whether it sees images. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** In US dollars for a million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Null where the provider has no price of its own for it: then it costs as much as other input. */
  readonly cacheRead: number | null
  readonly cacheWrite: number | null
}

/** The prices of a model. */
export interface Prices extends Rates {
  /** The prices of a request with more input than so many tokens; null when all cost the same. */
  readonly over: { readonly tokens: number; readonly prices: Prices } | null
}

/** The family of formats that a provider's requests have; it decides which schemas of tools it takes. */
export type Wire = "anthropic" | "google" | "openai"

/** Facts of a model; null is not known. */
export interface ModelFacts {
  readonly wire: Wire | null
  /** How many tokens a request and its answer may have together. */
  readonly contextTokens: number | null
  readonly prices: Prices | null
  readonly seesImages: boolean | null
  /** Whether it takes a PDF as it is; null is not known, and counts as no. */
  readonly readsPdf: boolean | null
  /** Whether tools can be left to search at its provider; null is not known, and counts as no. See `DeferredTool`. */
  readonly defersTools: boolean | null
  /** Whether it is known to write programs that call tools; null is not known, and counts as no. */
  readonly writesPrograms: boolean | null
  /** For how long it may say nothing before its answer counts as broken off; null is the usual time. */
  readonly silenceSeconds: number | null
}

/** Facts that a provider's refusal tells. */
export type Lesson = Partial<Pick<ModelFacts, "contextTokens" | "seesImages" | "readsPdf" | "defersTools">>

/** Facts of a model that can learn more. */
export interface Known extends ModelFacts {
  /** Remembers what the provider said, for as long as the program runs. */
  readonly learn: (lesson: Lesson) => Effect.Effect<void>
}

/** Nothing is known. */
export const UNKNOWN: ModelFacts = {
  wire: null,
  contextTokens: null,
  prices: null,
  seesImages: null,
  readsPdf: null,
  defersTools: null,
  writesPrograms: null,
  silenceSeconds: null
}

const Price = Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))

/** Facts that a person sets; they go before all others. */
export const ModelOverride = Schema.Struct({
  /** The people that a host with several people offers it to, in words of the host. No fact, and nothing here reads it. */
  for: Schema.optionalKey(Schema.Array(Schema.String)),
  contextTokens: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1000))),
  /** In US dollars for a million tokens. */
  inputPrice: Price,
  outputPrice: Price,
  cacheReadPrice: Price,
  cacheWritePrice: Price,
  seesImages: Schema.optionalKey(Schema.Boolean),
  readsPdf: Schema.optionalKey(Schema.Boolean),
  defersTools: Schema.optionalKey(Schema.Boolean),
  writesPrograms: Schema.optionalKey(Schema.Boolean),
  silenceSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
})

/** Facts that a person sets. */
export type ModelOverride = typeof ModelOverride.Type

/** Facts that a person sets, by id such as `openai/qwen3`; `openai/*` is for all of a provider that are not named, `*` for all. */
export const ModelOverrides: Context.Reference<Readonly<Record<string, ModelOverride>>> = Context.Reference(
  "language-models/ModelOverrides",
  { defaultValue: () => ({}) }
)

/** The overrides of a model under its own id, over those of all of its provider, over those of all. */
const said = (id: string, overrides: Readonly<Record<string, ModelOverride>>): ModelOverride => ({
  ...overrides["*"],
  ...overrides[`${id.slice(0, id.indexOf("/"))}/*`],
  ...overrides[id]
})

/** The people that a model is offered to, as `for` of its override says; null for everyone. */
export const audienceOf = (
  id: string,
  overrides: Readonly<Record<string, ModelOverride>>
): ReadonlyArray<string> | null => said(id, overrides).for ?? null

/**
 * The facts with what a person says in their place. Prices count as known when those of input and output are. Cached tokens then cost what
 * the person says, or as much as other input.
 */
export const overridden = (
  facts: ModelFacts,
  id: string,
  overrides: Readonly<Record<string, ModelOverride>>
): ModelFacts => {
  const given = said(id, overrides)
  const input = given.inputPrice ?? facts.prices?.input
  const output = given.outputPrice ?? facts.prices?.output
  const { cacheReadPrice: cacheRead, cacheWritePrice: cacheWrite } = given
  const isPriced = [given.inputPrice, given.outputPrice, cacheRead, cacheWrite].some((price) => price !== undefined)
  return {
    ...facts,
    contextTokens: given.contextTokens ?? facts.contextTokens,
    prices: isPriced && input !== undefined && output !== undefined
      ? { input, output, cacheRead: cacheRead ?? null, cacheWrite: cacheWrite ?? null, over: null }
      : facts.prices,
    seesImages: given.seesImages ?? facts.seesImages,
    readsPdf: given.readsPdf ?? facts.readsPdf,
    defersTools: given.defersTools ?? facts.defersTools,
    writesPrograms: given.writesPrograms ?? facts.writesPrograms,
    silenceSeconds: given.silenceSeconds ?? facts.silenceSeconds
  }
}

/** The facts after a lesson. A context is never more than a provider said that it is. */
export const taught = (
  facts: ModelFacts,
  { contextTokens, defersTools, readsPdf, seesImages }: Lesson
): ModelFacts => ({
  ...facts,
  contextTokens: contextTokens === undefined || contextTokens === null
    ? facts.contextTokens
    : Math.min(contextTokens, facts.contextTokens ?? contextTokens),
  seesImages: seesImages ?? facts.seesImages,
  readsPdf: readsPdf ?? facts.readsPdf,
  defersTools: defersTools ?? facts.defersTools
})
