import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Pace from "../../src/base/Pace.ts"

const Chunks = Arbitrary.array(
  Arbitrary.schema(Schema.Struct({
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000_000 })),
    pause: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 }))
  })),
  { minLength: 1, maxLength: 60 }
)

describe("Pace", () => {
  it.prop("never takes more than the burst and 8 MB a second, whatever comes when (R37)", [Chunks], ([chunks]) => {
    const pace = new Pace.Pace()
    let now = 1000
    let taken = 0
    for (const { bytes, pause } of chunks) {
      now += pause
      taken += bytes
      now += pace.note(bytes, now)
      const allowed = Pace.BURST_BYTES + Pace.BYTES_PER_SECOND * (now - 1000) / 1000
      assert.isAtMost(taken, allowed + 1)
    }
    return true
  }, { arbitrary: { runs: 150 } })

  it("holds nobody up who writes less than 8 MB a second, or more for a while", () => {
    const steady = new Pace.Pace()
    for (let second = 1; second <= 600; second++) assert.strictEqual(steady.note(7_900_000, second * 1000), 0)
    const burst = new Pace.Pace()
    assert.strictEqual(burst.note(32_000_000, 0), 0)
    assert.isFalse(steady.isHeld() || burst.isHeld())
    assert.strictEqual(burst.note(8_000_000, 0), 1000)
    assert.isTrue(burst.isHeld())
  })
})
