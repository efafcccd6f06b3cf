/** A short soak; and the same with leaks on purpose, which it must notice. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Findings } from "./soak/Findings.ts"
import type { Look } from "./soak/Gauge.ts"
import * as Plot from "./soak/Plot.ts"
import * as Program from "./soak/Program.ts"
import * as Report from "./soak/Report.ts"

const SECONDS = 180

const soak = (...args: ReadonlyArray<string>) => Program.run("Soak", args)

/** Looks at a server whose memory goes from one size to another, in MB. */
const looks = (from: number, to: number): ReadonlyArray<Look> =>
  Array.from({ length: 101 }, (_, at) => ({
    seconds: at * 5,
    rss: from + (to - from) * at / 100,
    heapUsed: 100,
    heapTotal: 200,
    external: 10,
    arrayBuffers: 5,
    handles: 10,
    descriptors: 20,
    processor: 0,
    collecting: 0
  }))

describe("The judge of a server's memory", () => {
  it.each([
    { from: 400, to: 420, said: [] },
    { from: 400, to: 500, said: ["the server needs 75 MB more at the end than after the first quarter"] },
    { from: 540, to: 540, said: ["the server needs 540 MB at the end; it may have 500"] }
  ])("from $from to $to MB: $said", ({ from, said, to }) => {
    const findings = new Findings(1, () => {})
    Report.judgeServer(looks(from, to), findings)
    assert.deepStrictEqual(findings.violations.map(({ what }) => what), said)
  })

  it("draws what it saw on axes that begin at 0", () => {
    const svg = Plot.memory("Memory", looks(400, 420))
    assert.include(svg, ">0</text>")
    assert.include(svg, ">resident</text>")
    assert.strictEqual(svg.match(/<polyline/g)?.length, 4)
  })
})

describe("Soak", () => {
  it.live(
    "starts, stops, kills, crashes and calls in any order violate nothing (R3, R5, R6, R45, R46)",
    () =>
      Effect.gen(function*() {
        const { code, stderr, stdout } = yield* soak("--minutes", String(SECONDS / 60))
        assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" }, stdout)
        assert.match(stdout, /^soak passed: .*, no violation$/m)
      }),
    SECONDS * 1000 + 120_000
  )

  // Each in a process of its own, which only has to notice.
  describe.concurrent("with a leak on purpose", () => {
    it.live.each([
      { leak: "process", said: /is left after the teardown|runs 2 times/ },
      { leak: "handle", said: /left after a teardown: TCPServerWrap/ }
    ])("notices one of a $leak: exit code 1, the seed and the step", ({ leak, said }) =>
      Effect.gen(function*() {
        const { code, stdout } = yield* soak("--seed", "20261121", "--minutes", "0.02", "--leak", leak)
        assert.strictEqual(code, 1, stdout)
        assert.match(stdout, said)
        assert.match(stdout, /^soak failed: .*, the first with seed 20261121 at step \d+: /m)
      }))
  })
})
