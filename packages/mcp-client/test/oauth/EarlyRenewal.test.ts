import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import type { Tokens } from "../../src/oauth/credentials/Credential.ts"
import * as EarlyRenewal from "../../src/oauth/EarlyRenewal.ts"

const HOUR = 3_600_000

const tokens = (expiresAt: number | null, refresh = true): Tokens => ({
  access: Redacted.make("access"),
  type: "Bearer",
  refresh: refresh ? Redacted.make("refresh") : null,
  scopes: [],
  expiresAt
})

/** When each of so many people's tokens of an hour was renewed, in milliseconds. */
const renewals = (many: number, given: Tokens | null) =>
  Effect.gen(function*() {
    const times: Array<number> = []
    let now = 0
    for (let index = 0; index < many; index++) {
      const inTime = yield* EarlyRenewal.make(Effect.sync(() => void times.push(now)))
      yield* inTime(given)
    }
    for (; now < HOUR; now += 30_000) yield* TestClock.adjust(30_000)
    return times
  })

describe("Tokens that a server gave for a while", () => {
  it.effect("are renewed once and before they end, those of many people at different times", () =>
    Effect.gen(function*() {
      const times = yield* renewals(20, tokens(HOUR))
      assert.lengthOf(times, 20)
      assert.isAtLeast(Math.min(...times), HOUR * 0.74)
      assert.isAtMost(Math.max(...times), HOUR * 0.91)
      assert.isAtLeast(new Set(times).size, 5)
    }))

  it.effect.each(
    [
      ["that end at no time", tokens(null)],
      ["that nothing renews", tokens(HOUR, false)],
      ["that end in a moment", tokens(10_000)],
      ["that are gone", null]
    ] as const
  )(
    "are left alone where they are some %s",
    ([, given]) => Effect.map(renewals(2, given), (times) => assert.deepStrictEqual(times, []))
  )

  it.effect("make way for newer ones", () =>
    Effect.gen(function*() {
      let count = 0
      const inTime = yield* EarlyRenewal.make(Effect.sync(() => void count++))
      yield* inTime(tokens(HOUR))
      yield* TestClock.adjust("30 minutes")
      yield* inTime(tokens(2 * HOUR))
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual(count, 0)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(count, 1)
    }))
})
