import { assert, describe, it } from "@effect/vitest"
import { limitWords } from "../../../src/people/account/LimitWords.ts"

describe("A limit in words", () => {
  it("says how much is used of how much, in which time, and when it starts anew", () => {
    const money = {
      of: "money",
      limit: "20 USD a month",
      used: 0.421,
      most: 20,
      resets: "2026-12-01T00:00:00.000Z"
    } as const
    assert.strictEqual(limitWords(money, "en-GB"), "0.42 of 20 USD this month. Resets on 1 December.")
    assert.match(limitWords({ ...money, used: 0.0042 }, "en-GB"), /^0\.004 of 20 USD/)
    const tokens = {
      of: "tokens",
      limit: "2M tokens a day",
      used: 12_345,
      most: 2_000_000,
      resets: money.resets
    } as const
    assert.match(limitWords(tokens, "en-GB"), /^12\.3k of 2M tokens today\. Resets at \d\d:\d\d\.$/)
  })
})
