import { assert, describe, it } from "@effect/vitest"
import { total, usageWords } from "../../../src/chat/UsageLine.tsx"
import { dollars, short } from "../../../src/ui/Numbers.ts"

describe("Usage", () => {
  it("adds what is known and says nothing of what is not", () => {
    const sum = total([{ inputTokens: 1200, outputTokens: null, cost: 0.5 }, { inputTokens: 300, outputTokens: 10 }])
    assert.strictEqual(usageWords(sum), "1.5k tokens in · 10 out · $0.50")
    assert.strictEqual(usageWords(total([])), "")
    assert.strictEqual(usageWords({ inputTokens: 5, outputTokens: null }), "5 tokens in · ? out")
  })

  it("keeps small amounts readable", () => {
    assert.deepStrictEqual([0, 0.000123, 0.02, 12.345].map(dollars), ["$0", "$0.00012", "$0.02", "$12.35"])
    assert.deepStrictEqual([999, 1000, 12_345, 200_000, 1_500_000].map(short), ["999", "1k", "12.3k", "200k", "1.5M"])
  })
})
