import { assert, describe, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { converted, propertyOf, schemaOf } from "../support/Converted.ts"

describe("the dialect openai-strict", () => {
  it("closes every object, requires every property and lets optional ones be null (R59)", () => {
    const schema = schemaOf("openai-strict", {
      type: "object",
      properties: {
        path: { type: "string" },
        mode: { enum: ["r", "w"] },
        either: { anyOf: [{ type: "string" }, { type: "integer" }] },
        inner: { type: "object", properties: { a: { type: "number", default: 1 } } }
      },
      required: ["path"]
    })
    assert.deepStrictEqual(schema, {
      type: "object",
      properties: {
        path: { type: "string" },
        mode: { type: ["string", "null"], enum: ["r", "w", null] },
        either: { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
        inner: {
          type: ["object", "null"],
          properties: { a: { type: ["number", "null"], description: "Default: 1." } },
          required: ["a"],
          additionalProperties: false
        }
      },
      required: ["path", "mode", "either", "inner"],
      additionalProperties: false
    })
  })

  it("drops a null that only strict asked for, and keeps one that was declared (R59)", () => {
    const inner = { type: "object", properties: { a: { type: "string" }, b: { type: ["string", "null"] } } }
    const { toDeclared } = converted("openai-strict", {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { anyOf: [{ type: "string" }, { type: "null" }] },
        inner,
        list: {
          type: "array",
          items: { anyOf: [inner, { type: "string" }] }
        }
      }
    })
    const given = { a: null, b: null, inner: { a: null, b: null }, list: [{ a: null, b: null }, "x"] }
    assert.deepStrictEqual(toDeclared(given), { b: null, inner: { b: null }, list: [{ b: null }, "x"] })
    assert.deepStrictEqual(toDeclared(JSON.stringify(given)), toDeclared(given))
  })

  it("says a tool with a map, or a value of any kind, without strict, and why", () => {
    const any = [
      { type: "object", additionalProperties: { type: "string" } },
      { type: "object" },
      { description: "anything" },
      { type: "array" }
    ]
    for (const declared of any) {
      const { dialect, losses, schema } = converted("openai-strict", { type: "object", properties: { p: declared } })
      assert.strictEqual(dialect, "openai")
      assert.deepStrictEqual(schema, schemaOf("openai", { type: "object", properties: { p: declared } }))
      assert.isTrue(losses.some(({ detail }) => detail.startsWith("cannot be strict: properties.p")))
    }
  })

  it("knows the limits: 10 levels, 1000 values, 5000 properties", () => {
    const nested = (levels: number): Schema.JsonObject =>
      levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } }
    assert.strictEqual(converted("openai-strict", nested(10)).dialect, "openai-strict")
    assert.strictEqual(converted("openai-strict", nested(11)).dialect, "openai")
    const listed = (count: number) => ({
      type: "object",
      properties: Object.fromEntries(
        ["a", "b"].map((key) => [key, { enum: Array.from({ length: count }, (_, index) => index) }])
      )
    })
    assert.strictEqual(converted("openai-strict", listed(500)).dialect, "openai-strict")
    assert.strictEqual(converted("openai-strict", listed(501)).dialect, "openai")
  })

  it("writes out references and merges allOf, for nothing may stand beside them", () => {
    const defs = { $defs: { Name: { type: "string", pattern: "^[a-z]+$" } } }
    assert.deepStrictEqual(
      propertyOf("openai-strict", { $ref: "#/$defs/Name", description: "Whose.", allOf: [{ format: "email" }] }, defs),
      { description: "Whose.", type: "string", pattern: "^[a-z]+$", format: "email" }
    )
  })
})
