import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Schema from "effect/Schema"
import recorded from "../../../../test/fixtures/live-mcp.json" with { type: "json" }
import type { Json, JsonObject } from "../../src/api/Types.ts"
import { type Draft, fromJson, initial, toJson } from "../../src/forms/FormDraft.ts"
import { type Field, make, ofArguments } from "../../src/forms/FormField.ts"
import { isObject } from "../../src/forms/SchemaReading.ts"
import { problemsOf } from "../../src/forms/ServerProblems.ts"
import { filled } from "../support/Filling.ts"

interface Recorded {
  readonly name: string
  readonly inputSchema: JsonObject
}

const decode = Schema.decodeUnknownSync(Schema.Struct({
  servers: Schema.Array(Schema.Struct({
    server: Schema.String,
    tools: Schema.Array(Schema.Struct({ name: Schema.String, inputSchema: Schema.JsonObject }))
  }))
}))

const tools: ReadonlyArray<Recorded> = decode(recorded).servers.flatMap((one) => one.tools)

const options = { strict: false, validateFormats: false, logger: false, addUsedSchema: false } as const
const old = new Ajv(options)
const current = new Ajv2020(options)

/** A validator by the draft that the schema names. */
const validator = (schema: JsonObject) => {
  const isOld = typeof schema["$schema"] === "string" && schema["$schema"].includes("draft-07")
  // One tool has draft 4's way to say that a limit is not reached.
  const plain = JSON.parse(
    JSON.stringify(schema).replaceAll("\"exclusiveMinimum\":true,\"minimum\":", "\"exclusiveMinimum\":")
  )
  return (isOld ? old : current).compile(plain)
}

const compiled = new Map<Recorded, ReturnType<typeof validator>>()
const validatorOf = (tool: Recorded) => {
  const known = compiled.get(tool) ?? validator(tool.inputSchema)
  compiled.set(tool, known)
  return known
}

/** Without those that no value fits. */
const propertiesOf = ({ inputSchema: { properties } }: Recorded): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).filter(([, schema]) =>
      JSON.stringify(schema) !== "{\"not\":{}}"
    )
  )

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 }))
const Which = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: tools.length - 1 }))

const field = (schema: JsonObject, key = "") => make(schema, schema, key)
const form = (properties: JsonObject, more: JsonObject = {}) => ofArguments({ type: "object", properties, ...more })

const roundTrip = (of: Field, value: Json) => toJson(of, fromJson(of, value), true)

