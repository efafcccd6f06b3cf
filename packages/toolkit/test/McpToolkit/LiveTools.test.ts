import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Schema from "effect/Schema"
import process from "node:process"
import * as JsonSchema from "../../src/schema/JsonSchema.ts"
import * as SchemaDialect from "../../src/tools/SchemaDialect.ts"
import * as LiveMcp from "../support/LiveMcp.ts"
import * as RandomSchemas from "../support/RandomSchemas.ts"
import { places } from "../support/rules/Places.ts"
import * as ProviderRules from "../support/rules/ProviderRules.ts"
import * as SchemaTools from "../support/SchemaTools.ts"

/** Processor time so far in milliseconds, to which other programs of the machine do not add. */
const worked = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const { isObject } = JsonSchema
const DIALECTS = SchemaDialect.names.filter((name) => name !== "raw")

/** By whose rules a dialect is judged: what is written for Gemini goes into its JSON field. */
const RULES = {
  openai: ["openai"],
  "openai-strict": ["openai-strict"],
  anthropic: ["anthropic"],
  gemini: ["gemini", "gemini-json"]
} as const

type Spoken = typeof DIALECTS[number]

/** Each tool that a provider would refuse in this dialect, with the first reason. */
const refused = ({ loose, tools }: Pick<SchemaDialect.Spoken, "tools" | "loose">, dialect: Spoken) =>
  tools.flatMap(({ description, inputSchema, name }) =>
    RULES[loose.has(name) ? "openai" : dialect].flatMap((rules) =>
      ProviderRules.check(rules, inputSchema).slice(0, 1).map(({ detail, path }) =>
        `${rules}: ${description.slice(0, 80)}: ${path}: ${detail}`
      )
    )
  )

const spoken = (tool: SchemaDialect.Spoken["tools"][number], dialect: Spoken) => {
  const said = SchemaDialect.speak([tool], dialect)
  assert.deepStrictEqual(refused(said, dialect), [])
  return said.tools[0] ?? assert.fail(`${tool.description} cannot be said for ${dialect}`)
}

const objectPlaces = (schema: Schema.Json) =>
  places(schema).flatMap(({ path, schema }) => isObject(schema) ? [{ path, schema }] : [])

const has = (schema: Schema.JsonObject, type: string) => [schema["type"]].flat().includes(type)

describe("the tools of published servers", () => {
  it("are 527 of 70 servers, and 38 of the installed ones", () => {
    assert.deepStrictEqual([LiveMcp.servers.length, LiveMcp.tools.length, LiveMcp.published.length], [70, 527, 38])
  })

  it("would be refused as declared: by every provider some, by strict OpenAI and Gemini many", () => {
    const count = (rules: ProviderRules.RuleSet) =>
      LiveMcp.tools.filter(({ inputSchema }) => ProviderRules.check(rules, inputSchema).length > 0).length
    assert.deepStrictEqual(
      ProviderRules.ruleSets.map((rules) => [rules, count(rules)]),
      [["raw", 0], ["openai", 2], ["openai-strict", 445], ["anthropic", 1], ["gemini", 207], ["gemini-json", 1]]
    )
  })

  it.each(DIALECTS)("are all taken by the provider in the dialect %s (R8 to R13)", (dialect) => {
    const said = SchemaDialect.speak(SchemaTools.real, dialect)
    const { tools, unspeakable } = said
    assert.deepStrictEqual(unspeakable, [])
    assert.deepStrictEqual(tools.map(({ name }) => name), SchemaTools.real.map(({ name }) => name))
    assert.deepStrictEqual(refused(said, dialect), [])
  })
})

/** Every kind of value that a property takes; null apart, since a property may be left out instead. */
const kindsOf = (schema: Schema.JsonObject): ReadonlyMap<string, ReadonlyArray<JsonSchema.Kind>> => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  return new Map(
    Object.entries(properties).map(([name, property]) => [
      name,
      [...JsonSchema.kinds(schema, property)].filter((kind) => kind !== "null")
    ])
  )
}

