import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ElicitationForm } from "../../src/index.ts"

const schema = (properties: Schema.JsonObject, required: ReadonlyArray<string> = []): Schema.JsonObject => ({
  type: "object",
  properties,
  required
})

const fieldsOf = (properties: Schema.JsonObject, required?: ReadonlyArray<string>) =>
  Result.getOrThrow(ElicitationForm.fields(schema(properties, required)))

const field = (property: Schema.JsonObject, isRequired = false) => {
  const [found] = fieldsOf({ it: property }, isRequired ? ["it"] : [])
  return found ?? assert.fail("there is no field")
}

/** What is wrong with a value; null where nothing is. */
const problem = (property: Schema.JsonObject, value: Schema.Json, isRequired = false): string | null =>
  Result.match(ElicitationForm.validate(schema({ it: property }, isRequired ? ["it"] : []), { it: value }), {
    onFailure: ([first]) => first?.message ?? "",
    onSuccess: () => null
  })

const COLOURS = { type: "string", oneOf: [{ const: "#f00", title: "Red" }, { const: "#0f0", title: "Green" }] }

describe("ElicitationForm.fields", () => {
  it("gives every kind of field that the protocol has, in the order of the schema", () => {
    const made = fieldsOf({
      z: { type: "string", title: "Name", description: "Yours", minLength: 1, maxLength: 9, format: "email" },
      y: { type: "number", minimum: 0, maximum: 1, default: 0.5 },
      x: { type: "integer", default: 0.5 },
      w: { type: "boolean", default: false },
      v: { type: "string", enum: ["a", "b"], default: "b" },
      u: { type: "string", enum: ["a", "b"], enumNames: ["Ay"], default: "c" },
      t: COLOURS,
      s: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a"] }, default: ["a"] },
      r: { type: "array", items: { anyOf: [{ const: "a", title: "Ay" }] } }
    }, ["z"])
    assert.deepStrictEqual(made.map((one) => [one.name, one.type, one.default, one.isRequired]), [
      ["z", "text", null, true],
      ["y", "number", 0.5, false],
      ["x", "integer", null, false],
      ["w", "boolean", false, false],
      ["v", "choice", "b", false],
      ["u", "choice", null, false],
      ["t", "choice", null, false],
      ["s", "choices", ["a"], false],
      ["r", "choices", null, false]
    ])
    assert.deepInclude(made[0], { title: "Name", description: "Yours", min: 1, max: 9, format: "email" })
    assert.deepInclude(made[1], { title: "y", description: null, min: 0, max: 1, format: null })
    assert.deepStrictEqual(made[5]?.options, [{ value: "a", title: "Ay" }, { value: "b", title: "b" }])
    assert.deepStrictEqual(made[6]?.options[0], { value: "#f00", title: "Red" })
    assert.deepStrictEqual(made[8]?.options, [{ value: "a", title: "Ay" }])
  })

  it("takes a field that may also be null for one that may be left out, as some SDKs write it", () => {
    const made = fieldsOf({
      a: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], title: "A", default: null },
      b: { type: ["string", "null"], maxLength: 3 },
      c: { anyOf: [{ type: "null" }, { type: "string", enum: ["x"] }], default: "x" }
    })
    assert.deepStrictEqual(made.map(({ max, min, title, type }) => [title, type, min, max]), [
      ["A", "integer", 1, null],
      ["b", "text", null, 3],
      ["c", "choice", null, null]
    ])
    assert.deepStrictEqual(made.map((one) => one.default), [null, null, "x"])
  })

  it("refuses what is no flat form, and says which field", () => {
    const wrong: ReadonlyArray<Schema.Json> = [
      { type: "object", properties: {} },
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "object" } },
      { type: ["string", "number"] },
      { enum: [1, 2] },
      { type: "string", enum: [1, 2] },
      { type: "string", enum: Array.from({ length: 1001 }, (_, at) => `v${at}`) },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "null" }] },
      {},
      null,
      7
    ]
    for (const property of wrong) {
      const refused = ElicitationForm.fields(schema({ "odd\u202E": property }))
      assert.deepStrictEqual(refused, Result.fail("its field odd is no text, number, boolean or choice"))
    }
    assert.isTrue(Result.isFailure(ElicitationForm.fields({ type: "string" })))
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`f${at}`, { type: "string" }]))
    assert.isTrue(Result.isFailure(ElicitationForm.fields(schema(many))))
  })

  it("shows words without what hides, and cuts them", () => {
    const { description, title } = field({ type: "string", title: "a\u202Eb\u0007", description: "x".repeat(5000) })
    assert.strictEqual(title, "ab")
    assert.strictEqual(description?.length, 2001)
  })
})

