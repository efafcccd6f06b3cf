/** Numbers of repeated measurements, told by their median. */

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** The least value that at least this part of the values does not exceed: 0.5 is the middle, 0.99 all but one in a hundred. */
export const percentile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

/** A side's values, and how often it takes what the first side took in the same round. */
export interface Ratios {
  readonly median: number
  /** The median of the ratios of each round, not the ratio of the medians: what slows a whole round down cancels out. */
  readonly ratio: number
  readonly least: number
  readonly greatest: number
}

/** Compares round by round; rounds that only one of them has are left out of the ratio. */
export const ratios = (values: ReadonlyArray<number>, raw: ReadonlyArray<number>): Ratios => {
  const all = values.map((value, round) => value / (raw[round] ?? Number.NaN)).filter(Number.isFinite)
  return {
    median: median(values.filter(Number.isFinite)),
    ratio: median(all),
    least: Math.min(...all),
    greatest: Math.max(...all)
  }
}
