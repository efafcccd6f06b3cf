import { assert, describe, it } from "@effect/vitest"
import { dice, mutate, seedOf, slip } from "../../support/Mutation.ts"

describe("what a fuzz is made of", () => {
  it("is another seed in each run, and the one that was asked for", () => {
    assert.strictEqual(new Set(Array.from({ length: 10 }, () => seedOf(undefined))).size, 10)
    assert.strictEqual(seedOf("17"), 17)
  })

  it("is the same text for the same seed, and another for another", () => {
    const text = "{ \"mcpServers\": { \"a\": { \"command\": \"x\", \"enabled\": false } } }"
    const changed = (seed: number) => mutate(text, text, dice(seed)) + slip(text, 10, 40, dice(seed))
    assert.strictEqual(changed(7), changed(7))
    assert.isAbove(new Set(Array.from({ length: 20 }, (_, seed) => changed(seed))).size, 15)
  })
})
