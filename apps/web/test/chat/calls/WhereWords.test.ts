import { assert, describe, it } from "@effect/vitest"
import { fromText, toText, whereWords } from "../../../src/chat/calls/WhereWords.ts"

const WHERES = [
  [{ path: "notes/*" }, "path is notes/*"],
  [
    { branch: { in: ["main", "release"] }, force: { in: [true] } },
    "branch is one of main, release and force is true"
  ],
  [
    { count: { min: 1, max: 10 }, size: { max: 2 }, age: { min: 0 } },
    "count is 1 to 10 and size is at most 2 and age is at least 0"
  ]
] as const

describe("Conditions in the page", () => {
  it("reads as the command line and the server have it", () => {
    for (const [where, words] of WHERES) assert.strictEqual(whereWords(where), words)
  })

  it("types back what it shows, pattern or JSON", () => {
    for (const wanted of WHERES.flatMap(([where]) => Object.values(where))) {
      assert.deepStrictEqual(fromText(toText(wanted)), wanted)
    }
  })

  it("takes nothing that a rule could not have", () => {
    for (
      const text of ["", " ", "!notes/*", "{", "{}", "{\"in\":[]}", "{\"in\":[{}]}", "{\"max\":\"9\"}", "{\"of\":1}"]
    ) {
      assert.isUndefined(fromText(text), text)
    }
  })
})
