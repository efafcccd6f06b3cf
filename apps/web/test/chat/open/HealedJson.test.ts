import { assert, describe, it } from "@effect/vitest"
import { healed } from "../../../src/chat/open/HealedJson.ts"

const VALUE = {
  path: "notes/ä \"quoted\" \\ \u0001.md",
  count: 12.5e3,
  is: true,
  none: null,
  list: [1, "two", [], {}, { deep: ["x"] }],
  "a \"key\" {[": "}]"
}

/** Whether one value can grow to be the other. */
const grows = (one: unknown, other: unknown): boolean => {
  if (typeof one === "string") return typeof other === "string" && other.startsWith(one)
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length <= other.length && one.every((each, at) => grows(each, other[at]))
  }
  if (typeof one !== "object" || one === null) return one === other
  return typeof other === "object" && other !== null &&
    Object.entries(one).every(([key, each]) => grows(each, Reflect.get(other, key)))
}

describe("HealedJson", () => {
  it("reads every beginning of a text as a value that grows to the whole one", () => {
    for (
      const text of [JSON.stringify(VALUE), JSON.stringify(VALUE, null, 2), ` ${JSON.stringify({ a: "\ud83d\ude00" })}`]
    ) {
      let before: unknown = {}
      for (let length = 0; length <= text.length; length++) {
        const value = healed(text.slice(0, length))
        if (value === null) {
          assert.isFalse(text.slice(0, length).includes("{"), text.slice(0, length))
          continue
        }
        assert.isTrue(grows(before, value), `${text.slice(0, length)} is ${JSON.stringify(value)}`)
        before = value
      }
      assert.deepStrictEqual(before, JSON.parse(text))
    }
  })

  it("closes what is open, and leaves out what is half written", () => {
    const cases: Readonly<Record<string, unknown>> = {
      "{\"a\": \"on": { a: "on" },
      "{\"a\": \"on\\": { a: "on" },
      "{\"a\": \"on\\u00e": { a: "on" },
      "{\"a\": 1": {},
      "{\"a\": 1,": { a: 1 },
      "{\"a\": tru": {},
      "{\"a\": [1, 2": { a: [1] },
      "{\"a\": [{\"b": { a: [{}] },
      "{\"a": {},
      "{\"a\"": {},
      "{\"a\":": {}
    }
    for (const [text, value] of Object.entries(cases)) assert.deepStrictEqual(healed(text), value, text)
  })

  it("reads nothing of a text that is no object, is wrong, or goes too deep", () => {
    const wrong = ["", "[1", "\"text", "{]", "{\"a\":}", "{\"a\":1}}", `{"a":${"[".repeat(1_000_000)}`]
    for (const text of wrong) assert.isNull(healed(text), text.slice(0, 20))
  })
})
