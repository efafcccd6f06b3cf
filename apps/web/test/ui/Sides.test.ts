/// <reference types="vite/client" />
import { assert, describe, it } from "@effect/vitest"

const sheets = import.meta.glob<string>("../../src/**/*.css", { eager: true, import: "default", query: "?raw" })

/** What names a side of the screen: `margin-left`, `left:`, `text-align: right`, `float`, and four values of which two sides differ. */
const SIDES = [
  /(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b/,
  /^\s*(?:left|right)\s*:/,
  /border-(?:top|bottom)-(?:left|right)-radius/,
  /(?:text-align|float|clear):\s*(?:left|right)/,
  /^\s*(?:margin|padding|inset):\s*\S+ (?!(\S+) \S+ \1;)\S+ \S+ \S+;/
]

const found = (sheet: string) => sheet.split("\n").filter((line) => SIDES.some((side) => side.test(line)))

describe("the styles of the page", () => {
  it("name no side of the screen: start and end change places where a language runs from right to left", () => {
    assert.isAbove(Object.keys(sheets).length, 15)
    const wrong = Object.entries(sheets).flatMap(([file, sheet]) =>
      found(sheet).map((line) => `${file}: ${line.trim()}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("are looked at for every way to name a side", () => {
    const named = [
      "margin-left: 1px;",
      "  right: 0;",
      "text-align: left;",
      "  padding: 1px 2px 1px 3px;",
      "border-top-left-radius: 0;"
    ]
    assert.deepStrictEqual(named.flatMap(found), named)
    assert.deepStrictEqual(
      ["  margin: 0 2px 1px 2px;", "margin-inline-start: 1px;", "  padding: 1px 2px;"].flatMap(found),
      []
    )
  })
})
