/** The usage of a turn or a chat: tokens, and their cost as far as prices are known. */
import type { Usage } from "../api/Types.ts"
import { usage as words } from "../messages/ChatMessages.ts"
import { dollars, short } from "../messages/Numbers.ts"

const sum = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0)
}

/** The sum of what is known. */
export const total = (usages: ReadonlyArray<Usage>): Usage => ({
  inputTokens: sum(usages.map(({ inputTokens }) => inputTokens)),
  outputTokens: sum(usages.map(({ outputTokens }) => outputTokens)),
  cacheReadTokens: sum(usages.map(({ cacheReadTokens }) => cacheReadTokens)),
  cacheWriteTokens: sum(usages.map(({ cacheWriteTokens }) => cacheWriteTokens)),
  reasoningTokens: sum(usages.map(({ reasoningTokens }) => reasoningTokens)),
  cost: sum(usages.map(({ cost }) => cost))
})

const some = (number: number | null, say: (text: string) => string): ReadonlyArray<string> =>
  number === null || number === 0 ? [] : [say(short(number))]

/** In a few words; empty when nothing is known. */
export const usageWords = ({ cost, inputTokens, outputTokens }: Usage): string =>
  [
    ...(inputTokens === null && outputTokens === null
      ? []
      : [
        words.input(inputTokens === null ? "?" : short(inputTokens)),
        words.output(outputTokens === null ? "?" : short(outputTokens))
      ]),
    ...(cost === null ? [] : [dollars(cost)])
  ].join(" · ")

/** The details, for people who point at the line. */
export const usageDetails = ({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: Usage): string =>
  [
    ...some(cacheReadTokens, words.cacheRead),
    ...some(cacheWriteTokens, words.cacheWritten),
    ...some(reasoningTokens, words.reasoning)
  ].join(", ")
