/** Tries breaks: each must turn the first proof of its row red, which must be green without it. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Break, Proof, Requirement } from "../requirements/Requirement.ts"
import * as Copy from "./Copy.ts"
import * as Vitest from "./Vitest.ts"

/** A row that can be tried. */
export interface Breakable extends Requirement {
  readonly break: Break
  readonly proof: Proof
}

export interface Trial {
  readonly row: Breakable
  readonly isRed: boolean
  /** What happened, in one line. */
  readonly words: string
  readonly millis: number
}

/** A trial that takes longer says nothing. */
/** A test of a package that a break lets wait for ever is red soon enough. */
const HOPELESS_MILLIS = 10_000
const PACKAGE_LIMIT = 120_000
const LIVE_LIMIT = 240_000

export const breakable = (requirements: ReadonlyArray<Requirement>): ReadonlyArray<Breakable> =>
  requirements.flatMap((row) => {
    const [proof] = row.proofs
    return row.break === undefined || proof === undefined ? [] : [{ ...row, break: row.break, proof }]
  })

/** Rows at random: the same ones for the same seed. Of rows with a live proof, which take long, at most so many. */
export const choose = (
  rows: ReadonlyArray<Breakable>,
  count: number,
  seed: number,
  mostLive = Infinity
): ReadonlyArray<Breakable> => {
  const random = dice(seed)
  const shuffled = rows.map((row) => ({ row, at: random() })).sort((one, other) => one.at - other.at).map(({ row }) =>
    row
  )
  const live = shuffled.filter(({ proof }) => Vitest.isLive(proof)).slice(0, mostLive)
  return shuffled.filter((row) => !Vitest.isLive(row.proof) || live.includes(row)).slice(0, count)
}

/** mulberry32: small, and good enough to choose with. */
const dice = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}

/**
 * Tries each row in a copy of the sources, `jobs` at a time; those with a live proof one at a time, because others
 * beside them would change what they measure. `tell` hears of each as it is done.
 */
export const run = (rows: ReadonlyArray<Breakable>, jobs: number, tell: (trial: Trial) => void) =>
  Effect.gen(function*() {
    const copies = yield* Queue.unbounded<Copy.Copy>()
    for (let count = 0; count < jobs; count++) yield* Queue.offer(copies, yield* Copy.make)
    const tryOne = (row: Breakable) =>
      Effect.acquireUseRelease(
        Queue.take(copies),
        (copy) => Effect.tap(trial(copy, row), (done) => Effect.sync(() => tell(done))),
        (copy) => Queue.offer(copies, copy)
      )
    const [live, quick] = [true, false].map((wanted) => rows.filter(({ proof }) => Vitest.isLive(proof) === wanted))
    const green = yield* Effect.acquireUseRelease(
      Queue.take(copies),
      ({ root }) => Effect.all([unbroken(root, quick ?? []), unbroken(root, live ?? [])]),
      (copy) => Queue.offer(copies, copy)
    )
    const red = [
      ...(yield* Effect.forEach(quick ?? [], tryOne, { concurrency: jobs })),
      ...(yield* Effect.forEach(live ?? [], tryOne))
    ]
    return { red, notGreen: green.flat() }
  }).pipe(Effect.scoped)

/** The proofs that are not green in a copy where nothing is broken: a red one says nothing about a break then. */
const unbroken = Effect.fnUntraced(function*(root: string, rows: ReadonlyArray<Breakable>) {
  if (rows.length === 0) return []
  const together = yield* Vitest.run(root, rows.map(({ proof }) => proof), rows.length * LIVE_LIMIT)
  const doubtful = rows.filter((_, index) => together.outcomes?.[index] !== "passed")
  // Beside others, on a busy machine, a test that measures time may fail once without a reason.
  return (yield* Effect.forEach(
    doubtful,
    (row) => Effect.map(Vitest.run(root, [row.proof], LIVE_LIMIT), (again) => ({ row, again }))
  ))
    .filter(({ again }) => again.outcomes?.[0] !== "passed")
    .map(({ again, row }) =>
      `${row.id}: ${row.proof.test} is ${again.outcomes?.[0] ?? "not done"}: ${brief(again.words)}`
    )
})

const trial = Effect.fnUntraced(function*(copy: Copy.Copy, row: Breakable): Effect.fn.Return<Trial> {
  const started = Date.now()
  const limit = Vitest.isLive(row.proof) ? LIVE_LIMIT : PACKAGE_LIMIT
  const { outcome, words } = yield* copy.broken(row.break, Vitest.run(copy.root, [row.proof], limit, HOPELESS_MILLIS))
    .pipe(
      Effect.map(({ outcomes, words }) => ({ outcome: outcomes?.[0] ?? "not done", words })),
      Effect.catchTag(
        "NoSuchLine",
        ({ count }) => Effect.succeed({ outcome: `the line is there ${count} times`, words: "" })
      )
    )
  const isRed = outcome === "failed"
  return { row, isRed, words: `${isRed ? "red" : outcome}: ${brief(words)}`, millis: Date.now() - started }
})

const brief = (words: string) => words.split("\n").filter((line) => line.trim() !== "")[0]?.slice(0, 160) ?? ""
