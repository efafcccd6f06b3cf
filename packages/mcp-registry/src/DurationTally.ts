/**
 * How long something took, as a histogram whose update is a few additions: nothing is looked up, nothing is made.
 */
import type * as Metric from "effect/Metric"

/** In seconds, as OpenTelemetry's conventions for MCP say. @category constants */
export const BOUNDARIES: ReadonlyArray<number> = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** @category models */
export interface DurationTally {
  readonly add: (seconds: number) => void
  readonly state: () => Metric.HistogramState
}

/** @category constructors */
export const make = (): DurationTally => {
  const counts = new Float64Array(BOUNDARIES.length + 1)
  let count = 0
  let sum = 0
  let min = Number.MAX_VALUE
  let max = -Number.MAX_VALUE
  return {
    add: (taken) => {
      // A clock may be set back, and a sum that falls is none.
      const seconds = Math.max(0, taken)
      let at = 0
      while (at < BOUNDARIES.length && seconds > (BOUNDARIES[at] ?? 0)) at += 1
      counts[at] = (counts[at] ?? 0) + 1
      count += 1
      sum += seconds
      if (seconds < min) min = seconds
      if (seconds > max) max = seconds
    },
    state: () => ({ buckets: cumulated(counts), count, min, max, sum })
  }
}

const cumulated = (counts: Float64Array): ReadonlyArray<[number, number]> => {
  let sum = 0
  return BOUNDARIES.map((boundary, at) => {
    sum += counts[at] ?? 0
    return [boundary, sum]
  })
}
