/**
 * How many slips of the hand lie between two words.
 */

/**
 * Letters left out, added, changed or swapped with their neighbour; `limit + 1` as soon as there are more than `limit`.
 *
 * @category reading
 */
export const slips = (one: string, other: string, limit: number): number => {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: ReadonlyArray<number> = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = nextRow(one, other, row, last, before)
    if (Math.min(...current) > limit) return limit + 1
    before = last
    last = current
  }
  return Math.min(last[other.length] ?? 0, limit + 1)
}

const nextRow = (
  one: string,
  other: string,
  row: number,
  last: ReadonlyArray<number>,
  before: ReadonlyArray<number>
): Array<number> => {
  const current = [row]
  for (let column = 1; column <= other.length; column++) {
    const isSame = one[row - 1] === other[column - 1]
    const change = (last[column - 1] ?? 0) + (isSame ? 0 : 1)
    const least = Math.min(change, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1)
    const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
    current.push(isSwap ? Math.min(least, (before[column - 2] ?? 0) + 1) : least)
  }
  return current
}

/**
 * Which letters a word has, as bits. Two words that are `n` slips apart lack at most `n` of each other's.
 *
 * @category reading
 */
export const letters = (word: string): number => {
  let bits = 0
  for (let at = 0; at < word.length; at++) bits |= 1 << (word.charCodeAt(at) % 32)
  return bits
}

/**
 * Whether two sets of letters allow for that few slips; says no only when it is sure.
 *
 * @category predicates
 */
export const mayBeWithin = (one: number, other: number, limit: number): boolean =>
  bitCount(one & ~other) <= limit && bitCount(other & ~one) <= limit

const bitCount = (bits: number): number => {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}
