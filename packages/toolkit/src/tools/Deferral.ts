/**
 * Decides which tools a model gets with every request, and which it has to search for
 * (docs/decisions.md#decision-13-deferral).
 */
import type { SchemaDialect } from "./SchemaDialect.ts"

/** When definitions are left to search. */
export const modes = ["auto", "always", "never"] as const

/**
 * `auto`: above the threshold, or when there are more tools than the provider takes. `always`: whatever the cost.
 * `never`: only what the provider does not take.
 */
export type Mode = typeof modes[number]

/** When definitions are left to search. */
export interface Policy {
  readonly mode: Mode
  /** In tokens: what the definitions that can be left out may cost before they are. For `auto` alone. */
  readonly threshold: number
}

/**
 * `auto` at 10,000 tokens: a twentieth of a context of 200,000. Below it a search costs more turns than it saves
 * tokens; the vendors that measured it recommend about as much.
 */
export const DEFAULT: Policy = { mode: "auto", threshold: 10_000 }

/**
 * How many tools a provider takes in one request; more make it fail.
 *
 * - OpenAI: 128 (reference of chat completions, `tools`: "A max of 128 functions are supported"; the error is `Expected
 *   an array with maximum length 128`). Servers that speak like it are taken to have the same limit.
 * - Gemini: 128 (Vertex AI, `Tool.functionDeclarations`: "Maximum 128 function declarations can be provided"; the
 *   Gemini API refuses above 512).
 * - Anthropic: none documented.
 */
export const CAPS: Readonly<Record<SchemaDialect, number>> = {
  raw: Infinity,
  openai: 128,
  "openai-strict": 128,
  anthropic: Infinity,
  gemini: 128
}

/** `tool_search`, `tool_describe` and `tool_call`. */
const SEARCH_TOOLS = 3

/** The fields of a tool that decide. */
export interface Deferrable {
  readonly name: string
  readonly tokens: number
  readonly isAlwaysLoaded: boolean
}

/** The decision for the tools of servers. Both lists are sorted by name. */
export interface Plan<Tool> {
  /** Sent with every request. */
  readonly shown: ReadonlyArray<Tool>
  /** Left to search. */
  readonly deferred: ReadonlyArray<Tool>
  /** True when more should have been shown than the provider takes. */
  readonly isOverflowing: boolean
}

/**
 * Decides for the tools of servers, given in any order; `room` is what the cap leaves beside the built-in tools. Those
 * of `alwaysLoad` are shown first, as far as there is room. Depends on nothing but its arguments, so that equal tools
 * make equal requests.
 */
export const plan = <Tool extends Deferrable>(
  tools: ReadonlyArray<Tool>,
  { mode, threshold }: Policy,
  room: number
): Plan<Tool> => {
  const sorted = tools.toSorted(byName)
  const fixed = sorted.filter((tool) => tool.isAlwaysLoaded)
  const others = sorted.filter((tool) => !tool.isAlwaysLoaded)
  const isTooLong = sorted.length > room
  const cost = others.reduce((sum, tool) => sum + tool.tokens, 0)
  const isDeferring = mode === "always" || (mode === "auto" && (isTooLong || cost > threshold))
  if (!isDeferring && !isTooLong) return { shown: sorted, deferred: [], isOverflowing: false }
  const wanted = isDeferring ? fixed : [...fixed, ...others]
  const shown = new Set(wanted.slice(0, Math.max(0, room - SEARCH_TOOLS)))
  return {
    shown: sorted.filter((tool) => shown.has(tool)),
    deferred: sorted.filter((tool) => !shown.has(tool)),
    isOverflowing: shown.size < wanted.length
  }
}

const byName = (one: Deferrable, other: Deferrable): number => one.name < other.name ? -1 : 1
