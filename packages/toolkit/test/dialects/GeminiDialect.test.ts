import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { SchemaDialect } from "../../src/index.ts"
import { converted, schemaOf } from "../support/Converted.ts"
import { hostile } from "../support/HostileSchemas.ts"
import * as LiveMcp from "../support/LiveMcp.ts"

const ALLOWED = new Set([
  "type",
  "title",
  "description",
  "nullable",
  "enum",
  "format",
  "properties",
  "required",
  "items",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "anyOf"
])

/** A schema of Gemini's, as far as it is one. */
interface Part {
  readonly type?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly required?: ReadonlyArray<string>
  readonly properties?: Record<string, Part>
  readonly anyOf?: ReadonlyArray<Part>
  readonly items?: Part
}

const read = (schema: Schema.JsonObject): Part => JSON.parse(JSON.stringify(schema))

const inside = (schema: Part): ReadonlyArray<Part> => [
  ...Object.values(schema.properties ?? {}),
  ...(schema.anyOf ?? []),
  ...(schema.items === undefined ? [] : [schema.items])
]

/** Every schema in one, itself too. */
const parts = (schema: Part): ReadonlyArray<Part> => [schema, ...inside(schema).flatMap(parts)]

const depth = (schema: Part): number => 1 + Math.max(0, ...inside(schema).map(depth))

describe("the dialect gemini", () => {
  const all = [...hostile, ...LiveMcp.tools.map(({ inputSchema, name }) => ({ name, schema: inputSchema }))]

  it("holds only what Gemini knows: one type each, enums of text, no reference (R11)", () => {
    assert.isAbove(all.length, 600)
    for (const { name, schema } of all) {
      if (Result.isFailure(SchemaDialect.convert("gemini", schema))) continue
      for (const part of parts(read(schemaOf("gemini", schema)))) {
        const keys = Object.keys(part)
        for (const key of keys) assert.isTrue(ALLOWED.has(key), `${name}: ${key}`)
        if (part.anyOf !== undefined) assert.deepStrictEqual(keys, ["anyOf"], name)
        else assert.isString(part.type, name)
        if (part.enum !== undefined) assert.isTrue(part.type === "string" && !part.enum.includes(""), name)
        if (part.type === "object") {
          assert.isObject(part.properties, name)
          assert.includeMembers(Object.keys(part.properties ?? {}), [...part.required ?? []], name)
        }
        if (part.type === "array") assert.isObject(part.items, name)
        for (const key of Object.keys(part.properties ?? {})) assert.match(key, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, name)
      }
    }
  })

  const cases: ReadonlyArray<readonly [string, Schema.Json, Schema.Json]> = [
    ["a type that may be null", { type: ["string", "null"] }, { type: "string", nullable: true }],
    ["a union with null", { anyOf: [{ type: "integer" }, { type: "null" }] }, { type: "integer", nullable: true }],
    ["OpenAPI's nullable", { type: "string", nullable: true }, { type: "string", nullable: true }],
    ["several types", { type: ["string", "number"], minLength: 1, minimum: 2 }, {
      anyOf: [{ type: "string", description: "At least 1 characters." }, { type: "number", minimum: 2 }]
    }],
    ["a constant", { const: "a" }, { type: "string", enum: ["a"] }],
    ["constants to choose from", { oneOf: [{ const: "a" }, { const: "b" }, { enum: ["c", "a"] }] }, {
      type: "string",
      enum: ["a", "b", "c"]
    }],
    ["numbers to choose from", { enum: [1, 2] }, { type: "number", description: "One of: 1, 2." }],
    ["an empty text to choose", { enum: ["", "a"] }, { type: "string", description: `One of: "", "a".` }],
    ["a format it lacks", { type: "string", format: "uri" }, { type: "string", description: "Format: uri." }],
    ["a format it has", { type: "string", format: "date-time" }, { type: "string", format: "date-time" }],
    ["an exclusive limit", { type: "number", exclusiveMinimum: 0 }, { type: "number", description: "Greater than 0." }],
    ["a list without items", { type: "array", items: { type: "string" } }, {
      type: "array",
      items: { type: "string" }
    }],
    ["a tuple", { type: "array", prefixItems: [{ type: "number" }, { type: "string" }] }, {
      type: "array",
      items: { anyOf: [{ type: "number" }, { type: "string" }] },
      description: "Items in this order: number, string."
    }],
    [
      "parts of one object",
      { allOf: [{ properties: { a: { const: "x" } }, required: ["a"] }, { $ref: "#/$defs/B" }] },
      {
        type: "object",
        properties: { a: { type: "string", enum: ["x"] }, b: { type: "boolean" } },
        required: ["a"]
      }
    ],
    ["a map", { type: "object", additionalProperties: { type: "string" } }, {
      type: "object",
      properties: {},
      description: `Any property names; each value matches {"type":"string"}.`
    }],
    ["what may be absent", { anyOf: [{ not: {} }, { type: "number" }, { type: "null" }] }, {
      type: "number",
      nullable: true
    }],
    ["anything", {}, {
      anyOf: [
        { type: "string", nullable: true },
        { type: "number" },
        { type: "boolean" },
        { type: "object", properties: {} },
        { type: "array", items: { type: "string" } }
      ]
    }],
    ["null alone", { type: "null", description: "Nothing." }, {
      type: "string",
      description: "Nothing.\nAlways null.",
      nullable: true
    }],
    ["words beside a union", { description: "Which.", anyOf: [{ type: "string" }, { type: "boolean" }] }, {
      anyOf: [{ type: "string", description: "Which." }, { type: "boolean" }]
    }]
  ]
  for (const [name, declared, expected] of cases) {
    it(`says ${name} in its own way (R11)`, () => {
      const defs = { $defs: { B: { type: "object", properties: { b: { type: "boolean" } } } } }
      const { properties } = schemaOf("gemini", { type: "object", properties: { p: declared }, ...defs })
      assert.deepStrictEqual(properties, { p: expected })
    })
  }

  it("says of a property that has to be given that it may be null, which not every field of Gemini's hears otherwise (R11)", () => {
    const text = { type: ["string", "null"] }
    const either = { anyOf: [{ type: "string" }, { type: "boolean" }, { type: "null" }] }
    const properties = { text, either, other: text }
    assert.deepStrictEqual(
      schemaOf("gemini", { type: "object", properties, required: ["text", "either"] })["properties"],
      {
        text: { type: "string", nullable: true, description: "May be null." },
        either: { anyOf: [{ type: "string", nullable: true, description: "May be null." }, { type: "boolean" }] },
        other: { type: "string", nullable: true }
      }
    )
  })

  it("says a schema that refers to itself twice, and then no more (R12)", () => {
    const Node = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/Node" } } }
    }
    const { losses, schema } = converted("gemini", {
      type: "object",
      properties: { tree: { $ref: "#/$defs/Node" } },
      $defs: { Node }
    })
    assert.strictEqual(depth(read(schema)), 6)
    assert.include(JSON.stringify(schema), "Nested further in the same way.")
    assert.isTrue(losses.some(({ detail }) => detail.includes("#/$defs/Node refers to itself")))
  })

  it("bounds what references grow to, in size, depth and time (R12)", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` }
        return [`d${index}`, { type: "object", properties: { left: next, right: next, any: { anyOf: [next, next] } } }]
      })
    )
    const schema = schemaOf("gemini", {
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      $defs: { ...doubling, d64: { description: "x".repeat(4000) } }
    })
    assert.isAtMost(JSON.stringify(schema).length, 262_144)
    assert.isAtMost(depth(read(schema)), 32)
  })
})
