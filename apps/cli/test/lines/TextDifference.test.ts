import { assert, describe, it } from "@effect/vitest"
import * as TextDifference from "../../src/lines/TextDifference.ts"
import { NONE } from "../../src/terminal/Output.ts"

const lines = (before: string, after: string) => TextDifference.lines(before, after, NONE)

describe("TextDifference", () => {
  it("is the lines that go and come, with two around them, and a mark where others are left out", () => {
    const before = Array.from({ length: 12 }, (_, at) => `${at}`).join("\n")
    const after = before.replace("0\n", "zero\n").replace("\n7\n", "\n7a\n7b\n")
    assert.deepStrictEqual(lines(before, after), [
      "    - 0",
      "    + zero",
      "      1",
      "      2",
      "    …",
      "      5",
      "      6",
      "    - 7",
      "    + 7a",
      "    + 7b",
      "      8",
      "      9",
      "    …"
    ])
  })

  it("is empty for the same text, and all of it for a new one", () => {
    assert.deepStrictEqual(lines("a\nb\n", "a\nb\n"), [])
    assert.deepStrictEqual(lines("", "a\nb\n"), ["    + a", "    + b"])
    assert.deepStrictEqual(lines("a\n", ""), ["    - a"])
  })

  it("comes at once for texts that have nothing in common, and shows nothing that a terminal obeys", () => {
    const long = (word: string) => Array.from({ length: 4000 }, (_, at) => `${word}${at}`).join("\n")
    assert.lengthOf(lines(long("a"), long("b")), 8000)
    assert.deepStrictEqual(lines("", "\u001B[2Ja"), ["    + a"])
  })

  it("knows what a content, edits, and an edit leave, and nothing of other arguments", () => {
    const text = "one two\none"
    assert.strictEqual(TextDifference.after(text, { path: "a", content: "new" }), "new")
    assert.strictEqual(
      TextDifference.after(text, { edits: [{ oldText: "two", newText: "$&" }, { oldText: "one", newText: "1" }] }),
      "1 $&\none"
    )
    assert.strictEqual(TextDifference.after(text, { oldText: "one", newText: "1", count: 2 }), "1 two\n1")
    assert.isNull(TextDifference.after(text, { oldText: "three", newText: "3" }))
    assert.isNull(TextDifference.after(text, { text: "new" }))
  })
})
