import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ToolArguments } from "../../src/index.ts"
import * as JsonSchema from "../../src/schema/JsonSchema.ts"
import * as SchemaValidator from "../../src/validation/SchemaValidator.ts"
import * as AnySchema from "../support/AnySchema.ts"

const failure = (args: unknown): string => {
  const result = ToolArguments.parse("files_read", args)
  return Result.isFailure(result) ? result.failure.message : assert.fail("expected a failure")
}

describe("ToolArguments", () => {
  it("makes {} of missing, null and empty arguments (Decision 9, R57)", () => {
    for (const empty of [undefined, null, "", "  \n", {}, "{}", "null"]) {
      assert.deepStrictEqual(ToolArguments.parse("t", empty), Result.succeed({}))
    }
  })

  it.prop("reads the text of an object as that object (R58)", { args: Schema.JsonObject }, ({ args }) => {
    assert.deepStrictEqual(
      ToolArguments.parse("t", JSON.stringify(args)),
      Result.succeed(JSON.parse(JSON.stringify(args)))
    )
    return true
  })

  it("keeps an object as it is, its strings too (R58)", () => {
    const args = { path: "a", text: "{\"b\":1}", list: [null, 1] }
    assert.deepStrictEqual(ToolArguments.parse("t", args), Result.succeed(args))
  })

  describe("repair", () => {
    it.effect("keeps a null that the branch which is meant accepts, where only a text was wrong (R59)", () =>
      Effect.gen(function*() {
        const schema = {
          anyOf: [
            { type: "object", properties: { kind: { const: "a" }, parent: { type: "string" } }, required: ["kind"] },
            {
              type: "object",
              properties: { kind: { const: "b" }, parent: { type: ["string", "null"] }, tags: { type: "array" } },
              required: ["kind"]
            }
          ]
        }
        assert.deepStrictEqual(
          yield* ToolArguments.repair(schema, { kind: "b", parent: null, tags: "[1]" }),
          { kind: "b", parent: null, tags: [1] }
        )
      }))

    it.effect("leaves a text alone that is only too long or too short for the text its schema takes (R58)", () =>
      Effect.gen(function*() {
        const choice = (text: Schema.JsonObject) => ({
          properties: { a: { anyOf: [{ type: "string", ...text }, { type: "array" }] } }
        })
        const kept = { a: "[1,2,3]" }
        assert.deepStrictEqual(yield* ToolArguments.repair(choice({ maxLength: 5 }), kept), kept)
        assert.deepStrictEqual(yield* ToolArguments.repair(choice({ minLength: 9 }), kept), kept)
        const read = { a: [1, 2, 3] }
        assert.deepStrictEqual(yield* ToolArguments.repair(choice({ pattern: "^[a-z]+$" }), kept), read)
        assert.deepStrictEqual(yield* ToolArguments.repair(choice({ enum: ["all"] }), kept), read)
        const branches = {
          anyOf: [
            { type: "object", properties: { kind: { const: "x" }, a: { type: "string", maxLength: 5 } } },
            { type: "object", properties: { kind: { const: "y" }, a: { type: "array" } } }
          ]
        }
        assert.deepStrictEqual(yield* ToolArguments.repair(branches, { kind: "y", ...kept }), { kind: "y", ...read })
        assert.deepStrictEqual(yield* ToolArguments.repair(branches, { kind: "x", ...kept }), { kind: "x", ...kept })
      }))

    it.effect("keeps a null without which its object breaks another rule, and the error names the null (R59)", () =>
      Effect.gen(function*() {
        const properties = { a: { type: "integer" }, b: { type: "integer" } }
        const needed: ReadonlyArray<Schema.JsonObject> = [
          { properties, required: ["a"] },
          { properties, minProperties: 1 },
          { properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
          { properties, oneOf: [{ required: ["a"] }, { required: ["b"] }] }
        ]
        for (const inputSchema of needed) {
          const { detail } = yield* Effect.flip(ToolArguments.usable({ name: "t", inputSchema }, { a: null }))
          assert.strictEqual(detail, "a should be an integer, got null", JSON.stringify(inputSchema))
        }
        const either = { properties, oneOf: [{ required: ["a"] }, { required: ["b"] }] }
        assert.deepStrictEqual(yield* ToolArguments.repair(either, { a: null, b: 1 }), { b: 1 })
      }))

    it.effect("repairs up to a thousand places (R58, R59)", () =>
      Effect.gen(function*() {
        const schema = {
          properties: { rows: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } } }
        }
        const args = { rows: Array.from({ length: 1000 }, (_, at) => at % 2 === 0 ? "{}" : { n: null }) }
        assert.deepStrictEqual(yield* ToolArguments.repair(schema, args), { rows: args.rows.map(() => ({})) })
        const beyond = { rows: [...args.rows, "{}"] }
        assert.deepStrictEqual(yield* ToolArguments.repair(schema, beyond), beyond)
      }))

    it.effect("leaves arguments alone whose schema cannot be checked", () =>
      Effect.gen(function*() {
        const large = {
          properties: Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`p${at}`, { type: "array" }]))
        }
        const args = { p0: "[]", p1: null }
        assert.deepStrictEqual(yield* ToolArguments.usable({ name: "t", inputSchema: large }, args), args)
      }))

    it.effect("leaves arguments alone that are wrong in more than a thousand places", () =>
      Effect.gen(function*() {
        const item = { anyOf: [{ type: "object" }, { type: "number" }] }
        const schema = { type: "object", properties: { rows: { type: "array", items: item } } }
        const args = { rows: Array.from({ length: 5000 }, () => "{\"a\":1}") }
        assert.deepStrictEqual(yield* ToolArguments.repair(schema, args), args)
      }))

    const schema = {
      type: "object",
      properties: {
        list: { type: "array", items: { $ref: "#/$defs/point" } },
        point: { $ref: "#/$defs/point" },
        either: { anyOf: [{ type: "string" }, { type: "object" }] },
        optional: { anyOf: [{ type: "array" }, { type: "null" }] },
        text: { type: "string" },
        limit: { type: "integer" },
        needed: { type: "integer" },
        choice: { enum: ["a", null] },
        any: {}
      },
      required: ["needed"],
      $defs: { point: { type: ["object"], properties: { x: { type: "number" }, tags: { type: "array" } } } }
    }

    it.effect("reads text as an object or array where the schema wants one and no text (Decision 9, R58)", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(
          yield* ToolArguments.repair(schema, {
            list: "[{\"x\":1},\"{\\\"x\\\":2}\"]",
            point: " {\"x\":1,\"tags\":\"[1]\"}",
            optional: "[]"
          }),
          { list: [{ x: 1 }, { x: 2 }], point: { x: 1, tags: [1] }, optional: [] }
        )
      }))

    it.effect("drops null for an optional property that does not accept it (Decision 9, R59)", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(
          yield* ToolArguments.repair(schema, {
            limit: null,
            text: null,
            needed: null,
            choice: null,
            any: null,
            optional: null,
            unknown: null,
            point: { x: null }
          }),
          { needed: null, choice: null, any: null, optional: null, unknown: null, point: {} }
        )
      }))

    it.effect("guesses nothing else", () =>
      Effect.gen(function*() {
        const args = {
          list: "{}",
          point: "[1",
          either: "{\"a\":1}",
          optional: "none",
          text: "[1]",
          limit: "5",
          any: "{}",
          unknown: "[]",
          constructor: "{}"
        }
        assert.deepStrictEqual(yield* ToolArguments.repair(schema, args), args)
        assert.deepStrictEqual(yield* ToolArguments.repair({}, args), args)
        const endless = { properties: { a: { $ref: "#/properties/a" }, b: { $ref: "#" } } }
        assert.deepStrictEqual(yield* ToolArguments.repair(endless, { a: "{}", b: { b: {} } }), {
          a: "{}",
          b: { b: {} }
        })
      }))

    it.effect("sees through references, allOf, tuples, maps, and branches that agree (Decision 9, R58, R59)", () =>
      Effect.gen(function*() {
        const list = { type: "array", items: { type: "integer" } }
        const declared = {
          $defs: { list, base: { type: "object", properties: { paths: { $ref: "#/$defs/list" } } } },
          allOf: [{ $ref: "#/$defs/base" }],
          properties: {
            pair: { type: "array", prefixItems: [list, { type: "string" }], items: { type: "object" } },
            old: { type: "array", items: [list], additionalItems: { type: "object" } },
            map: { type: "object", additionalProperties: list },
            agree: {
              anyOf: [{ type: "object", properties: { x: list } }, { type: "object", properties: { x: list } }]
            },
            disagree: { anyOf: [{ type: "object", properties: { x: list } }, { type: "object" }] },
            elsewhere: { anyOf: [{ type: "object", properties: { x: list } }, { type: "integer" }] },
            soft: { type: "integer", nullable: true }
          }
        }
        assert.deepStrictEqual(
          yield* ToolArguments.repair(declared, {
            paths: "[1]",
            pair: ["[1]", "[1]", "{}"],
            old: ["[1]", "{}"],
            map: { a: "[1]", b: null },
            agree: { x: "[1]" },
            disagree: { x: "[1]" },
            elsewhere: { x: "[1]" },
            soft: null
          }),
          {
            paths: [1],
            pair: [[1], "[1]", {}],
            old: [[1], {}],
            map: { a: [1] },
            agree: { x: [1] },
            disagree: { x: "[1]" },
            elsewhere: { x: [1] },
            soft: null
          }
        )
      }))

    it.effect("takes parameters of any name for parameters (R58, R59)", () =>
      Effect.gen(function*() {
        const list: Schema.JsonObject = JSON.parse(
          `{"properties":{"type":{"type":"array"},"items":{"type":"array"},"$ref":{"type":"array"},"__proto__":{"type":"array"}}}`
        )
        const args: Schema.JsonObject = JSON.parse(`{"type":"[]","items":"[]","$ref":"[]","__proto__":"[1]"}`)
        assert.strictEqual(
          JSON.stringify(yield* ToolArguments.repair(list, args)),
          `{"type":[],"items":[],"$ref":[],"__proto__":[1]}`
        )
        assert.deepStrictEqual(
          yield* ToolArguments.repair({ properties: { constructor: { type: "integer" } } }, { toString: null }),
          { toString: null }
        )
      }))

    it.effect("comes to an end for any size and depth", () =>
      Effect.gen(function*() {
        const wide = Array.from({ length: 400 }, (_, at) => ({ $ref: `#/$defs/v${at % 20}` }))
        const inner = { properties: { a: { $ref: "#/$defs/w" } } }
        const bomb = {
          $ref: "#/$defs/w",
          $defs: { w: { anyOf: wide }, ...Object.fromEntries(wide.map((_, at) => [`v${at}`, inner])) }
        }
        const deep = Array.from({ length: 150 }).reduce<Schema.JsonObject>((a) => ({ a }), { a: null })
        assert.deepStrictEqual(yield* ToolArguments.repair(bomb, deep), deep)
        const items = { properties: { a: { items: { enum: Array.from({ length: 9000 }, (_, at) => at) } } } }
        const long = { a: Array.from({ length: 100_000 }, () => "x") }
        assert.deepStrictEqual(yield* ToolArguments.repair(items, long), long)
      }))

    it.effect.prop(
      "changes nothing that is valid, is done after once, and never fails (R58, R59)",
      { choices: AnySchema.Choices, sent: AnySchema.Choices },
      ({ choices, sent }) =>
        Effect.gen(function*() {
          const declared = AnySchema.root(choices)
          const args = AnySchema.args(sent)
          if (!JsonSchema.isObject(args)) return
          const repaired = yield* ToolArguments.repair(declared, args)
          assert.deepStrictEqual(yield* ToolArguments.repair(declared, repaired), repaired)
          const verdict = yield* SchemaValidator.check(declared, args)
          if (verdict._tag === "Checked" && verdict.violations.length === 0) assert.deepStrictEqual(repaired, args)
        }),
      { arbitrary: { runs: 150 } }
    )

    it.effect.prop(
      "changes no arguments of a schema that says nothing",
      { args: Schema.JsonObject },
      ({ args }) =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* ToolArguments.repair({ type: "object", properties: {} }, args), { ...args })
        })
    )
  })

  it("refuses what is nested too deep for anyone (R58)", () => {
    assert.include(failure(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), "nested deeper than 200 levels")
  })

  it("says where the JSON goes wrong", () => {
    assert.include(failure("{\"path\": x}"), "bad arguments for files_read: not JSON at line 1, column 10")
    assert.include(failure("{\n  \"a\": 1,\n  \"b\" 2\n}"), "line 3, column 7")
    assert.include(failure("{\"a\": \"unfinished"), "line 1, column 7")
    assert.include(failure("{\"a\": 1"), "column 8: expected a closing }, found the end")
  })

  it("refuses what is JSON only to a lenient reader", () => {
    for (const text of ["{\"a\": 1,}", "{/* */\"a\": 1}", "{a: 1}", "{'a': 1}", "{\"a\": 1} x", "// only"]) {
      assert.include(failure(text), "not JSON at line 1")
    }
  })

  it("reads an object whose text was written as JSON once more (R58)", () => {
    const twice = JSON.stringify(JSON.stringify({ a: "1" }))
    for (const text of [twice, JSON.stringify(twice)]) {
      assert.deepStrictEqual(ToolArguments.parse("tool", text), Result.succeed({ a: "1" }))
    }
    assert.deepStrictEqual(ToolArguments.parse("tool", "\"\""), Result.succeed({}))
  })

  it("says what it got in place of an object", () => {
    assert.include(failure("[1]"), "expected a JSON object, got an array")
    assert.include(failure("\"text\""), "got a string")
    assert.include(failure(7), "got a number")
    assert.include(failure(() => 1), "got a function")
    assert.include(failure({ at: 1n }), "got an object that is not JSON")
  })
})
