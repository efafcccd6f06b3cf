import { assert, describe, it } from "@effect/vitest"
import { converted, propertyOf, schemaOf } from "../support/Converted.ts"

const page = { type: "object", properties: { page: { type: "string" } }, required: ["page"] }
const block = { type: "object", properties: { block: { type: "string" }, depth: {} }, required: ["block"] }

describe("the dialect anthropic", () => {
  for (const key of ["oneOf", "anyOf"] as const) {
    it(`makes one object of ${key} at the root, of object branches and of branches that only require (R9)`, () => {
      const branches = schemaOf("anthropic", { [key]: [page, block] })
      assert.deepStrictEqual(branches["properties"], { page: { type: "string" }, block: { type: "string" }, depth: {} })
      assert.notProperty(branches, key)
      assert.notProperty(branches, "required")
      assert.include(branches["description"], "{page} or {block, depth?}")
      const needs = {
        type: "object",
        properties: page.properties,
        [key]: [{ required: ["page"] }, { required: ["id"] }]
      }
      const required = schemaOf("anthropic", needs)
      assert.deepStrictEqual(required["properties"], page.properties)
      assert.include(required["description"], "{page} or {id}")
    })
  }

  it("makes one object of allOf at the root, which requires what every part requires (R9)", () => {
    assert.deepStrictEqual(schemaOf("anthropic", { allOf: [page, block] }), {
      type: "object",
      properties: { page: { type: "string" }, block: { type: "string" }, depth: {} },
      required: ["page", "block"]
    })
  })

  it("sends combinators below the root byte for byte as they came (R9)", () => {
    const nested = {
      required: ["kind"],
      type: "object",
      properties: {
        kind: { oneOf: [{ const: "a", title: "A" }, { enum: ["b", "c"] }] },
        value: { anyOf: [{ type: ["string", "null"], format: "uri" }, { $ref: "#/$defs/Node" }, { type: "null" }] },
        both: { allOf: [{ required: ["x"] }, { not: { required: [] } }, { if: {}, then: { minProperties: 1 } }] },
        pair: { prefixItems: [{ type: "number" }, {}], type: "array", items: false }
      },
      $defs: { Node: { description: "A node.", type: "object", properties: { next: { $ref: "#/$defs/Node" } } } }
    }
    assert.strictEqual(JSON.stringify(schemaOf("anthropic", nested)), JSON.stringify(nested))
  })

  it("says by draft 2020-12 what older drafts said otherwise", () => {
    assert.deepStrictEqual(
      propertyOf("anthropic", { type: "array", items: [{ type: "number" }], additionalItems: { type: "string" } }),
      { type: "array", prefixItems: [{ type: "number" }], items: { type: "string" } }
    )
    assert.deepStrictEqual(
      propertyOf("anthropic", { type: "number", minimum: 3, exclusiveMinimum: true, exclusiveMaximum: false }),
      { type: "number", exclusiveMinimum: 3 }
    )
    assert.deepStrictEqual(
      propertyOf("anthropic", { dependencies: { a: ["b"], c: { required: ["d"] } } }),
      { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } }
    )
    assert.deepStrictEqual(propertyOf("anthropic", { type: "string", enum: ["a"], nullable: true }), {
      type: ["string", "null"],
      enum: ["a", null]
    })
    const draft3 = schemaOf("anthropic", { properties: { a: { type: "string", required: true } } })
    assert.deepStrictEqual(draft3, { properties: { a: { type: "string" } }, type: "object", required: ["a"] })
  })

  it("drops what is no JSON Schema, and says so", () => {
    const { losses, schema } = converted("anthropic", {
      type: "object",
      properties: {
        a: { type: "any", minLength: -1, required: "yes", enum: [], anyOf: [] },
        b: "string",
        c: { enum: ["x", "x", 1] },
        d: false
      },
      required: ["a", "a", 3]
    })
    assert.deepStrictEqual(schema["properties"], { a: {}, b: {}, c: { enum: ["x", 1] } })
    assert.deepStrictEqual(schema["required"], ["a"])
    assert.includeMembers(losses.map(({ path }) => path), ["properties.a.type", "properties.a.enum", "properties.b"])
  })

  it("never sends patterns for names, which it refuses, but says them and what the values are", () => {
    const patternProperties = { "^(.*)$": { type: "number" } }
    const map = propertyOf("anthropic", { type: "object", patternProperties, additionalProperties: false })
    assert.deepStrictEqual(map, {
      type: "object",
      properties: {},
      additionalProperties: { type: "number" },
      description: `Properties whose names match a pattern: {"^(.*)$":{"type":"number"}}.`
    })
  })

  it("puts where a reference leads into $defs, and follows none out of the schema (R12)", () => {
    const { losses, schema } = converted("anthropic", {
      type: "object",
      properties: {
        from: { type: "object", properties: { "a/b": { type: "string" } } },
        to: { $ref: "#/properties/from/properties/a~1b" },
        me: { $ref: "#" },
        old: { $ref: "#/definitions/Old" },
        remote: { $ref: "https://example.com/secret.json" },
        gone: { $ref: "#/$defs/gone" },
        loop: { $ref: "#/definitions/Loop" },
        named: { $ref: "#here" }
      },
      definitions: {
        Old: { type: "integer", $anchor: "here" },
        Loop: { $ref: "#/definitions/Loop" },
        Unused: { type: "string" }
      }
    })
    const defs = JSON.parse(JSON.stringify(schema))
    assert.deepStrictEqual(defs.properties.to, { $ref: "#/$defs/a_b" })
    assert.deepStrictEqual(defs.$defs.a_b, { type: "string" })
    assert.deepStrictEqual(defs.properties.me, { $ref: "#/$defs/root" })
    assert.deepStrictEqual(defs.$defs.root.properties.me, { $ref: "#/$defs/root" })
    assert.deepStrictEqual(defs.definitions, { Old: { type: "integer" } })
    assert.deepStrictEqual(defs.properties.named, { $ref: "#/definitions/Old" })
    for (const name of ["remote", "gone", "loop"]) {
      assert.deepStrictEqual(Object.keys(defs.properties[name]), ["description"])
      assert.include(losses.map(({ path }) => path), `properties.${name}.$ref`)
    }
  })

  it("adds a property for a name that is required but not there, unless no more are allowed", () => {
    assert.deepStrictEqual(schemaOf("anthropic", { type: "object", properties: {}, required: ["id"] }), {
      type: "object",
      properties: { id: {} },
      required: ["id"]
    })
    const closed = { type: "object", properties: { a: {} }, required: ["id"], additionalProperties: false }
    assert.notProperty(schemaOf("anthropic", closed), "required")
  })
})