describe("ElicitationForm.validate", () => {
  it("fills in every default, and keeps what was answered", () => {
    const form = schema({
      text: { type: "string", default: "t" },
      number: { type: "number", default: 0 },
      flag: { type: "boolean", default: false },
      choice: { type: "string", enum: ["a", "b"], default: "a" },
      choices: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: [] },
      none: { type: "string" }
    })
    const defaults = { text: "t", number: 0, flag: false, choice: "a", choices: [] }
    assert.deepStrictEqual(ElicitationForm.validate(form, {}), Result.succeed(defaults))
    const given = { text: "", number: 1, flag: true, choice: "b", choices: ["b"], none: "" }
    assert.deepStrictEqual(ElicitationForm.validate(form, given), Result.succeed(given))
    assert.deepStrictEqual(ElicitationForm.validate(form, { choice: "", none: null }), Result.succeed(defaults))
  })

  it("names every field that does not fit, and every one that is none", () => {
    const form = schema({ a: { type: "string" }, b: { type: "integer", minimum: 2 } }, ["a"])
    assert.deepStrictEqual(
      ElicitationForm.validate(form, { b: 1, c: 1 }),
      Result.fail([
        { field: "c", message: "there is no such field" },
        { field: "a", message: "is required" },
        { field: "b", message: "must be 2 or more" }
      ])
    )
  })

  it("keeps a field that is named as a prototype is", () => {
    const form = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))(
      `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}`
    )
    const content = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))(
      `{"__proto__":"a","constructor":"b"}`
    )
    const kept = Result.getOrThrow(ElicitationForm.validate(form, content))
    assert.strictEqual(JSON.stringify(kept), `{"__proto__":"a","constructor":"b"}`)
    assert.deepStrictEqual(ElicitationForm.validate(form, {}), Result.succeed({}))
  })

  it("knows the formats, and no day that is none", () => {
    const fits = {
      email: ["a@b", "ada.l@example.com"],
      uri: ["https://example.com/x?y", "mailto:a@b.c"],
      date: ["2026-02-28", "2024-02-29"],
      "date-time": ["2026-03-31T12:00:00Z", "2026-03-31T12:00:00.5+02:00"]
    }
    const not = {
      email: ["a", "a b@c", "@"],
      uri: ["example.com", "x"],
      date: ["2026-02-30", "2026-2-1", "today", "2026-13-01"],
      "date-time": ["2026-03-31", "2026-03-31T25:00:00Z", "2026-03-31T12:00:00", "2026-02-30T12:00:00Z"]
    }
    for (const [format, values] of Object.entries(fits)) {
      for (const value of values) assert.isNull(problem({ type: "string", format }, value), value)
    }
    for (const [format, values] of Object.entries(not)) {
      for (const value of values) assert.isString(problem({ type: "string", format }, value), value)
    }
    assert.isNull(problem({ type: "string", format: "hostname" }, "anything"))
  })

  it("holds texts, numbers and choices to their limits", () => {
    const tags = { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b", "c"] } }
    assert.strictEqual(problem({ type: "string", maxLength: 2 }, "😀😀"), null)
    assert.strictEqual(problem({ type: "string", maxLength: 2 }, "abc"), "takes 2 characters or fewer")
    assert.strictEqual(problem({ type: "string", minLength: 2 }, "a"), "needs 2 characters or more")
    assert.strictEqual(problem({ type: "number", maximum: 1 }, 2), "must be 1 or less")
    assert.strictEqual(problem({ type: "integer" }, 1.5), "must be a whole number")
    assert.strictEqual(problem({ type: "number" }, "1"), "must be a number")
    assert.strictEqual(problem({ type: "boolean" }, "yes"), "must be yes or no")
    assert.strictEqual(problem(COLOURS, "Red"), "must be one of #f00, #0f0")
    assert.strictEqual(problem(tags, ["a", "a"]), "has one of them twice")
    assert.strictEqual(problem(tags, ["a", "b", "c"]), "takes 2 choices or fewer")
    assert.strictEqual(problem(tags, []), "needs 1 choices or more")
    assert.strictEqual(problem(tags, "a"), "must be some of a, b, c")
  })
})