describe("what a model may say to the tools of published servers", () => {
  it.each(DIALECTS)(
    "is no less in %s: each property takes each kind of value it did, or its text (R103)",
    (dialect) => {
      const { tools } = SchemaDialect.speak(SchemaTools.real, dialect)
      const lost = SchemaTools.real.flatMap(({ description, inputSchema }, index) => {
        const said = kindsOf(tools[index]?.inputSchema ?? {})
        return [...kindsOf(inputSchema)].flatMap(([name, kinds]) =>
          kinds.filter((kind) => !said.get(name)?.includes(kind) && !said.get(name)?.includes("string"))
            .map((kind) => `${description.slice(0, 40)}: ${name} takes no ${kind}`)
        )
      })
      assert.deepStrictEqual(lost, [])
    }
  )
})

describe("schemas nobody would write", () => {
  it.prop(
    "are taken in every dialect or left out, leave no trace, and are judged without fail (R8 to R13, R103)",
    [Arbitrary.schema(Schema.Int)],
    ([seed]) => {
      const tool = SchemaTools.make("t", RandomSchemas.make(seed), "it", JSON.stringify(RandomSchemas.make(seed)))
      ProviderRules.ruleSets.forEach((rules) => ProviderRules.check(rules, tool.inputSchema))
      for (const dialect of DIALECTS) {
        const once = SchemaDialect.speak([tool], dialect)
        assert.deepStrictEqual(refused(once, dialect), [], `${dialect} ${seed}`)
        const twice = SchemaDialect.speak(once.tools, dialect)
        const schemas = [once, twice].map(({ tools: [said] }) => said?.inputSchema)
        if (once.loose.size === 0) assert.deepStrictEqual(schemas[1], schemas[0], `${dialect} ${seed}`)
      }
      assert.deepStrictEqual(tool.inputSchema, RandomSchemas.make(seed))
    },
    { arbitrary: { runs: 40 }, timeout: 60_000 }
  )
})

