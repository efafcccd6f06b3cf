import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type AgentTool, McpToolkit, SchemaDialect } from "../../src/index.ts"
import { converted, dialects, propertyOf, schemaOf } from "../support/Converted.ts"
import { hostile } from "../support/HostileSchemas.ts"
import * as LiveMcp from "../support/LiveMcp.ts"
import { MemoryFiles } from "../support/MemoryFiles.ts"
import * as ProviderRules from "../support/rules/ProviderRules.ts"
import * as ScriptedRegistry from "../support/ScriptedRegistry.ts"

const LONG = "k".repeat(80)

/** What reaches the server of a tool with this schema, for what a model sends in a dialect. */
const onTheWire = (dialect: SchemaDialect.SchemaDialect, inputSchema: Schema.JsonObject, sent: unknown) =>
  Effect.gen(function*() {
    const received: Array<unknown> = []
    const tool = ScriptedRegistry.tool("s", "t", { inputSchema })
    const registry = ScriptedRegistry.layer([tool], (_, args) =>
      Effect.sync(() => {
        received.push(args)
        return ScriptedRegistry.answer()
      }))
    const results = yield* Effect.gen(function*() {
      const { tools } = SchemaDialect.speak(yield* McpToolkit.agentTools([tool]), dialect)
      return yield* Effect.forEach(tools, (spoken) => spoken.run(sent))
    }).pipe(Effect.provide(Layer.mergeAll(registry, new MemoryFiles().layer)))
    return { received, results }
  })

const agentTool = (name: string, inputSchema: Schema.JsonObject): AgentTool => ({
  name,
  server: "s",
  description: "",
  inputSchema,
  tokens: 1,
  isAlwaysLoaded: false,
  run: () => Effect.die("not called")
})

/** More properties than any request takes. */
const tooLarge = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 4000 }, (_, index) => [`p${index}`, { type: "string", description: "d".repeat(100) }])
  )
}

