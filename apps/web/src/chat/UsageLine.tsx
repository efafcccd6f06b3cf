/** What a turn or a chat used: tokens, and what they cost as far as prices are known. */
import type { Usage } from "../api/Types.ts"
import { dollars, short } from "../ui/Numbers.ts"

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

const some = (number: number | null, words: (text: string) => string): ReadonlyArray<string> =>
  number === null || number === 0 ? [] : [words(short(number))]

/** In a few words; empty when nothing is known. */
export const usageWords = ({ cost, inputTokens, outputTokens }: Usage): string =>
  [
    ...(inputTokens === null && outputTokens === null
      ? []
      : [
        `${inputTokens === null ? "?" : short(inputTokens)} tokens in`,
        `${outputTokens === null ? "?" : short(outputTokens)} out`
      ]),
    ...(cost === null ? [] : [dollars(cost)])
  ].join(" · ")

/** The details, for people who point at the line. */
export const usageDetails = ({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: Usage): string =>
  [
    ...some(cacheReadTokens, (text) => `${text} read from the cache`),
    ...some(cacheWriteTokens, (text) => `${text} written to the cache`),
    ...some(reasoningTokens, (text) => `${text} of the output is reasoning`)
  ].join(", ")
