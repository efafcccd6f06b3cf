/** What the soak says at its end: curves, numbers, and the verdict as the last line. */
import type { Findings } from "./Findings.ts"
import type { Look } from "./Gauge.ts"
import { plot } from "./Plot.ts"

export interface Sample {
  readonly seconds: number
  /** In MB. */
  readonly heap: number
  readonly rss: number
  readonly handles: number
  readonly processes: number
}

const MB = 1024 * 1024
/** With fewer teardowns than this a slope is noise. */
const FEWEST = 20
/** The heap may be so much greater at the end than at the beginning. */
const MOST_BYTES = 4 * MB

export const samples = (all: ReadonlyArray<Sample>): string => {
  const seconds = all.at(-1)?.seconds ?? 0
  return [
    plot("heap after collection, MB", all.map(({ heap }) => heap), seconds),
    plot("resident set, MB", all.map(({ rss }) => rss), seconds),
    plot("handles, descriptors and listeners", all.map(({ handles }) => handles), seconds),
    plot("processes of the registry", all.map(({ processes }) => processes), seconds)
  ].join("\n\n")
}

export const numbers = (findings: Findings): string =>
  [
    "counts",
    ...[...findings.counts].sort(([a], [b]) => a < b ? -1 : 1).map(([what, count]) => `  ${what}: ${count}`),
    "longest",
    ...[...findings.longest].sort(([a], [b]) => a < b ? -1 : 1).map(([what, millis]) =>
      `  ${what}: ${Math.round(millis)} ms`
    )
  ].join("\n")

/**
 * The growth of memory over the run, by a straight line through what was measured (for the heap in bytes: what was left
 * after each teardown), without the first quarter, in which code is compiled. Null when there are too few.
 */
export const growth = (heaps: ReadonlyArray<number>): number | null => {
  if (heaps.length < FEWEST) return null
  const late = heaps.slice(Math.floor(heaps.length / 4))
  const middle = (late.length - 1) / 2
  const mean = late.reduce((sum, heap) => sum + heap, 0) / late.length
  const up = late.reduce((sum, heap, index) => sum + (index - middle) * (heap - mean), 0)
  const across = late.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return (up / across) * (late.length - 1)
}

/** Reports a heap that grows. */
export const judge = (heaps: ReadonlyArray<number>, findings: Findings): string => {
  const first = heaps[0]
  const last = heaps.at(-1)
  const grown = growth(heaps)
  if (first === undefined || last === undefined) return "no teardown was measured"
  const levels = `heap after the first teardown ${(first / MB).toFixed(1)} MB, after the last ${
    (last / MB).toFixed(1)
  } MB`
  if (grown === null) return `${levels}; too few teardowns for a slope`
  if (grown > MOST_BYTES) {
    findings.violated(`the heap grew by ${(grown / MB).toFixed(1)} MB over ${heaps.length} teardowns`)
  }
  return `${levels}, slope over the last three quarters ${(grown / MB).toFixed(2)} MB`
}

export const verdict = ({ counts, seed, started, step, violations }: Findings): string => {
  const [first] = violations
  const seconds = Math.round((performance.now() - started) / 1000)
  const done = `seed ${seed}, ${step} steps, ${counts.get("teardowns") ?? 0} registries, ${seconds} s`
  if (first === undefined) return `soak passed: ${done}, no violation`
  const what = first.what.split("\n")[0]
  return `soak failed: ${done}, ${violations.length} violations, the first with seed ${seed} at step ${first.step}: ${what}`
}

/** What the server needed. */
export const server = (looks: ReadonlyArray<Look>): string => {
  const seconds = looks.at(-1)?.seconds ?? 0
  return [
    plot("resident set, MB", looks.map(({ rss }) => rss), seconds),
    plot("heap in use, MB", looks.map(({ heapUsed }) => heapUsed), seconds),
    plot("buffers outside of the heap, MB", looks.map(({ external }) => external), seconds),
    plot("descriptors", looks.map(({ descriptors }) => descriptors), seconds)
  ].join("\n\n")
}

/** A server under load may need so much at the end, and so much more than after the first quarter, in MB. */
const SERVER = { most: 500, growth: 60 }
/** Looks that count as the end. */
const LAST = 12

/** Reports a server that needs too much memory, or ever more. */
export const judgeServer = (looks: ReadonlyArray<Look>, findings: Findings): string => {
  const resident = looks.map(({ rss }) => rss)
  const end = median(resident.slice(-LAST))
  const grown = growth(resident)
  if (end > SERVER.most) {
    findings.violated(`the server needs ${end.toFixed(0)} MB at the end; it may have ${SERVER.most}`)
  }
  if (grown !== null && grown > SERVER.growth) {
    findings.violated(`the server needs ${grown.toFixed(0)} MB more at the end than after the first quarter`)
  }
  return `resident at the end ${end.toFixed(0)} MB, at most ${Math.max(...resident).toFixed(0)} MB, ` +
    (grown === null ? "too few looks for a slope" : `slope over the last three quarters ${grown.toFixed(0)} MB`)
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