const Property = Arbitrary.schema(Schema.Literals([
  JSON.stringify({ type: "string" }),
  JSON.stringify({ type: "string", minLength: 2, maxLength: 3, default: "ab" }),
  JSON.stringify({ type: "string", format: "date" }),
  JSON.stringify({ type: "integer", minimum: 0, default: 3 }),
  JSON.stringify({ type: "number", default: "no" }),
  JSON.stringify({ type: "boolean" }),
  JSON.stringify({ ...COLOURS, default: "#0f0" }),
  JSON.stringify({ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 })
]))
const Value = Arbitrary.schema(
  Schema.Literals([
    `"a"`,
    `"ab"`,
    `""`,
    "null",
    "3",
    "-1",
    "1.5",
    "true",
    `["a"]`,
    `["a","b"]`,
    `"#f00"`,
    `"2026-01-01"`,
    "{}"
  ])
)
const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))

describe("ElicitationForm, whatever is asked and answered", () => {
  it.prop("an answer that fits fits again, whole, and one that does not has a problem of a field", [
    Arbitrary.array(Property, { maxLength: 4 }),
    Arbitrary.array(Value, { maxLength: 5 })
  ], ([properties, values]) => {
    const form = schema(parse(`{${properties.map((one, at) => `"f${at}":${one}`).join()}}`), ["f0", "f2"])
    const content = parse(`{${values.map((one, at) => `"f${at}":${one}`).join()}}`)
    const first = ElicitationForm.validate(form, content)
    if (Result.isFailure(first)) return assert.isAbove(first.failure.length, 0)
    assert.deepStrictEqual(ElicitationForm.validate(form, first.success), first)
    for (const field of Result.getOrThrow(ElicitationForm.fields(form))) {
      assert.isTrue(Object.hasOwn(first.success, field.name) || (!field.isRequired && field.default === null))
    }
  })
})

describe("ElicitationForm.read", () => {
  it("reads what is typed, by value, title or number", () => {
    const cases: ReadonlyArray<readonly [Schema.JsonObject, string, Schema.Json]> = [
      [{ type: "string" }, " Ada ", "Ada"],
      [{ type: "integer" }, "12", 12],
      [{ type: "number" }, "-1.5e2", -150],
      [{ type: "boolean" }, "Y", true],
      [{ type: "boolean" }, "no", false],
      [COLOURS, "#0f0", "#0f0"],
      [COLOURS, "green", "#0f0"],
      [COLOURS, "2", "#0f0"],
      [{ type: "array", items: { enum: ["a", "b"] } }, "b, 1", ["b", "a"]],
      [{ type: "string", default: "d" }, "", null]
    ]
    for (const [property, line, value] of cases) {
      assert.deepStrictEqual(ElicitationForm.read(field(property), line), Result.succeed(value), line)
    }
    // A value goes before a place in the list.
    const numbers = { type: "string", enum: ["2", "1"] }
    assert.deepStrictEqual(ElicitationForm.read(field(numbers), "1"), Result.succeed("1"))
  })

  it("says what does not fit, and that something is wanted", () => {
    assert.deepStrictEqual(ElicitationForm.read(field({ type: "integer" }), "many"), Result.fail("must be a number"))
    assert.deepStrictEqual(ElicitationForm.read(field(COLOURS), "3"), Result.fail("must be one of #f00, #0f0"))
    assert.deepStrictEqual(ElicitationForm.read(field({ type: "boolean" }), "?"), Result.fail("must be yes or no"))
    assert.deepStrictEqual(ElicitationForm.read(field({ type: "string" }, true), " "), Result.fail("is required"))
  })
})
