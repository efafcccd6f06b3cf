import { assert, describe, it } from "@effect/vitest"
import type { Usage } from "../../src/api/Types.ts"
import { total, usageWords } from "../../src/chat/UsageLine.tsx"
import { dollars, short } from "../../src/messages/Numbers.ts"

const UNKNOWN: Usage = {
  inputTokens: null,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
  cost: null
}
const used = (known: Partial<Usage>): Usage => ({ ...UNKNOWN, ...known })

describe("Usage", () => {
  it("adds what is known and says nothing of what is not", () => {
    const sum = total([used({ inputTokens: 1200, cost: 0.5 }), used({ inputTokens: 300, outputTokens: 10 })])
    assert.strictEqual(usageWords(sum), "1.5k in · 10 out · $0.50")
    assert.strictEqual(usageWords(total([])), "")
    assert.strictEqual(usageWords(used({ inputTokens: 5 })), "5 in · ? out")
  })

  it("keeps small amounts readable", () => {
    assert.deepStrictEqual([0, 0.000123, 0.02, 12.345].map(dollars), ["$0", "$0.00012", "$0.02", "$12.35"])
    assert.deepStrictEqual([999, 1000, 12_345, 200_000, 1_500_000].map(short), ["999", "1k", "12.3k", "200k", "1.5M"])
  })
})
