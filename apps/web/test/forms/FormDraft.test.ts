import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../src/api/Types.ts"
import { type Draft, prefilled, toJson, UNSET } from "../../src/forms/FormDraft.ts"
import { make, ofArguments } from "../../src/forms/FormField.ts"
import { fromLocal, toLocal } from "../../src/forms/LocalTime.ts"
import { optionsOf, ticked, toggled } from "../../src/forms/Ticks.ts"

const FISH = { type: "array", items: { anyOf: [{ const: "f1", title: "Tuna" }, { const: "f2", title: "Salmon" }] } }

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name" },
    line: { type: "string", default: "Once." },
    agrees: { type: "boolean" },
    news: { type: "boolean", default: true },
    age: { type: "integer", minimum: 1, default: 42 },
    friend: { type: "string", enum: ["m", "r"], enumNames: ["Monica", "Rachel"], default: "r" },
    fish: { ...FISH, default: ["f2"] },
    odd: { type: "string", default: 7 }
  },
  required: ["name", "agrees"]
}

const form = ofArguments(SCHEMA)

/** What a person sees at first, with other words in some fields. */
const draft = (typed: Readonly<Record<string, Draft>> = {}): Draft => {
  const before = prefilled(form)
  return before.is === "object" ? { ...before, fields: new Map([...before.fields, ...Object.entries(typed)]) } : before
}

describe("The form of a question", () => {
  it("begins with the defaults of its schema, also of what is optional, and sends them as they are", () => {
    const { problems, value } = toJson(form, draft(), true)
    assert.deepStrictEqual(value, { line: "Once.", agrees: false, news: true, age: 42, friend: "r", fish: ["f2"] })
    assert.deepStrictEqual(problems.map(({ path }) => path), ["name"])
  })

  it("keeps the fields in the order of the server, and shows names that stand for values", () => {
    const fields = form.properties()
    assert.deepStrictEqual(fields.map(({ key }) => key), Object.keys(SCHEMA["properties"] as JsonObject))
    const friend = fields.find(({ key }) => key === "friend")?.field
    assert.deepStrictEqual(friend?.kind === "choice" ? friend.options.map(({ label }) => label) : [], [
      "Monica",
      "Rachel"
    ])
  })

  it("says at its field what cannot be read, and leaves out what was emptied", () => {
    const typed = draft({ name: { is: "text", text: "Ada" }, age: { is: "text", text: "4.5" }, line: UNSET })
    const { problems, value } = toJson(form, typed, true)
    assert.deepStrictEqual(problems, [{ path: "age", message: "This must be a whole number." }])
    assert.deepStrictEqual(value, { name: "Ada", agrees: false, news: true, age: 4.5, friend: "r", fish: ["f2"] })
  })

  it.prop(
    "ticks and unticks options in any order, and sends them in the order of the schema",
    { indices: Schema.Array(Schema.Literals([0, 1, 2, 3])) },
    ({ indices }) => {
      const field = make({}, { type: "array", items: { enum: [..."abcd"] } }, "x")
      const options = optionsOf(field) ?? []
      const draft = indices.reduce((before, index) => toggled(before, options, index), UNSET)
      const odd = [0, 1, 2, 3].filter((index) => indices.filter((each) => each === index).length % 2 === 1)
      assert.deepStrictEqual(ticked(draft, options), odd)
      const { value } = toJson(field, draft, false)
      assert.deepStrictEqual(value, odd.length === 0 ? undefined : odd.map((index) => "abcd"[index] ?? ""))
    }
  )

  it("takes times to the clock of this place and back", () => {
    assert.strictEqual(fromLocal(toLocal("2026-11-22T14:30:05Z")), "2026-11-22T14:30:05.000Z")
    assert.strictEqual(fromLocal(toLocal("2026-07-01T23:59:00+02:00")), "2026-07-01T21:59:00.000Z")
    assert.strictEqual(toLocal("soon"), "")
    assert.strictEqual(fromLocal(""), "")
  })
})
