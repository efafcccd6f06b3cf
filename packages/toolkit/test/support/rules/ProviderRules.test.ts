import { assert, describe, it } from "@effect/vitest"
import process from "node:process"
import { hostile } from "../HostileSchemas.ts"
import * as ProviderRules from "./ProviderRules.ts"

/** Processor time so far in milliseconds, to which other programs of the machine do not add. */
const worked = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

const { check, ruleSets } = ProviderRules
const providers = ruleSets.filter((rules) => rules !== "raw")
const text = { type: "string" }

/** Within the strictest rules of all. */
const plain = {
  type: "object",
  description: "Finds files",
  properties: {
    path: { type: "string", description: "A folder" },
    kind: { type: "string", enum: ["file", "folder"] },
    depth: { type: "integer", minimum: 0, maximum: 9 },
    tags: { type: "array", items: text, minItems: 1 },
    where: {
      type: "object",
      properties: { name: text, size: { anyOf: [{ type: "integer" }, { type: "number" }] } },
      required: ["name", "size"],
      additionalProperties: false
    }
  },
  required: ["path", "kind", "depth", "tags", "where"],
  additionalProperties: false
}

/** Gemini knows no `additionalProperties`. */
const { additionalProperties: _, ...open } = plain
const forGemini = {
  ...open,
  properties: {
    ...plain.properties,
    where: { type: "object", properties: plain.properties.where.properties, required: ["name"] },
    note: { type: "string", nullable: true, format: "date-time" }
  }
}

/** The least of three. */
const millis = (run: () => void): number =>
  Math.min(...[1, 2, 3].map(() => {
    const start = worked()
    run()
    return worked() - start
  }))

describe("ProviderRules", () => {
  it("has nothing to say of a plain schema, for any provider", () => {
    for (const rules of ["openai", "openai-strict", "anthropic", "gemini-json"] as const) {
      assert.deepStrictEqual(check(rules, plain), [], rules)
    }
    assert.deepStrictEqual(check("gemini", forGemini), [])
    assert.deepStrictEqual(check("gemini-json", forGemini), [])
  })

  it("lets properties be called as they like, keywords included (R103)", () => {
    const names = ["type", "properties", "required", "items", "enum", "anyOf", "not", "nullable", "contentEncoding"]
    const properties = Object.fromEntries(names.map((name) => [name, text]))
    const schema = { type: "object", properties, required: names, additionalProperties: false }
    for (const rules of ["openai", "openai-strict", "anthropic", "gemini-json"] as const) {
      assert.deepStrictEqual(check(rules, schema), [], rules)
    }
    assert.deepStrictEqual(check("gemini", { type: "object", properties, required: names }), [])
  })

  it("takes what a value holds for no schema", () => {
    const schema = {
      type: "object",
      properties: {
        a: {
          type: "object",
          properties: {},
          default: { type: "array" },
          examples: [{ $ref: "#/no" }],
          const: { type: 7 }
        }
      }
    }
    assert.deepStrictEqual(check("openai", schema), [])
    assert.deepStrictEqual(check("anthropic", schema), [])
  })

  it("refuses nothing for raw", () => {
    assert.deepStrictEqual(hostile.flatMap(({ schema }) => check("raw", schema)), [])
  })

  it("says in words what is wrong, and where", () => {
    assert.deepStrictEqual(check("openai", { type: "object", properties: { tags: { type: "array" } } }), [
      { path: "properties.tags", rule: "items", detail: `an array must say what it holds, by "items"` }
    ])
  })

  it.each(providers)(
    "finds fault with the share of hostile schemas that %s refuses, and answers for all in good time (R11, R12)",
    (rules) => {
      const refused = hostile.filter(({ name, schema }) => {
        let found: ReadonlyArray<ProviderRules.Violation> = []
        assert.isBelow(millis(() => found = check(rules, schema)), 5000, name)
        assert.isAtMost(found.length, 100, name)
        assert.isBelow(JSON.stringify(found).length, 100_000, name)
        return found.length > 0
      })
      const least = { openai: 0.4, "openai-strict": 0.95, anthropic: 0.4, gemini: 0.85, "gemini-json": 0.35 }[rules]
      assert.isAtLeast(refused.length / hostile.length, least)
    }
  )

  it("holds at least 60 hostile schemas, each refused by somebody and no two alike", () => {
    const harmless = hostile.filter(({ schema }) => providers.every((rules) => check(rules, schema).length === 0))
    assert.deepStrictEqual(harmless.map(({ name }) => name), [])
    assert.isAtLeast(new Set(hostile.map(({ schema }) => JSON.stringify(schema))).size, 100)
  })

  it("leaves what it looks at as it was (R103)", () => {
    const before = hostile.map(({ schema }) => JSON.stringify(schema))
    hostile.forEach(({ schema }) => providers.forEach((rules) => check(rules, schema)))
    assert.deepStrictEqual(hostile.map(({ schema }) => JSON.stringify(schema)), before)
  })

  it("ends at an object that holds itself, and at one that is shared a million times over (R12)", () => {
    const cycle: Record<string, unknown> = { type: "object" }
    cycle["properties"] = { a: cycle, b: cycle }
    let shared: Record<string, unknown> = { type: "string" }
    for (let index = 0; index < 24; index++) shared = { type: "object", properties: { a: shared, b: shared } }
    for (const rules of providers) {
      for (const schema of [cycle, shared]) {
        assert.isBelow(
          // @ts-expect-error -- no JSON, but a mistake of ours could make one
          millis(() => assert.include(["depth", "size"], check(rules, schema)[0]?.rule)),
          1000
        )
      }
    }
  })

  it("refuses for every provider what holds too much, be each part small", () => {
    const many = { type: "object", properties: { a: { enum: Array.from({ length: 220_000 }, () => null) } } }
    const long = { type: "object", properties: { a: { type: "string", description: "x".repeat(1_000_001) } } }
    for (const rules of providers) {
      assert.deepStrictEqual([many, long].map((schema) => check(rules, schema).map(({ rule }) => rule)), [["size"], [
        "size"
      ]])
    }
  })

  it("costs as much more as a schema is larger", () => {
    const wide = (count: number) => ({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: "#/$defs/A" }])),
      $defs: { A: { type: "array", items: { $ref: "#/$defs/A" } } }
    })
    const [small, large] = [wide(1000), wide(8000)]
    for (const rules of providers) {
      millis(() => check(rules, small))
      // Eight times as large; were the cost its square, it would be 64 times as much.
      assert.isBelow(millis(() => check(rules, large)), Math.max(5, millis(() => check(rules, small))) * 40, rules)
    }
  })

  it("knows the limits of strict OpenAI", () => {
    const strict = (properties: Record<string, unknown>) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false
    })
    const wide = (count: number) =>
      strict(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, text])))
    const deep = (levels: number) => {
      let schema = strict({})
      for (let level = 1; level < levels; level++) schema = strict({ a: schema })
      return schema
    }
    const values = (count: number, size: number) =>
      strict({ a: { type: "string", enum: Array.from({ length: count }, (_, index) => `${index}`.padEnd(size, "x")) } })
    const found = (schema: object) => check("openai-strict", JSON.parse(JSON.stringify(schema))).map(({ rule }) => rule)
    for (const good of [wide(5000), deep(10), values(1000, 15), values(250, 400)]) {
      assert.deepStrictEqual(found(good), [])
    }
    for (const bad of [wide(5001), deep(11), values(1001, 9), values(251, 60), values(250, 500)]) {
      assert.deepStrictEqual(found(bad), ["limit"])
    }
  })
})
