import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import * as FailureLimit from "../../src/access/FailureLimit.ts"

describe("FailureLimit", () => {
  it.effect("counts each address by itself, a whole IPv6 network as one, and all together", () =>
    Effect.gen(function*() {
      const limit = FailureLimit.make()
      const fail = (peer: string, times: number) =>
        Effect.map(Effect.forEach(Array.from({ length: times }), () => limit.failed(peer)), (all) => all.at(-1))
      assert.isNull(yield* fail("10.0.0.1", 10))
      assert.strictEqual(yield* fail("10.0.0.1", 1), 60)
      assert.strictEqual(yield* fail("::ffff:10.0.0.1", 1), 60)
      assert.isNull(yield* fail("10.0.0.2", 1))
      assert.isNull(yield* fail("2001:db8:1:2::1", 10))
      assert.strictEqual(yield* fail("2001:db8:1:2:ffff::9", 1), 60)
      assert.isNull(yield* fail("2001:db8::1", 10))
      assert.strictEqual(yield* fail("2001:db8::2", 1), 60)
      const many = yield* Effect.forEach(Array.from({ length: 300 }), (_, index) => limit.failed(`10.1.${index}.1`))
      assert.isNull(many[0])
      assert.isNotNull(many.at(-1))
    }))

  it.effect("says beforehand who has to wait, and for how long", () =>
    Effect.gen(function*() {
      const limit = FailureLimit.make((name) => name.toLowerCase())
      for (let time = 0; time < 9; time++) yield* limit.failed("Ann")
      assert.isNull(yield* limit.wait("ann"))
      yield* limit.failed("ANN")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* limit.wait("ann"), 40)
      assert.isNull(yield* limit.wait("bob"))
      yield* TestClock.adjust("40 seconds")
      assert.isNull(yield* limit.wait("ann"))
    }))

  it.effect("remembers no more addresses than it may, and still counts them", () =>
    Effect.gen(function*() {
      const limit = FailureLimit.make()
      for (let index = 0; index < 5000; index++) yield* limit.failed(`172.16.${index >> 8}.${index & 255}`)
      assert.isNotNull(yield* limit.failed("10.0.0.1"))
      yield* TestClock.adjust("61 seconds")
      assert.isNull(yield* limit.failed("10.0.0.1"))
    }))
})
