/**
 * What providers refuse in a tool's input schema, told before a request fails because of it. The rules come from what
 * vendors document and from what people reported, each file names them with their dates; nothing here knows how a schema
 * is made legal.
 */
import type * as Schema from "effect/Schema"
import { anthropic } from "./AnthropicRules.ts"
import { gemini, geminiJson } from "./GeminiRules.ts"
import { openai, openaiStrict } from "./OpenAiRules.ts"
import * as Places from "./Places.ts"

/** Something that a provider refuses. */
export interface Violation {
  /** Where in the schema, for instance `properties.tags`; empty for its root. Long ones are cut. */
  readonly path: string
  /** Which rule, for instance `root-choice`. */
  readonly rule: string
  /** What is wrong, in words. */
  readonly detail: string
}

/**
 * Whose rules: those of a dialect, or `gemini-json` for what stands in Gemini's `parametersJsonSchema` instead of its
 * `parameters`. `raw` refuses nothing.
 */
export type RuleSet = typeof ruleSets[number]

/** Every set of rules. */
export const ruleSets = ["raw", "openai", "openai-strict", "anthropic", "gemini", "gemini-json"] as const

const MOST = 100

/**
 * Why a provider would refuse the request that holds this schema: at most 100 reasons, none when it would take it. Pure,
 * never fails, and its cost grows with the schema, up to a bound: what is too deep or too large to be looked at, or holds
 * itself, is refused for that.
 */
export const check = (rules: RuleSet, schema: Schema.Json): ReadonlyArray<Violation> => {
  if (rules === "raw") return []
  const extent = Places.extent(schema)
  return extent === null ? SETS[rules](schema, Places.places(schema)).slice(0, MOST) : [extent]
}

type Judge = (root: Schema.Json, all: ReadonlyArray<Places.Places>) => ReadonlyArray<Violation>

const SETS: Readonly<Record<Exclude<RuleSet, "raw">, Judge>> = {
  openai,
  "openai-strict": openaiStrict,
  anthropic,
  gemini,
  "gemini-json": geminiJson
}
