import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ToolParams from "../../src/encoding/ToolParams.ts"

describe("ToolParams", () => {
  it.prop("gives back every JSON object it is given (Decision 9)", { object: Schema.JsonObject }, ({ object }) => {
    const text = JSON.stringify(object)
    // Half a character does not come back as it was.
    if (/__proto__|constructor|\\ud[89a-f]/.test(text)) return
    assert.strictEqual(JSON.stringify(ToolParams.decode(text)), text)
    assert.strictEqual(JSON.stringify(ToolParams.encode(ToolParams.decode(text))), text)
  })

  it.prop("never throws, and always gives a provider an object", { text: Schema.String }, ({ text }) => {
    const encoded = ToolParams.encode(ToolParams.decode(text))
    assert.strictEqual(typeof encoded, "object")
    assert.isFalse(Array.isArray(encoded))
  })

  it("keeps text that is not JSON as it is", () => {
    assert.strictEqual(ToolParams.decode("{\"path\": "), "{\"path\": ")
    assert.strictEqual(ToolParams.decode("{\"__proto__\":{}}"), "{\"__proto__\":{}}")
  })

  it("takes blank text for no arguments (Decision 9)", () => {
    assert.deepStrictEqual(["", " \n"].map(ToolParams.decode), [{}, {}])
  })

  it("unwraps an object that was written as a JSON string, and wraps what is no object", () => {
    assert.deepStrictEqual(ToolParams.encode("{\"a\":1}"), { a: 1 })
    assert.deepStrictEqual(ToolParams.encode([1]), { rawInvalidInput: "[1]" })
    assert.deepStrictEqual(ToolParams.encode("nonsense"), { rawInvalidInput: "nonsense" })
    assert.deepStrictEqual(ToolParams.encode(null), {})
  })
})
