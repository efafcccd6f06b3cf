import { assert, describe, it } from "@effect/vitest"
import * as Response from "effect/ai/Response"
import { NO_USAGE } from "../../src/model/Part.ts"
import * as Usage from "../../src/model/Usage.ts"

const response = (input: number | undefined, output: number | undefined, read?: number, write?: number) =>
  new Response.Usage({
    inputTokens: { total: input, uncached: undefined, cacheRead: read, cacheWrite: write },
    outputTokens: { total: output, text: undefined, reasoning: 7 }
  })

const prices = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  over: { tokens: 200_000, prices: { input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: null, over: null } }
}

describe("Usage", () => {
  it("keeps every count of the provider, and has no cost without prices", () => {
    assert.deepStrictEqual(Usage.ofResponse(response(1000, 50, 400, 100), null), {
      inputTokens: 1000,
      outputTokens: 50,
      cacheReadTokens: 400,
      cacheWriteTokens: 100,
      reasoningTokens: 7,
      cost: null
    })
  })

  it("charges what was read from a cache and written to one by its own price", () => {
    const { cost } = Usage.ofResponse(response(1000, 50, 400, 100), prices)
    assert.closeTo(cost ?? 0, (500 * 3 + 400 * 0.3 + 100 * 3.75 + 50 * 15) / 1e6, 1e-12)
  })

  it("charges the higher price for all of a long request, and plain input where a cache has no price", () => {
    const { cost } = Usage.ofResponse(response(300_000, 10, 0, 1000), prices)
    assert.closeTo(cost ?? 0, (300_000 * 6 + 10 * 22.5) / 1e6, 1e-12)
    const edge = Usage.ofResponse(response(200_000, 0), prices)
    assert.closeTo(edge.cost ?? 0, (200_000 * 3) / 1e6, 1e-12)
  })

  it("knows no cost of what the provider did not count", () => {
    assert.isNull(Usage.ofResponse(response(undefined, 50), prices).cost)
  })

  it("adds up what is known", () => {
    const one = { ...NO_USAGE, inputTokens: 5, cost: 0.5 }
    const other = { ...NO_USAGE, inputTokens: 7, outputTokens: 1 }
    assert.deepStrictEqual(Usage.sum([one, NO_USAGE, other]), {
      ...NO_USAGE,
      inputTokens: 12,
      outputTokens: 1,
      cost: 0.5
    })
    assert.deepStrictEqual(Usage.sum([]), NO_USAGE)
  })
})