describe("A form made from the schema of a tool", () => {
  it("shows every property of all 527 published tools, and asks for JSON only where nothing is said about a value", () => {
    assert.strictEqual(tools.length, 527)
    for (const tool of tools) {
      const properties = propertiesOf(tool)
      const made = ofArguments(tool.inputSchema).properties()
      assert.deepStrictEqual(made.map(({ key }) => key), Object.keys(properties), tool.name)
      for (const { field: inner, key } of made) {
        const schema = properties[key]
        const isSilent = isObject(schema) && !["type", "anyOf", "oneOf", "allOf", "enum", "const", "$ref", "properties"]
          .some((word) => word in schema)
        assert.strictEqual(inner.kind === "json", isSilent, `${tool.name}: ${key}`)
      }
    }
  })

  it("says of every published tool which required values are missing, and of nothing else", () => {
    for (const tool of tools) {
      const of = ofArguments(tool.inputSchema)
      const { problems, value } = toJson(of, initial(of, true), true)
      assert.isTrue(problems.every(({ isMissing }) => isMissing), tool.name)
      const validate = validatorOf(tool)
      assert.strictEqual(validate(value), problems.length === 0, `${tool.name}: ${JSON.stringify(validate.errors)}`)
    }
  })

  it.prop(
    "gives arguments that are valid for the schema, however it is filled in, and shows the same when they come back",
    [Which, Seed],
    ([which, seed]) => {
      const tool = tools[which] ?? { name: "", inputSchema: {} }
      const of = ofArguments(tool.inputSchema)
      const { problems, value } = toJson(of, filled(of, seed), true)
      assert.deepStrictEqual(problems, [], tool.name)
      const validate = validatorOf(tool)
      assert.isTrue(validate(value), `${tool.name}: ${JSON.stringify(value)} ${JSON.stringify(validate.errors)}`)
      assert.deepStrictEqual(roundTrip(of, value ?? null).value, value)
    },
    { arbitrary: { runs: 150 } }
  )

  it.prop(
    "loses nothing of arguments that were written by hand, whether they fit the schema or not",
    [Which, Schema.Json],
    ([which, value]) => {
      const of = ofArguments(tools[which]?.inputSchema ?? {})
      const plain: Json = JSON.parse(JSON.stringify(value))
      assert.deepStrictEqual(roundTrip(of, plain).value, plain)
    },
    { arbitrary: { runs: 150 } }
  )

  it("has a field of its own for each kind of value", () => {
    const of = form({
      name: { type: "string" },
      content: { type: "string" },
      size: { type: "integer", minimum: 1, maximum: 5 },
      isDeep: { type: "boolean" },
      mode: { enum: ["fast", "exact", null] },
      version: { const: 2 },
      tags: { type: "array", items: { type: "string" }, minItems: 1 },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      both: { type: ["string", "integer"] },
      maybe: { anyOf: [{ type: "string" }, { type: "null" }], description: "or not" },
      levels: { oneOf: [{ const: 1, title: "low" }, { const: 2, title: "high" }] },
      headers: { type: "object", additionalProperties: { type: "string" } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      any: {}
    })
    const fields = Object.fromEntries(of.properties().map(({ field: inner, key }) => [key, inner]))
    assert.deepStrictEqual(Object.values(fields).map(({ kind }) => kind), [
      ...["text", "text", "number", "boolean", "choice", "choice", "list", "variants", "variants", "text", "choice"],
      ...["object", "json", "json"]
    ])
    const shown = (key: string) => fields[key] ?? of
    assert.deepInclude(shown("name"), { isLong: false })
    assert.deepInclude(shown("content"), { isLong: true })
    assert.deepInclude(shown("size"), { isInteger: true, minimum: 1, maximum: 5 })
    assert.deepInclude(shown("mode"), { isNullable: true })
    assert.deepInclude(shown("maybe"), { isNullable: true, description: "or not" })
    assert.deepInclude(shown("levels"), {
      options: [{ value: 1, label: "low" }, { value: 2, label: "high" }]
    })
    assert.deepInclude(field({ type: ["integer", "null"] }), { kind: "number", isInteger: true, isNullable: true })
    assert.deepInclude(field({ type: "string", nullable: true }), { kind: "text", isNullable: true })
    const { both, headers } = fields
    assert.deepStrictEqual(
      both?.kind === "variants" ? both.variants().map(({ label }) => label) : [],
      ["text", "whole number"]
    )
    assert.strictEqual(headers?.kind === "object" ? headers.extra?.().kind : null, "text")
  })

  it("follows references, also of schemas that contain themselves, and merges allOf", () => {
    const of = ofArguments({
      properties: {
        tree: { $ref: "#/$defs/node", description: "the root" },
        whole: { allOf: [{ $ref: "#/$defs/a~1b" }, { required: ["x"] }] }
      },
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name"]
        },
        "a/b": { properties: { x: { type: "number" } } }
      }
    })
    const tree = { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] }
    const { problems, value } = roundTrip(of, { tree, whole: { x: 1 } })
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(value, { tree, whole: { x: 1 } })
    assert.strictEqual(of.properties()[0]?.field.description, "the root")
    assert.deepStrictEqual(roundTrip(of, { whole: {} }).problems.map(({ path }) => path), ["whole.x"])
    const endless = field({
      $ref: "#/$defs/a",
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }
    })
    assert.deepStrictEqual(roundTrip(endless, 1).value, 1)
    const circle = field({ $ref: "#" })
    assert.strictEqual(circle.kind, "json")
  })

  it("begins with required defaults and constants, and leaves optional values out", () => {
    const of = form({
      kind: { const: "search" },
      limit: { type: "integer", default: 10 },
      depth: { type: "integer", default: 2 },
      options: { type: "object", properties: { deep: { type: "boolean", default: true } }, required: ["deep"] }
    }, { required: ["kind", "limit", "options"] })
    assert.deepStrictEqual(toJson(of, initial(of, true), true), {
      value: { kind: "search", limit: 10, options: { deep: true } },
      problems: []
    })
  })

  it("says beside the field what cannot be sent, and keeps what was typed", () => {
    const of = form({
      count: { type: "integer" },
      list: { type: "array", items: { type: "number" } },
      any: {},
      "odd key": { type: "object", properties: { in: { type: "string" } }, required: ["in"] }
    })
    const draft: Draft = {
      is: "object",
      fields: new Map<string, Draft>([
        ["count", { is: "text", text: "1.5" }],
        ["list", { is: "list", items: [{ is: "text", text: "2" }, { is: "text", text: "two" }] }],
        ["any", { is: "json", text: "{oops" }],
        ["odd key", { is: "object", fields: new Map(), extra: [] }]
      ]),
      extra: []
    }
    const { problems, value } = toJson(of, draft, true)
    assert.deepStrictEqual(problems.map(({ path }) => path), ["count", "list[1]", "any", "[\"odd key\"].in"])
    assert.deepStrictEqual(value, { count: 1.5, list: [2, "two"], any: "{oops", "odd key": {} })
  })

  it("begins no list of a million items, and shows a long one as JSON", () => {
    const many = make({}, { type: "array", items: { type: "string" }, minItems: 1e12 }, "many")
    assert.deepStrictEqual(initial(many, true), { is: "list", items: [] })
    const long = Array.from({ length: 20_000 }, (_, index) => `item ${index}`)
    const draft = fromJson(many, long)
    assert.strictEqual(draft.is, "json")
    assert.deepStrictEqual(toJson(many, draft, true), { value: long, problems: [] })
    const object = make({}, { additionalProperties: { type: "integer" } }, "object")
    const keys = Object.fromEntries(long.map((key, index) => [key, index]))
    assert.strictEqual(fromJson(object, keys).is, "json")
    assert.deepStrictEqual(toJson(object, fromJson(object, keys), true).value, keys)
  })

  it("tells keys that are there twice", () => {
    const of = form({}, { additionalProperties: { type: "string" } })
    const extra = ["a", "b", "a"].map((key): { key: string; draft: Draft } => ({
      key,
      draft: { is: "text", text: key }
    }))
    const { problems } = toJson(of, { is: "object", fields: new Map(), extra }, true)
    assert.deepStrictEqual(problems.map(({ path }) => path), ["a", "a"])
  })

  it("puts what the server says beside the field that it is about", () => {
    const of = (detail: string) =>
      problemsOf(`bad arguments for files_x: ${detail}`, "files_x").map(({ message, path }) => [path, message])
    assert.deepStrictEqual(
      of("filter.items[2] should be a string, got 1; in filter: missing a (one of \"x, y\"), \"b c\""),
      [
        ["filter.items[2]", "Should be a string, got 1."],
        ["filter.a", "This is required."],
        ["filter[\"b c\"]", "This is required."]
      ]
    )
    assert.deepStrictEqual(of("unknown x (did you mean y?); known are y, z"), [[
      "",
      "unknown x (did you mean y?); known are y, z"
    ]])
    assert.deepStrictEqual(problemsOf("no such tool", "files_x"), [{ path: "", message: "no such tool" }])
  })
})
