/** The tokens and the price of a conversation, in a line. */
import type { Chat } from "@boocode/chat"

/** The part of the usage that a person is told; null is not known. */
export type Spent = Pick<Chat["usage"], "cost" | "inputTokens" | "outputTokens">

/** Nothing was used, as far as is known. */
export const NONE: Spent = { inputTokens: null, outputTokens: null, cost: null }

/** The sum; an amount that only one of them knows counts. */
export const add = (one: Spent, other: Spent): Spent => ({
  inputTokens: plus(one.inputTokens, other.inputTokens),
  outputTokens: plus(one.outputTokens, other.outputTokens),
  cost: plus(one.cost, other.cost)
})

const plus = (one: number | null, other: number | null): number | null => one === null ? other : one + (other ?? 0)

/** Null where nothing is known of them. */
export const line = ({ cost, inputTokens, outputTokens }: Spent): string | null => {
  if (inputTokens === null && outputTokens === null) return null
  const tokens = `${thousands(inputTokens ?? 0)} tokens in, ${thousands(outputTokens ?? 0)} out`
  return cost === null ? `${tokens}; the price is not known` : `${tokens}, about $${cost.toFixed(cost < 1 ? 3 : 2)}`
}

/** The words where there is no line. */
export const NOTHING = "nothing was used so far, or the provider does not say"

const thousands = (number: number): string => number < 1000 ? `${number}` : `${(number / 1000).toFixed(1)}k`
