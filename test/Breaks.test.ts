/** Some lines of the source are broken at random, one at a time in a copy, and the test that promises to notice does. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Trials from "./breaks/Trials.ts"
import { requirements } from "./requirements.ts"
import { CHECKOUT } from "./support/Command.ts"

const COUNT = 40
/** Rows proven by real processes take up to half a minute each, the others three seconds. */
const MOST_LIVE = 10
const JOBS = 2

const seed = Number(process.env["BOOCODE_BREAKS_SEED"] ?? Date.now() % 1_000_000)
const rows = Trials.breakable(requirements)

describe("Breaks", () => {
  it.live(
    "breaks of the table of requirements turn their tests red",
    () =>
      Effect.gen(function*() {
        const chosen = Trials.choose(rows, COUNT, seed, MOST_LIVE)
        assert.strictEqual(chosen.length, COUNT)
        const before = chosen.map(({ break: { file } }) => readFileSync(join(CHECKOUT, file), "utf8"))
        console.log(`breaks with BOOCODE_BREAKS_SEED=${seed}: ${chosen.map(({ id }) => id).join(", ")}`)
        const { notGreen, red } = yield* Trials.run(chosen, JOBS, () => {})
        assert.deepStrictEqual(notGreen, [])
        assert.deepStrictEqual(
          red.filter(({ isRed }) => !isRed).map(({ row, words }) => `${row.id} ${words}: ${row.break.find}`),
          [],
          `BOOCODE_BREAKS_SEED=${seed}`
        )
        // The checkout itself was never touched.
        assert.deepStrictEqual(
          chosen.map(({ break: { file } }) => readFileSync(join(CHECKOUT, file), "utf8")),
          before
        )
      }),
    COUNT * 300_000
  )

  it("the same rows are chosen for the same seed, others for another, and few that are slow", () => {
    const idsOf = (number: number) => Trials.choose(rows, COUNT, number, MOST_LIVE).map(({ id }) => id)
    assert.deepStrictEqual(idsOf(7), idsOf(7))
    assert.notDeepEqual(idsOf(7), idsOf(8))
    for (let number = 0; number < 100; number++) {
      const live = Trials.choose(rows, COUNT, number, MOST_LIVE).filter(({ proof }) => proof.file.startsWith("test/"))
      assert.isAtMost(live.length, MOST_LIVE)
    }
    const all = new Set(Array.from({ length: 1000 }, (_, number) => idsOf(number)).flat())
    assert.strictEqual(all.size, rows.length)
  })
})
