import { assert, describe, it } from "vitest"
import type { PublishedInput } from "../../../src/api/Types.ts"
import { inputsOf, secretLines, withSecret } from "../../../src/servers/gallery/InstallDraft.ts"

const KEYS: PublishedInput = {
  key: "keys",
  place: "argument",
  description: null,
  isRequired: true,
  isSecret: true,
  isRepeated: true,
  format: "string",
  default: null,
  placeholder: null,
  choices: null
}

describe("What is typed for a published server", () => {
  it("has a field for each of several secrets, and one for the next", () => {
    assert.deepStrictEqual(secretLines(""), [""])
    const first = withSecret("", 0, "a")
    const both = withSecret(first, 1, "b")
    assert.deepStrictEqual([secretLines(first), secretLines(both)], [["a", ""], ["a", "b", ""]])
    assert.deepStrictEqual(inputsOf([KEYS], { keys: both }), { keys: ["a", "b"] })
    const without = withSecret(both, 0, "")
    assert.deepStrictEqual(secretLines(without), ["", "b", ""])
    assert.deepStrictEqual(inputsOf([KEYS], { keys: without }), { keys: ["b"] })
    assert.deepStrictEqual(secretLines(withSecret(without, 1, "")), [""])
  })
})
