/** A short soak; and the same with leaks on purpose, which it must notice. */

const SECONDS = sized(6, 180)
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Program from "./soak/Program.ts"
import { sized } from "./support/Size.ts"

const soak = (...args: ReadonlyArray<string>) => Program.run("Soak", args)

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
