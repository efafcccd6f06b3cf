import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as ToolSchema from "../../src/dialects/ToolSchema.ts"

describe("ToolSchema", () => {
  it("gives a schema without properties an empty set of them", () => {
    assert.deepStrictEqual(ToolSchema.legal({ type: "object" }), { type: "object", properties: {} })
    assert.deepStrictEqual(ToolSchema.legal({}), { type: "object", properties: {} })
  })

  it("keeps every other keyword, and a legal schema unchanged", () => {
    const schema = { type: "object", properties: { type: { type: "string" } }, required: ["type"], $defs: {} }
    assert.strictEqual(ToolSchema.legal(schema), schema)
    assert.deepStrictEqual(
      ToolSchema.legal({ additionalProperties: false, description: "none", properties: null }),
      { additionalProperties: false, description: "none", type: "object", properties: {} }
    )
  })

  it("makes one object of a choice at the root, which providers refuse", () => {
    const read = {
      type: "object",
      properties: { path: { type: "string" }, kind: { const: "read" } },
      required: ["path"]
    }
    const find = { type: "object", properties: { query: {}, kind: { const: "find" } }, required: ["query"] }
    const schema = { oneOf: [read, { $ref: "#/$defs/find" }], $defs: { find } }
    assert.deepStrictEqual(ToolSchema.legal(schema), {
      $defs: { find },
      description: `Give exactly one of these sets: {path, kind?: "read"} or {query, kind?: "find"}.`,
      type: "object",
      properties: {
        path: { type: "string" },
        kind: { anyOf: [{ const: "read" }, { const: "find" }] },
        query: {}
      }
    })
  })

  it("says which of its properties a schema needs, when branches only require some (R9)", () => {
    const schema = {
      type: "object",
      description: "A page.",
      properties: { id: {}, url: {} },
      anyOf: [{ required: ["id"] }, { required: ["url"] }]
    }
    assert.deepStrictEqual(ToolSchema.legal(schema), {
      type: "object",
      description: "A page.\nGive at least one of these sets: {id} or {url}.",
      properties: { id: {}, url: {} }
    })
  })

  it("keeps what all branches ask for, and what the root says itself", () => {
    const id = { type: "integer" }
    const legal = ToolSchema.legal({
      type: "object",
      description: "By id.",
      properties: { id },
      required: ["id"],
      additionalProperties: false,
      allOf: [{ $ref: "#/definitions/base" }, { properties: { id: {} }, anyOf: [{ required: ["a"] }, {}] }],
      definitions: { base: { properties: { name: {} }, required: ["name"], allOf: [{ $ref: "#/definitions/base" }] } }
    })
    assert.deepStrictEqual(legal["properties"], { id, name: {} })
    assert.deepStrictEqual(legal["required"], ["id", "name"])
    assert.strictEqual(legal["additionalProperties"], false)
    assert.isTrue(String(legal["description"]).startsWith("By id.\nGive at least one"))
  })

  it("requires what every branch requires", () => {
    for (const free of [true, {}]) {
      assert.notProperty(ToolSchema.legal({ anyOf: [free, { required: ["kind"] }] }), "required")
    }
    const legal = ToolSchema.legal({ oneOf: [{ required: ["kind", "a"] }, { required: ["kind"] }] })
    assert.deepStrictEqual(legal["required"], ["kind"])
  })

  it("leaves a property called oneOf alone, and long choices out of the description", () => {
    const schema = { type: "object", properties: { oneOf: { type: "string" } } }
    assert.strictEqual(ToolSchema.legal(schema), schema)
    const long = { anyOf: [{ properties: { a: { description: "x".repeat(10_000) } } }] }
    assert.isBelow(String(ToolSchema.legal(long)["description"]).length, 100)
  })

  it("ends for branches that lead to one another in every way (R12)", () => {
    const branch = { anyOf: Array.from({ length: 20 }, () => ({ $ref: "#/$defs/a" })), allOf: [{ $ref: "#/$defs/a" }] }
    const legal = ToolSchema.legal({ $ref: "#/$defs/a", $defs: { a: { ...branch, properties: { found: {} } } } })
    assert.deepStrictEqual(legal["properties"], { found: {} })
  })

  const Key = Schema.Literals(["oneOf", "anyOf", "allOf", "enum", "not", "$ref", "type", "properties", "required", "a"])
  const Odd = Schema.Union([Schema.JsonObject, Schema.Array(Schema.JsonObject), Schema.Literal("#/a"), Schema.Json])

  it.prop("is legal whatever is at the root", { entries: Schema.Array(Schema.Tuple([Key, Odd])) }, ({ entries }) => {
    const once = ToolSchema.legal(Object.fromEntries(entries))
    assert.strictEqual(once["type"], "object")
    assert.isObject(once["properties"])
    for (const key of ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"]) assert.notProperty(once, key)
    assert.strictEqual(ToolSchema.legal(once), once)
  })

  it.prop(
    "leaves what it is given as it was, and is the same again when applied twice, whatever is at the root (R103)",
    { entries: Schema.Array(Schema.Tuple([Key, Odd])) },
    ({ entries }) => {
      const schema = Object.fromEntries(entries)
      const before = structuredClone(schema)
      const legal = ToolSchema.legal(schema)
      assert.deepStrictEqual(schema, before)
      assert.deepStrictEqual(ToolSchema.legal(legal), legal)
      return true
    }
  )

  it("takes properties called type, properties, required and items for properties (R103)", () => {
    const properties = Object.fromEntries(
      ["type", "properties", "required", "items", "$ref", "anyOf"].map((name) => [name, { type: "string" }])
    )
    const schema = { type: "object", properties, required: ["type", "items"] }
    assert.deepStrictEqual(ToolSchema.legal(schema), schema)
    const chosen = ToolSchema.legal({ type: "object", anyOf: [{ properties }], required: ["items"] })
    assert.deepStrictEqual(chosen["properties"], properties)
    assert.deepStrictEqual(chosen["required"], ["items"])
  })

  it.prop("is the same again when applied twice", { schema: Schema.JsonObject }, ({ schema }) => {
    const once = ToolSchema.legal(schema)
    return ToolSchema.legal(once) === once
  })
})
