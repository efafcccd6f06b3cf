import { assert, describe, it } from "@effect/vitest"
import { appliedWords } from "../../src/servers/StateWords.ts"

describe("StateWords", () => {
  it("names at most three servers that a change of the configuration added, changed or removed", () => {
    const none = { added: [], changed: [], removed: [] }
    assert.strictEqual(appliedWords(none), "Nothing changed in the configuration.")
    assert.strictEqual(
      appliedWords({ ...none, added: ["a", "b", "c"], removed: ["d"] }),
      "The configuration changed: added a, b, c; removed d."
    )
    assert.strictEqual(
      appliedWords({ ...none, changed: ["a", "b", "c", "d", "e"] }),
      "The configuration changed: changed a, b, c and 2 more."
    )
  })
})
