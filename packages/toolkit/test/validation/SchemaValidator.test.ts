import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaValidator from "../../src/validation/SchemaValidator.ts"
import * as AnySchema from "../support/AnySchema.ts"
import * as HostileSchemas from "../support/HostileSchemas.ts"
import * as LiveMcp from "../support/LiveMcp.ts"
import * as MinimalArgs from "../support/MinimalArgs.ts"

const violations = Effect.fnUntraced(function*(schema: Schema.JsonObject, value: Schema.Json) {
  const verdict = yield* SchemaValidator.check(schema, value)
  return verdict._tag === "Checked" ? verdict.violations : assert.fail(`not checked: ${verdict.why}`)
})

const accepts = (schema: Schema.JsonObject, value: Schema.Json) =>
  Effect.map(violations(schema, value), (found) => assert.deepStrictEqual(found, []))

const refuses = (schema: Schema.JsonObject, value: Schema.Json, ...words: ReadonlyArray<string>) =>
  Effect.map(violations(schema, value), (found) => assert.deepStrictEqual(found, words))

const property = (schema: Schema.Json): Schema.JsonObject => ({ type: "object", properties: { a: schema } })
const parsed = (json: string): Schema.JsonObject => JSON.parse(json)
const doubled = (keyword: string, last: Schema.Json): Schema.JsonObject => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` }
    return [`d${at}`, at === 39 ? last : { [keyword]: [next, next] }]
  }))
})

describe("SchemaValidator", () => {
  it.effect(
    "checks against each of 565 real schemas, and accepts the least that each asks for (Decision 12)",
    () =>
      Effect.forEach([...LiveMcp.tools, ...LiveMcp.published], ({ inputSchema, name }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual([name, yield* violations(inputSchema, MinimalArgs.make(inputSchema))], [name, []])
          const least = MinimalArgs.make(inputSchema)
          const [key] = Object.keys(least)
          if (key === undefined) return
          const { [key]: _, ...rest } = least
          assert.match(String((yield* violations(inputSchema, rest))[0]), /^missing /, name)
        })),
    60_000
  )

  it.effect(
    "says of every hostile schema what is wrong or why it is not checked, and never fails",
    () =>
      Effect.forEach(
        HostileSchemas.hostile,
        ({ name, schema }) =>
          Effect.forEach([{}, { a: 1 }, { a: { a: null } }], (args) =>
            Effect.map(SchemaValidator.check(schema, args), (verdict) =>
              assert.include(["Checked", "Unchecked"], verdict._tag, name)))
      ),
    60_000
  )

  it.effect.prop(
    "refuses nothing that the reference validator accepts, whatever the schema",
    { choices: AnySchema.Choices, sent: AnySchema.Choices },
    ({ choices, sent }) =>
      Effect.gen(function*() {
        const schema = AnySchema.root(choices)
        const value = AnySchema.args(sent)
        const options = { strict: false, logger: false, validateSchema: false, validateFormats: false } as const
        const isValid = Result.try(() => new Ajv2020({ ...options, ownProperties: true }).validate(schema, value))
        const verdict = yield* SchemaValidator.check(schema, value)
        if (Result.isFailure(isValid) || !isValid.success || verdict._tag === "Unchecked") return
        assert.deepStrictEqual(verdict.violations, [])
      }),
    { arbitrary: { runs: 80 } }
  )

  it.effect("names every path with what was expected and what was found", () =>
    refuses(
      {
        type: "object",
        properties: {
          path: { type: "string" },
          mode: { enum: ["r", "w"] },
          limit: { type: "integer", minimum: 1 },
          items: { type: "array", items: { $ref: "#/$defs/item" } }
        },
        required: ["path", "mode"],
        additionalProperties: false,
        $defs: { item: { type: "object", properties: { size: { type: "number" } }, required: ["size"] } }
      },
      { pth: "x", limit: 0, items: [{ size: 1 }, { size: "2" }, {}] },
      "missing path (a string), mode (one of \"r\", \"w\")",
      "in items[2]: missing size (a number)",
      "unknown pth (did you mean path?); known are path, mode, limit, items",
      "items[1].size should be a number, got \"2\"",
      "limit should be at least 1, got 0"
    ))

  it.effect("tells what the branch wants that was meant, or what the branches want", () =>
    Effect.all([
      refuses(
        property({
          anyOf: [
            { type: "object", properties: { kind: { const: "x" }, at: { type: "number" } }, required: ["kind", "at"] },
            { type: "object", properties: { kind: { const: "y" }, to: { type: "number" } }, required: ["kind", "to"] },
            { type: "null" }
          ]
        }),
        { a: { kind: "y", to: "1" } },
        "a.to should be a number, got \"1\""
      ),
      refuses(
        property({ anyOf: [{ type: "string" }, { type: "null" }] }),
        { a: 5 },
        "a should be a string or null, got 5"
      ),
      refuses(
        property({ oneOf: [{ const: "on" }, { const: "off" }] }),
        { a: "of" },
        "a should be \"on\" or \"off\", got \"of\""
      )
    ]))

  it.effect("repeats no long value, and none that may be secret", () =>
    Effect.all([
      refuses(
        property({ type: "number" }),
        { a: "x".repeat(1000) },
        "a should be a number, got a string of 1000 characters"
      ),
      refuses(
        { properties: { apiToken: { type: "number" } } },
        { apiToken: "s3cret" },
        "apiToken should be a number, got a string of 6 characters"
      )
    ]))

  it.effect("tells at most five violations and twenty allowed values", () =>
    Effect.gen(function*() {
      const values = Array.from({ length: 1000 }, (_, index) => `v${index}`)
      const schema = { additionalProperties: { enum: values } }
      const found = yield* violations(schema, Object.fromEntries(values.map((name) => [name, "x"])))
      assert.strictEqual(found.length, 6)
      assert.include(found[0], "\"v19\" and 980 more, got \"x\"")
      assert.isBelow(found.join("").length, 2000)
    }))

  it.effect("knows a draft by its $schema, and what servers mix by its shape", () =>
    Effect.gen(function*() {
      const old = "http://json-schema.org/draft-07/schema#"
      const tuple = { items: [{ type: "string" }], additionalItems: false }
      yield* refuses(property(tuple), { a: [1] }, "a[0] should be a string, got 1")
      yield* refuses(property(tuple), { a: ["x", 2] }, "a should have at most 1 items, got an array of 2 items")
      yield* refuses(property({ prefixItems: [{ type: "string" }] }), { a: [1] }, "a[0] should be a string, got 1")
      yield* accepts({ $schema: old, ...property({ prefixItems: [{ type: "string" }] }) }, { a: [1] })
      yield* accepts({ $schema: old, ...property({ $ref: "#/$defs/t", maxLength: 1 }), $defs: { t: {} } }, { a: "xyz" })
      yield* refuses(
        { ...property({ $ref: "#/$defs/t", maxLength: 1 }), $defs: { t: {} } },
        { a: "xyz" },
        "a should have at most 1 characters, got \"xyz\""
      )
      yield* refuses(property({ minimum: 1, exclusiveMinimum: true }), { a: 1 }, "a should be more than 1, got 1")
      yield* refuses({ dependencies: { a: ["b"] } }, { a: 1 }, "missing b (needed with a)")
      yield* accepts(property({ type: "string", nullable: true }), { a: null })
    }))

  it.effect("follows references by pointer, anchor and $id, and fetches none", () =>
    Effect.gen(function*() {
      const wrong = "a should be a string, got 1"
      yield* refuses({ ...property({ $ref: "#/$defs/x%7E1y" }), $defs: { "x/y": { type: "string" } } }, { a: 1 }, wrong)
      yield* refuses({ ...property({ $ref: "#t" }), $defs: { t: { $anchor: "t", type: "string" } } }, { a: 1 }, wrong)
      yield* refuses(
        { ...property({ $ref: "t.json" }), $defs: { t: { $id: "t.json", type: "string" } } },
        { a: 1 },
        wrong
      )
      yield* refuses({ properties: { b: { anyOf: [{ type: "string" }] }, a: { $ref: "#/properties/b/anyOf/0" } } }, {
        a: 1
      }, wrong)
      yield* accepts(property({ $ref: "https://example.com/schema.json" }), { a: 1 })
      yield* accepts(property({ not: { $ref: "#/nowhere" } }), { a: 1 })
      yield* accepts(property({ oneOf: [{ $ref: "other.json" }, { $ref: "https://example.com/x" }] }), { a: 1 })
    }))

  it.effect("takes parameters of any name for parameters", () =>
    Effect.gen(function*() {
      const names = ["type", "items", "$ref", "__proto__", "constructor", "toString", "$id", "required", "properties"]
      for (const name of names) {
        const schema = parsed(
          `{"type":"object","properties":{"${name}":{"type":"string"}},"required":["${name}"],"additionalProperties":false}`
        )
        yield* refuses(schema, {}, `missing ${name} (a string)`)
        yield* accepts(schema, parsed(`{"${name}":"x"}`))
        yield* refuses(schema, parsed(`{"${name}":1}`), `${name} should be a string, got 1`)
      }
    }))

  it.effect("says what is expected where branches differ in the format alone", () =>
    refuses(
      property({ type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] }),
      { a: {} },
      "a should be a string, got an object"
    ))

  it.effect("demands nothing that the server fills in itself", () =>
    Effect.gen(function*() {
      const schema = {
        type: "object",
        properties: { url: { type: "string" }, lang: { type: "string", default: "en" } },
        required: ["url", "lang"]
      }
      yield* accepts(schema, { url: "x" })
      yield* refuses(schema, {}, "missing url (a string)")
      yield* accepts({ type: "object", not: schema }, { url: "x" })
    }))

  it.effect("lets no pattern refuse what it may match by mistake", () =>
    Effect.gen(function*() {
      yield* accepts({ patternProperties: { "^\\w+$": { type: "number" } } }, { é: "text" })
      yield* accepts({ patternProperties: { "^\\w+$": true }, additionalProperties: false }, { é: 1 })
      yield* accepts(property({ not: { pattern: "^\\w$" } }), { a: "é" })
      yield* accepts(property({ pattern: "^\\w+\\s\\w+$" }), { a: "Über\u00a0uns" })
      yield* refuses(
        { patternProperties: { "^x-": { type: "number" } }, additionalProperties: false },
        { "x-a": "1" },
        "x-a should be a number, got \"1\""
      )
    }))

  it.effect("refuses no key beside properties that cannot be read, and every key beside none", () =>
    Effect.gen(function*() {
      for (const unreadable of [null, ["a"], "a", 5]) {
        yield* accepts({ properties: unreadable, additionalProperties: false }, { a: 1 })
        yield* accepts({ patternProperties: unreadable, additionalProperties: false }, { a: 1 })
      }
      for (const none of [{}, { properties: {} }, { properties: [] }, { patternProperties: [] }]) {
        yield* refuses({ ...none, additionalProperties: false }, { a: 1 }, "unknown a; no key is known")
      }
    }))

  it.effect("takes format for a remark and leaves patterns alone that are not linear", () =>
    Effect.gen(function*() {
      yield* accepts(property({ type: "string", format: "uri" }), { a: "no uri" })
      yield* accepts(property({ oneOf: [{ format: "ipv4" }, { format: "ipv6" }] }), { a: "::1" })
      yield* accepts(property({ pattern: "(?=x)y" }), { a: "z" })
      yield* accepts({ patternProperties: { "(?!x)": { type: "string" } }, additionalProperties: false }, { z: 1 })
      const text = `${"a".repeat(60)}!`
      yield* refuses(
        property({ pattern: "^(a+)+$" }),
        { a: text },
        "a should match the pattern ^(a+)+$, got a string of 61 characters"
      )
    }))

  it.effect("ignores keywords whose value makes no sense", () =>
    accepts(
      { type: "any", required: true, properties: [], enum: {}, minimum: "1", items: 5, anyOf: {}, pattern: 5, $ref: 5 },
      { a: 1 }
    ))

  it.effect("gives up on a check that would take for ever", () =>
    Effect.gen(function*() {
      const deep = Array.from({ length: 150 }).reduce<Schema.JsonObject>((a) => ({ a }), {})
      const bombs: ReadonlyArray<readonly [Schema.JsonObject, Schema.Json]> = [
        [doubled("anyOf", { required: ["z"] }), {}],
        [doubled("allOf", { type: "object" }), {}],
        [{ allOf: [{ properties: { a: { $ref: "#" } } }, { properties: { a: { $ref: "#" } } }] }, deep],
        [{ $ref: "#" }, {}],
        [property({ items: { enum: Array.from({ length: 9000 }, (_, at) => at) } }), {
          a: Array.from({ length: 100_000 }, () => -1)
        }]
      ]
      for (const [schema, value] of bombs) {
        const verdict = yield* SchemaValidator.check(schema, value)
        assert.deepStrictEqual(verdict, { _tag: "Unchecked", why: "checking it would take too long" })
      }
    }), 30_000)

  it.effect("does not compile what is too large", () =>
    Effect.gen(function*() {
      const many = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: "string" }]))
      const verdict = yield* SchemaValidator.check({ properties: many }, {})
      assert.deepStrictEqual(verdict, { _tag: "Unchecked", why: "it is too large" })
    }))

  it.effect("finds equal items among very many, whatever the order of their keys", () =>
    Effect.gen(function*() {
      const schema = property({ uniqueItems: true })
      yield* accepts(schema, { a: Array.from({ length: 20_000 }, (_, at) => ({ at })) })
      yield* refuses(
        schema,
        { a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] },
        "a should have no item twice, got an array of 2 items"
      )
      yield* accepts(schema, { a: [{ x: 1 }, [["x", 1]], "1", 1] })
    }))

  it("checks at once against a schema that it checked against before, so that calls are not torn apart", async () => {
    const schema = property({ type: "string" })
    await Effect.runPromise(SchemaValidator.check(schema, { a: "x" }))
    assert.deepStrictEqual(Effect.runSync(SchemaValidator.check(schema, { a: "x" })), {
      _tag: "Checked",
      violations: []
    })
  })
})