describe("hostile schemas", () => {
  it.each(DIALECTS)("are taken by the provider in the dialect %s, or left out with a reason (R8)", (dialect) => {
    const said = SchemaDialect.speak(SchemaTools.bad, dialect)
    const { tools, unspeakable } = said
    assert.deepStrictEqual(refused(said, dialect), [])
    assert.strictEqual(tools.length + unspeakable.length, SchemaTools.bad.length)
    unspeakable.forEach(({ reason }) => assert.match(reason, /\w/))
    // Leaving out is for what cannot be said, not a way to say nothing.
    assert.isAtMost(unspeakable.length, 5, JSON.stringify(unspeakable))
  })

  it.each(DIALECTS)("cost each other nothing in %s: one that cannot be said leaves the others (R8)", (dialect) => {
    const all = [...SchemaTools.real.slice(0, 20), ...SchemaTools.bad]
    const alone = SchemaTools.bad.flatMap((tool) =>
      SchemaDialect.speak([tool], dialect).unspeakable.map(({ name }) => name)
    )
    const { tools, unspeakable } = SchemaDialect.speak(all, dialect)
    assert.deepStrictEqual(unspeakable.map(({ name }) => name), alone)
    assert.strictEqual(tools.length, all.length - alone.length)
    assert.isTrue(unspeakable.every(({ server }) => server === "hostile"))
  })

  it.each(DIALECTS)("come out of %s with properties for every object and items for every array (R10)", (dialect) => {
    const { tools } = SchemaDialect.speak([...SchemaTools.real, ...SchemaTools.bad], dialect)
    const bare = tools.flatMap(({ description, inputSchema }) =>
      objectPlaces(inputSchema)
        .filter(({ schema }) =>
          (has(schema, "object") && !isObject(schema["properties"])) ||
          (has(schema, "array") && schema["items"] === undefined && schema["prefixItems"] === undefined)
        )
        .map(({ path }) => `${description}: ${path}`)
    )
    assert.deepStrictEqual(bare, [])
  })

  it("keep for Anthropic every choice that is not at the root, byte for byte (R9)", () => {
    const properties = {
      either: { anyOf: [{ type: "string", minLength: 1 }, { oneOf: [{ type: "integer" }, { type: "null" }] }] },
      both: { allOf: [{ type: "object", properties: { a: { not: { const: "x" } } } }, { required: ["a"] }] }
    }
    for (const choice of [{ anyOf: [{ required: ["either"] }, { required: ["both"] }] }, { oneOf: [{}] }, {}]) {
      const tool = SchemaTools.make("t", { type: "object", properties, ...choice })
      const { inputSchema } = spoken(tool, "anthropic")
      assert.strictEqual(JSON.stringify(inputSchema["properties"]), JSON.stringify(properties))
      assert.notInclude(Object.keys(inputSchema), Object.keys(choice)[0])
    }
  })

  it("come out for Gemini with what Gemini knows: no $ref, one type each, nullable for null (R11)", () => {
    const { tools } = SchemaDialect.speak([...SchemaTools.real, ...SchemaTools.bad], "gemini")
    const types = tools.flatMap(({ inputSchema }) => objectPlaces(inputSchema).map(({ schema }) => schema["type"]))
    assert.deepStrictEqual(
      new Set(types.filter((type) => type !== undefined)),
      new Set(["object", "string", "array", "integer", "number", "boolean"])
    )
    const optional = spoken(
      SchemaTools.make("t", { type: "object", properties: { a: { type: ["string", "null"] } } }),
      "gemini"
    )
    assert.deepInclude(objectPlaces(optional.inputSchema).find(({ path }) => path === "properties.a")?.schema, {
      type: "string",
      nullable: true
    })
  })

  it.each(DIALECTS)("never grow past a cap in %s, and never take long (R12)", (dialect) => {
    for (const tool of SchemaTools.bad) {
      const start = worked()
      const { tools } = SchemaDialect.speak([tool], dialect)
      assert.isBelow(worked() - start, 5000, tool.description)
      const after = JSON.stringify(tools[0]?.inputSchema ?? {}).length
      assert.isAtMost(after, 262_144, tool.description)
    }
  })

  it.each(DIALECTS)("are left as they were by %s, and said twice are the same (R103)", (dialect) => {
    const before = SchemaTools.bad.map(({ inputSchema }) => JSON.stringify(inputSchema))
    const { loose, tools: once } = SchemaDialect.speak([...SchemaTools.real, ...SchemaTools.bad], dialect)
    assert.deepStrictEqual(SchemaTools.bad.map(({ inputSchema }) => JSON.stringify(inputSchema)), before)
    const twice = new Map(SchemaDialect.speak(once, dialect).tools.map((tool) => [tool.name, tool.inputSchema]))
    const changed = once.filter(({ inputSchema, name }) =>
      !loose.has(name) && !Equal.equals(twice.get(name), inputSchema)
    )
    assert.deepStrictEqual(changed.map(({ description }) => description), [])
  })

  it.effect.each(DIALECTS)(
    "with keys no provider takes get others in %s, and the call has the keys as declared (R13)",
    (dialect) =>
      Effect.gen(function*() {
        const keys = ["a[]", "a{}", "$.x", "k".repeat(80), `${"k".repeat(79)}l`, "plain"]
        const tool = SchemaTools.make("t", {
          type: "object",
          properties: Object.fromEntries(
            keys.map((key, index) => [key, { type: "string", description: `number ${index}` }])
          ),
          required: keys
        })
        const { inputSchema, run } = spoken(tool, dialect)
        const properties = isObject(inputSchema["properties"]) ? inputSchema["properties"] : {}
        assert.strictEqual(Object.keys(properties).length, keys.length)
        assert.sameMembers([inputSchema["required"]].flat(), Object.keys(properties))
        const args = Object.fromEntries(
          Object.entries(properties).map(([alias, schema]) => [
            alias,
            isObject(schema) ? `for ${/^number \d/.exec(String(schema["description"]))?.[0]}` : ""
          ])
        )
        const sent = JSON.parse((yield* run(args)).text)
        assert.deepStrictEqual(sent, Object.fromEntries(keys.map((key, index) => [key, `for number ${index}`])))
      })
  )

  it.effect.each(DIALECTS)(
    "without parameters have a placeholder of ours in %s, which is not sent (R10)",
    (dialect) =>
      Effect.gen(function*() {
        const nothing = spoken(SchemaTools.make("t", { type: "object" }), dialect)
        assert.deepStrictEqual(Object.keys(nothing.inputSchema["properties"] ?? {}), ["_placeholder"])
        assert.strictEqual((yield* nothing.run({ _placeholder: true })).text, "{}")
        const theirs = spoken(
          SchemaTools.make("t", { type: "object", properties: { _placeholder: { type: "string" } } }),
          dialect
        )
        assert.strictEqual((yield* theirs.run({ _placeholder: "x" })).text, `{"_placeholder":"x"}`)
      })
  )
})
