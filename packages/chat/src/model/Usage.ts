/** Tokens and cost of turns, added up. */
import type { ModelFacts } from "@boocode/language-models"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import { NO_USAGE, type TurnPart, type Usage as PartUsage } from "./Part.ts"

/** Tokens and cost in US dollars; null is not known. */
export type Usage = typeof PartUsage.Type

/** The usage of one request, as its provider says. Without prices the cost is not known. */
export const ofResponse = ({ inputTokens, outputTokens }: Response.Usage, prices: ModelFacts.Prices | null): Usage => {
  const usage = {
    inputTokens: inputTokens.total ?? null,
    outputTokens: outputTokens.total ?? null,
    cacheReadTokens: inputTokens.cacheRead ?? null,
    cacheWriteTokens: inputTokens.cacheWrite ?? null,
    reasoningTokens: outputTokens.reasoning ?? null
  }
  return { ...usage, cost: prices === null ? null : costOf(usage, prices) }
}

/** The sum. An amount that only one of them knows counts: the sum is then the least that was used. */
export const add = (one: Usage, other: Usage): Usage => ({
  inputTokens: plus(one.inputTokens, other.inputTokens),
  outputTokens: plus(one.outputTokens, other.outputTokens),
  cacheReadTokens: plus(one.cacheReadTokens, other.cacheReadTokens),
  cacheWriteTokens: plus(one.cacheWriteTokens, other.cacheWriteTokens),
  reasoningTokens: plus(one.reasoningTokens, other.reasoningTokens),
  cost: plus(one.cost, other.cost)
})

export const sum = (all: ReadonlyArray<Usage>): Usage => all.reduce(add, NO_USAGE)

/** The usage of a turn by its parts, also of one without an end. */
export const ofTurn = (parts: ReadonlyArray<TurnPart>): Usage =>
  parts.reduce((last, part) => "usage" in part && isKnown(part.usage) ? part.usage : last, NO_USAGE)

export interface Tally {
  usage: Usage
  /** Is told of each request. */
  readonly spent?: ((usage: Usage) => Effect.Effect<void>) | undefined
}

/** Goes on from what these parts of the turn say. */
export const tally = (parts: ReadonlyArray<TurnPart>, spent?: Tally["spent"]): Tally => ({
  usage: ofTurn(parts),
  spent
})

/** Counts what a request used. */
export const count = (tally: Tally, usage: Usage): Effect.Effect<void> =>
  Effect.suspend(() => {
    tally.usage = add(tally.usage, usage)
    return tally.spent?.(usage) ?? Effect.void
  })

/** Adds the usage so far to approvals, questions, results and summaries: the program may be killed before the turn ends. */
export const noted = (part: TurnPart, { usage }: Tally): TurnPart =>
  saysUsage(part) && isKnown(usage) ? { ...part, usage } : part

const saysUsage = (part: TurnPart) =>
  part.type === "approval" || part.type === "tool-result" || part.type === "question" ||
  part.type === "sampling-result" ||
  part.type === "summary"

const isKnown = (usage: Usage): boolean => Object.values(usage).some((amount) => amount !== null)

const plus = (one: number | null, other: number | null): number | null => one === null ? other : one + (other ?? 0)

const MILLION = 1_000_000

const costOf = (
  { cacheReadTokens, cacheWriteTokens, inputTokens, outputTokens }: Omit<Usage, "cost">,
  prices: ModelFacts.Prices
): number | null => {
  if (inputTokens === null || outputTokens === null) return null
  const { cacheRead, cacheWrite, input, output } = pricesFor(inputTokens, prices)
  const [read, written] = [cacheReadTokens ?? 0, cacheWriteTokens ?? 0]
  const plain = Math.max(0, inputTokens - read - written)
  return (plain * input + read * (cacheRead ?? input) + written * (cacheWrite ?? input) + outputTokens * output) /
    MILLION
}

const pricesFor = (inputTokens: number, prices: ModelFacts.Prices): ModelFacts.Prices =>
  prices.over !== null && inputTokens > prices.over.tokens ? pricesFor(inputTokens, prices.over.prices) : prices
