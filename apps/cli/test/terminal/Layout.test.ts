import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Layout from "../../src/terminal/Layout.ts"
import { COLOURS } from "../../src/terminal/Output.ts"

describe("Layout", () => {
  it("counts two columns for a wide character, and none for a colour", () => {
    assert.strictEqual(Layout.width(COLOURS.bold("漢字")), 4)
    assert.strictEqual(Layout.padded("漢", 4), "漢  ")
  })

  it("goes on with a line that is too wide a little further to the right", () => {
    assert.deepStrictEqual(Layout.folded("  one two three four five", 18), ["  one two three", "    four five"])
    assert.deepStrictEqual(Layout.folded("short", 18), ["short"])
    assert.deepStrictEqual(Layout.folded(`${"word ".repeat(40)}end`, Infinity), [`${"word ".repeat(40)}end`])
  })

  it("puts what a name is about beside it, or below one that is too long", () => {
    const rows = [
      { name: "list", about: "Show every server and its state" },
      { name: "a-name-that-is-too-long-for-it", about: "About it" },
      { name: "end", about: "" }
    ]
    assert.deepStrictEqual(Layout.beside(rows, 30, { most: 10 }), [
      "  list  Show every server and",
      "        its state",
      "  a-name-that-is-too-long-for-it",
      "        About it",
      "  end"
    ])
  })

  it.prop(
    "cuts to the columns there are",
    { text: Schema.String },
    ({ text }) => Layout.width(Layout.cut(text, 20)) <= 20
  )
})
