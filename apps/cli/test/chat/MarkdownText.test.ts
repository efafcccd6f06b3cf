import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as MarkdownText from "../../src/chat/MarkdownText.ts"
import { width } from "../../src/terminal/Layout.ts"
import { COLOURS, NONE } from "../../src/terminal/Output.ts"

const shown = (text: string, columns = 40) => MarkdownText.rendered(text, columns, NONE)

describe("MarkdownText", () => {
  it("shows headings, emphasis, code and lists as such", () => {
    assert.deepStrictEqual(
      shown("# Title\n\nIt was **July**, *really*: `21.4`.\n\n- one\n  - two\n\n1. a\n2. b\n\n- [x] done"),
      [
        "  Title",
        "",
        "  It was July, really: 21.4.",
        "",
        "  • one",
        "    • two",
        "",
        "  1. a",
        "  2. b",
        "",
        "  • [x] done"
      ]
    )
    assert.deepStrictEqual(MarkdownText.rendered("**a** `b`", 40, COLOURS), [
      "  \u001B[1ma\u001B[22m \u001B[35mb\u001B[39m"
    ])
  })

  it("keeps code as it is, with its line breaks and its spaces", () => {
    assert.deepStrictEqual(shown("```js\nif (a) {\n  b()\n}\n```"), ["    if (a) {", "      b()", "    }"])
  })

  it("puts the cells of a table below each other, and wraps them where the terminal is narrow", () => {
    const table = "| Month | Mean |\n|---|--:|\n| July | 21.4 |\n| August | 9 |"
    assert.deepStrictEqual(shown(table), ["  Month   Mean", "  July    21.4", "  August     9"])
    const wide = shown(`| a | b |\n|---|---|\n| ${"word ".repeat(20)} | ${"other ".repeat(20)} |`)
    assert.isTrue(wide.every((line) => width(line) <= 40))
    assert.strictEqual(wide.join(" ").match(/word/g)?.length, 20)
    assert.strictEqual(wide.join(" ").match(/other/g)?.length, 20)
  })

  it("wraps at the width of the terminal, below the text of a list", () => {
    assert.deepStrictEqual(shown("- a point that does not fit into one line at all", 30), [
      "  • a point that does not fit",
      "    into one line at all"
    ])
  })

  it("shows where a link leads unless its words say so", () => {
    assert.deepStrictEqual(shown("[bank](https://a.example) <https://b.example>"), [
      "  bank (https://a.example)",
      "  https://b.example"
    ])
  })

  it("removes what a terminal would obey", () => {
    assert.deepStrictEqual(shown("a\u001B[2Jb `c\u0007d`"), ["  ab cd"])
  })

  it("gives what is complete of a text that grows, and keeps the block at its end back", () => {
    const { done, rest } = MarkdownText.split("one\n\n| a |\n|---|\n| b")
    assert.deepStrictEqual([done, rest], ["one\n\n", "| a |\n|---|\n| b"])
    assert.strictEqual(MarkdownText.split("- a\n\n").done, "")
    assert.strictEqual(MarkdownText.split("```\na\n\nb\n\n").done, "")
  })

  it.prop("loses nothing between the parts of a text, and no line is too wide", { text: Schema.String }, ({ text }) => {
    const { done, rest } = MarkdownText.split(text)
    return done + rest === text &&
      shown(text, 60).every((line) => width(line) <= 60 || !line.includes(" ") || line.startsWith("    "))
  })
})
