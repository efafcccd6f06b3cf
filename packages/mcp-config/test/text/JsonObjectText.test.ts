import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as JsonObjectText from "../../src/text/JsonObjectText.ts"

const changed = (text: string, values: Parameters<typeof JsonObjectText.change>[1]) =>
  Result.getOrThrow(JsonObjectText.change(text, values))

describe("JsonObjectText", () => {
  it("reads an object with comments, and an empty text as an empty one", () => {
    assert.deepStrictEqual(Result.getOrThrow(JsonObjectText.read("{ // a\n  \"a\": [1,], }")), { a: [1] })
    assert.deepStrictEqual(Result.getOrThrow(JsonObjectText.read(" \n")), {})
  })

  it("says where a text is no object", () => {
    for (const [text, place] of [["[]", [1, 1]], ["\n  3", [2, 3]], ["{\n  oops\n}", [2, 3]]] as const) {
      const fault = JsonObjectText.read(text)
      if (Result.isSuccess(fault)) return assert.fail(text)
      assert.deepStrictEqual([fault.failure.line, fault.failure.column], [...place], text)
      assert.isTrue(Result.isFailure(JsonObjectText.change(text, { a: 1 })))
    }
  })

  it("changes, adds and removes keys, and leaves everything else as it is written", () => {
    const text = "\uFEFF{\r\n\t// mine\r\n\t\"a\": 1, // one\r\n\t\"b\": [ 2 ],\r\n}\r\n"
    assert.strictEqual(
      changed(text, { a: 10, c: "new" }),
      text.replace("\"a\": 1", "\"a\": 10").replace("],\r\n", "],\r\n\t\"c\": \"new\",\r\n")
    )
    assert.strictEqual(changed(text, { a: null, none: null }), text.replace("\t\"a\": 1, // one\r\n", ""))
    assert.strictEqual(changed(text, {}), text)
  })

  it("begins a file that is empty", () => {
    assert.strictEqual(changed("", { a: { b: 1 } }), "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n")
  })

  it("changes members of an object under a key, which it makes where there is none", () => {
    const inside = (text: string, values: Parameters<typeof JsonObjectText.changeIn>[2]) =>
      Result.getOrThrow(JsonObjectText.changeIn(text, "all", values))
    const text = "{\n  // mine\n  \"all\": {\n    // one\n    \"a\": { \"x\": 1 }\n  },\n  \"b\": 2\n}\n"
    assert.strictEqual(
      inside(text, { c: { y: 1 } }),
      text.replace("{ \"x\": 1 }", "{ \"x\": 1 },\n    \"c\": { \"y\": 1 }")
    )
    assert.deepStrictEqual(Result.getOrThrow(JsonObjectText.read(inside(text, { a: null }))), { all: {}, b: 2 })
    assert.include(inside(text, { a: null }), "// mine")
    assert.deepStrictEqual(Result.getOrThrow(JsonObjectText.read(inside("{\"b\": 2}", { c: 1 }))), {
      b: 2,
      all: { c: 1 }
    })
    assert.strictEqual(inside("{\"b\": 2}", { c: null }), "{\"b\": 2}")
    assert.isTrue(Result.isFailure(JsonObjectText.changeIn("[]", "all", { c: 1 })))
  })
})