describe("Dialect", () => {
  it("leaves raw schemas as they are", () => {
    for (const { schema } of hostile) assert.strictEqual(schemaOf("raw", schema), schema)
  })

  it("leaves out the one tool that cannot be said, with server and reason (R8)", () => {
    for (const dialect of dialects) {
      const tools = ["a", "bad", "c"].map((name) => agentTool(name, name === "bad" ? tooLarge : { type: "object" }))
      const { tools: spoken, unspeakable } = SchemaDialect.speak(tools, dialect)
      assert.deepStrictEqual(spoken.map(({ name }) => name), ["a", "c"])
      assert.deepStrictEqual(unspeakable.map(({ name, server }) => ({ name, server })), [{ name: "bad", server: "s" }])
      assert.match(unspeakable[0]?.reason ?? "", /^its schema has \d+ bytes, and 262144 is the most that is sent$/)
    }
  })

  it("cuts descriptions at the 1,024 characters that OpenAI takes, for nobody else and through no character (R8)", () => {
    const long = `${"x".repeat(1003)}🐟${"y".repeat(200)}`
    const [fits, tooLong] = ["d".repeat(1024), long].map((description) => ({ ...agentTool("t", {}), description }))
    if (fits === undefined || tooLong === undefined) return assert.fail("two tools")
    for (const dialect of SchemaDialect.names) {
      const { tools } = SchemaDialect.speak([fits, tooLong], dialect)
      const [kept, cut] = tools.map(({ description }) => description)
      assert.strictEqual(kept, fits.description)
      const isLimited = dialect === "openai" || dialect === "openai-strict"
      assert.strictEqual(cut, isLimited ? `${"x".repeat(1003)}… [the rest was cut]` : long, dialect)
    }
  })

  it("looks no further into a schema than anybody would send it (R8, R12)", () => {
    const wide = (count: number) => ({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }])),
      required: Array.from({ length: count }, (_, index) => `p${index}`)
    })
    for (const dialect of dialects) {
      assert.strictEqual(
        Result.getOrThrow(Result.flip(SchemaDialect.convert(dialect, wide(50_000)))),
        "its schema holds more than 5000 objects, and no more is sent"
      )
      assert.lengthOf(Object.keys(schemaOf(dialect, wide(2000))["properties"] ?? {}), 2000)
    }
  })

  it("says which tools strict cannot say", () => {
    const map = { type: "object", properties: { m: { type: "object" } } }
    const { loose, tools } = SchemaDialect.speak([agentTool("a", map), agentTool("b", {})], "openai-strict")
    assert.deepStrictEqual([...loose], ["a"])
    assert.lengthOf(tools, 2)
  })

  it("makes every hostile schema, and each fifth real one, such that no provider refuses it (R8, R9, R10, R11, R12, R13, R103)", () => {
    // All real ones are in `LiveTools.test.ts`.
    const real = [...LiveMcp.tools, ...LiveMcp.published].filter((_, at) => at % 5 === 0)
    const all = [...hostile, ...real.map(({ inputSchema, name }) => ({ name, schema: inputSchema }))]
    for (const dialect of dialects) {
      for (const { name, schema } of all) {
        const said = SchemaDialect.convert(dialect, schema)
        if (Result.isFailure(said)) {
          // Only size leaves a tool out, and no real one is so large.
          assert.match(
            said.failure,
            /^its schema (?:has \d{6,} bytes|holds more than 5000 objects)/,
            `${dialect}: ${name}`
          )
          assert.isTrue(hostile.some((known) => known.schema === schema), name)
        } else {
          const rules = said.success.dialect === "gemini"
            ? (["gemini", "gemini-json"] as const)
            : [said.success.dialect]
          const again = Result.getOrThrow(SchemaDialect.convert(dialect, structuredClone(said.success.schema)))
          assert.deepStrictEqual(again.schema, said.success.schema, `${dialect}: ${name}`)
          for (const rule of rules) {
            assert.deepStrictEqual(ProviderRules.check(rule, said.success.schema), [], `${dialect}: ${name}`)
          }
        }
      }
    }
  })

  it("gives objects their properties and arrays their items, nested too (R10)", () => {
    for (const dialect of ["openai", "anthropic"] as const) {
      assert.deepStrictEqual(propertyOf(dialect, { type: "object" }), { type: "object", properties: {} })
      assert.deepStrictEqual(propertyOf(dialect, { type: "array" }), { type: "array", items: {} })
      assert.deepStrictEqual(propertyOf(dialect, { type: ["array", "null"], items: { type: "array" } }), {
        type: ["array", "null"],
        items: { type: "array", items: {} }
      })
    }
    for (const dialect of dialects) {
      const nested = JSON.stringify(propertyOf(dialect, { type: "array", items: { type: "object" } }))
      assert.include(nested, `"properties":{}`)
    }
  })

  for (const dialect of dialects) {
    it.effect(`${dialect}: a tool without parameters gets a placeholder, which never reaches its server (R10)`, () =>
      Effect.gen(function*() {
        for (const none of [{}, { type: "object" }, { type: "object", properties: {} }]) {
          assert.deepStrictEqual(Object.keys(schemaOf(dialect, none)["properties"] ?? {}), ["_placeholder"])
          const { received } = yield* onTheWire(dialect, none, { _placeholder: true })
          assert.deepStrictEqual(received, [{}])
        }
        const own = { type: "object", properties: { _placeholder: { type: "boolean" } }, required: ["_placeholder"] }
        const { received } = yield* onTheWire(dialect, own, { _placeholder: true })
        assert.deepStrictEqual(received, [{ _placeholder: true }])
      }))

    it.effect(`${dialect}: keys that a provider refuses get names that it takes, and the wire has theirs (R13)`, () =>
      Effect.gen(function*() {
        const item = { type: "object", properties: { "uids[]": { type: "string" } }, required: ["uids[]"] }
        const declared = {
          type: "object",
          properties: {
            "a[]": { type: "string" },
            "a()": { type: "string" },
            a__: { type: "string" },
            "$.x": { type: "array", items: { anyOf: [item, { type: "string" }] } },
            [LONG]: { $ref: "#/$defs/item" }
          },
          required: ["a[]", "$.x", LONG],
          $defs: { item }
        }
        const { properties, required } = schemaOf(dialect, declared)
        const [first = "", second = "", third = "", fourth = "", fifth = ""] = Object.keys(properties ?? {})
        for (const key of [first, second, third, fourth, fifth]) assert.match(key, /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/)
        assert.strictEqual(new Set([first, second, third, fourth, fifth]).size, 5)
        assert.strictEqual(third, "a__")
        assert.includeMembers([...(Array.isArray(required) ? required : [])], [first, fourth, fifth])
        const uids = { uids__: "1" }
        const sent = { [first]: "1", [second]: "2", [third]: "3", [fourth]: [uids, "uids__"], [fifth]: uids }
        const back = { "uids[]": "1" }
        const wanted = { "a[]": "1", "a()": "2", a__: "3", "$.x": [back, "uids__"], [LONG]: back }
        for (const args of [sent, JSON.stringify(sent), { ...sent, [fifth]: JSON.stringify(uids) }]) {
          const { received } = yield* onTheWire(dialect, declared, args)
          assert.deepStrictEqual(received, [wanted])
        }
      }))

    it.effect(`${dialect}: arguments that cannot be read are answered with what is wrong, and not sent (R58)`, () =>
      Effect.gen(function*() {
        const { received, results } = yield* onTheWire(dialect, { properties: { "a[]": {} } }, `{"a__": `)
        assert.deepStrictEqual(received, [])
        assert.isTrue(results[0]?.isError)
      }))
  }

  it("gives a key the same name in whatever order a server lists them (R13)", () => {
    const keys = ["a[]", "a()", "a{}", "$.x", "a__"]
    const said = (order: ReadonlyArray<string>) => {
      const properties = Object.fromEntries(order.map((key) => [key, { type: "string", description: key }]))
      const entries = Object.entries(schemaOf("openai", { type: "object", properties })["properties"] ?? {})
      return entries.map(([alias, schema]) => `${alias} ${JSON.stringify(schema)}`).toSorted()
    }
    assert.deepStrictEqual(said(keys.toReversed()), said(keys))
  })

  it("estimates the tokens of what is sent, not of what was declared", () => {
    const declared = { $schema: "http://json-schema.org/draft-07/schema#", $comment: "c".repeat(4000), type: "object" }
    const before = { ...agentTool("t", declared), tokens: 1000 }
    const [after] = SchemaDialect.speak([before], "anthropic").tools
    const text = JSON.stringify({ name: "t", description: "", inputSchema: after?.inputSchema })
    assert.strictEqual(after?.tokens, Math.ceil(text.length / 4))
  })

  it("keeps what looks like a name of ours where it is data", () => {
    const { toDeclared } = converted("gemini", {
      type: "object",
      properties: { "a[]": { type: "string" }, map: { type: "object", additionalProperties: { type: "string" } } }
    })
    assert.deepStrictEqual(toDeclared({ a__: "x", map: { a__: "y" } }), { "a[]": "x", map: { a__: "y" } })
  })

  it("takes __proto__ for a property like any other, under another name (R103)", () => {
    const declared = JSON.parse(`{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}`)
    for (const dialect of dialects) {
      const { schema, toDeclared } = converted(dialect, declared)
      assert.deepStrictEqual(Object.keys(schema["properties"] ?? {}), ["_proto_", "constructor"])
      assert.strictEqual(JSON.stringify(toDeclared({ _proto_: "x" })), `{"__proto__":"x"}`)
    }
  })

  it("strips contentEncoding and contentMediaType, and keeps properties of that name (R103)", () => {
    const keyword = { type: "string", contentEncoding: "base64", contentMediaType: "image/png" }
    const names = ["contentEncoding", "contentMediaType", "type", "properties", "required", "items", "$ref", "const"]
    const declared = {
      type: "object",
      properties: Object.fromEntries([...names, "enum", "format", "nullable"].map((name) => [name, keyword])),
      required: names
    }
    for (const dialect of dialects) {
      const schema = schemaOf(dialect, declared)
      const { properties } = schema
      const aliases = Object.keys(declared.properties).map((name) => name.replace("$", "_"))
      assert.deepStrictEqual(Object.keys(properties ?? {}), aliases)
      for (const property of Object.values(properties ?? {})) {
        assert.notProperty(property, "contentEncoding")
        assert.notProperty(property, "contentMediaType")
        assert.include(JSON.stringify(property), "Encoded as base64.")
      }
    }
  })

  it("cleans the text a model reads, and keeps values as they have to come back", () => {
    const hidden = "Reads.\u001b[31m\u202e\u{E0041}"
    for (const dialect of dialects) {
      const said = JSON.stringify(propertyOf(dialect, { type: "string", description: hidden, enum: ["a\u200bb"] }))
      assert.include(said, `"Reads."`)
      assert.include(said, "a\u200bb")
    }
  })

  it("bounds descriptions and enums", () => {
    for (const dialect of dialects) {
      const values = Array.from({ length: 5000 }, (_, index) => `value ${index}`)
      const said = JSON.stringify(
        propertyOf(dialect, { type: "string", description: "x".repeat(50_000), enum: values })
      )
      assert.isBelow(said.length, 4200)
      assert.include(said, "One of 5000 values")
    }
  })

  it("converts a schema once", () => {
    const declared = { type: "object" }
    assert.strictEqual(SchemaDialect.convert("gemini", declared), SchemaDialect.convert("gemini", declared))
  })
})
