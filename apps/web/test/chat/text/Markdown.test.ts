import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { isValidElement } from "preact"
import { closed, lex, relex } from "../../../src/chat/text/Lexer.ts"
import { all, headingLevels } from "../../../src/chat/text/Markdown.tsx"
import { NoteReference } from "../../../src/chat/text/NoteReference.tsx"
import { CodeBlock } from "../../../src/ui/code/CodeBlock.tsx"
import { SortedTable } from "../../../src/ui/data/SortedTable.tsx"

const row = (cells: ReadonlyArray<{ readonly shown: unknown; readonly side: string }>): string =>
  `<tr>${cells.map(({ shown, side }) => `<td${side === "" ? "" : ` ${side}`}>${written(shown)}</td>`).join("")}</tr>`

/** The elements as a line of text: `<p>a <strong>b</strong></p>`, attributes that matter included. */
const written = (node: unknown): string => {
  if (Array.isArray(node)) return node.map(written).join("")
  if (typeof node === "string" || typeof node === "number") return String(node)
  if (!isValidElement(node)) return ""
  const { children, code, header, href, isBlock, label, language, rows, src, tex, ...rest } = Object(node.props)
  if (tex !== undefined) return isBlock ? `<formula-block>${tex}</formula-block>` : `<formula>${tex}</formula>`
  if (Object(node).type === NoteReference) return `<note>${label}</note>`
  if (Object(node).type === SortedTable) return `<table>${[header, ...rows].map(row).join("")}</table>`
  if (Object(node).type === CodeBlock) return `<code-block ${language}>${code}</code-block>`
  assert.isFalse("dangerouslySetInnerHTML" in rest || "style" in rest)
  const address = [href === undefined ? "" : ` href=${href}`, src === undefined ? "" : ` src=${src}`].join("")
  return `<${node.type}${address}>${written(children)}</${node.type}>`
}

const shown = (text: string) => written(all(lex(text)))

const PIECES = [
  "# a\n\n",
  "word ",
  "\n",
  "\n\n",
  "- item\n",
  "  - inner\n",
  "1. one\n",
  "```ts\ncode\n",
  "```\n",
  "| a | b |\n|--|--|\n",
  "| 1 | 2 |\n",
  "**bold** ",
  "> quote\n",
  "[x](http://y) ",
  "---\n",
  "    indented\n",
  "===\n",
  "<b>"
] as const

describe("Markdown", () => {
  it("makes elements of headings, lists, tables, code and emphasis", () => {
    assert.strictEqual(
      shown("a **b** *c* `d` ~~e~~"),
      "<p>a <strong>b</strong> <em>c</em> <code>d</code> <del>e</del></p>"
    )
    assert.strictEqual(shown("```ts\nlet a\n```"), "<code-block ts>let a</code-block>")
    assert.strictEqual(shown("3. a\n4. b"), "<ol><li>a</li><li>b</li></ol>")
    assert.strictEqual(
      shown("| a | b |\n| --- | ---: |\n| 1 | 2 |"),
      "<table><tr><td>a</td><td right>b</td></tr><tr><td>1</td><td right>2</td></tr></table>"
    )
    assert.include(shown("- [x] done"), "<input></input>")
  })

  it("shows markup as the text it is, in blocks and in lines", () => {
    const markup = "<img src=x onerror=\"alert(1)\">"
    assert.strictEqual(shown(`a ${markup} b`), `<p>a ${markup} b</p>`)
    assert.strictEqual(shown(`<div>\n${markup}\n</div>`), `<div>\n${markup}\n</div>`)
    assert.strictEqual(shown("a &amp; b &lt;i&gt; &#8212; &nothing;"), "<p>a & b <i> — &nothing;</p>")
  })

  it("links to http, https and mailto alone", () => {
    assert.strictEqual(shown("[a](https://x.example/y)"), "<p><a href=https://x.example/y>a</a></p>")
    assert.strictEqual(shown("[a](mailto:a@b.example)"), "<p><a href=mailto:a@b.example>a</a></p>")
    for (
      const address of [
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "/api/chats",
        "vbscript:x",
        "//x.example"
      ]
    ) {
      assert.strictEqual(shown(`[a](${address})`), "<p><span>a</span></p>", address)
    }
  })

  it("shows a picture that is in the text, and makes a link of one that is elsewhere", () => {
    assert.strictEqual(shown("![a](data:image/png;base64,AAAA)"), "<p><img src=data:image/png;base64,AAAA></img></p>")
    assert.strictEqual(shown("![a](https://x.example/y.png)"), "<p><a href=https://x.example/y.png>a</a></p>")
    assert.strictEqual(shown("![a](data:image/svg+xml;base64,AAAA)"), "<p><span>a</span></p>")
    assert.strictEqual(shown("![a](/api/mcp/servers)"), "<p><span>a</span></p>")
  })

  it("draws formulas in a line and in a block, and leaves money alone", () => {
    assert.strictEqual(shown("so $a^2_1$ and \\(b\\)."), "<p>so <formula>a^2_1</formula> and <formula>b</formula>.</p>")
    assert.strictEqual(shown("$$\n\\int_0^1 x\n$$"), "<formula-block>\\int_0^1 x</formula-block>")
    assert.strictEqual(shown("\\[ x \\]"), "<formula-block>x</formula-block>")
    for (const text of ["from $5 to $10", "$ 5 and $ 6", "a $PATH and $HOME/x", "it is $1,000 or $2"]) {
      assert.strictEqual(shown(text), `<p>${text}</p>`, text)
    }
    assert.strictEqual(shown("`$a$`"), "<p><code>$a$</code></p>")
  })

  it("leads from a number to its footnote", () => {
    assert.strictEqual(shown("a[^1] b"), "<p>a<note>1</note> b</p>")
    assert.strictEqual(shown("a\n\n[^x]: see **b**"), "<p>a</p><p><sup>x</sup> see <strong>b</strong></p>")
  })

  it("folds details, and what is in them is Markdown", () => {
    assert.strictEqual(
      shown("<details>\n<summary>More *of it*</summary>\n\n- one\n\n</details>"),
      "<details><summary>More <em>of it</em></summary><div><ul><li>one</li></ul></div></details>"
    )
    assert.strictEqual(
      shown("<details onclick=x><summary>a</summary>b</details>"),
      "<details onclick=x><summary>a</summary>b</details>"
    )
  })

  it("shows no half of a mark while a text streams", () => {
    const streamed = (text: string) => written(all(lex(closed(text))))
    assert.strictEqual(streamed("a **bo"), "<p>a <strong>bo</strong></p>")
    assert.strictEqual(streamed("a `co"), "<p>a <code>co</code></p>")
    assert.strictEqual(streamed("see [the page](https://x.exa"), "<p>see the page</p>")
    assert.strictEqual(streamed("so $$a^2"), "<p>so <formula>a^2</formula></p>")
    assert.strictEqual(streamed("2 * 3 > 4"), "<p>2 * 3 > 4</p>")
  })

  it("leaves out no level of headings", () => {
    assert.deepStrictEqual(headingLevels(lex("## a\n\n#### b\n\n## c\n\ntext")).filter((level) => level > 0), [3, 4, 3])
  })

  it.prop(
    "reads a text that streams in as it reads the whole",
    [Schema.Array(Schema.Literals(PIECES)).check(Schema.isMaxLength(25))],
    ([pieces]) => {
      let before: { text: string; tokens: ReturnType<typeof lex> } = { text: "", tokens: [] }
      for (const piece of pieces) {
        const text = before.text + piece
        before = { text, tokens: relex(before, text) }
      }
      assert.strictEqual(written(all(before.tokens)), shown(pieces.join("")))
    }
  )

  it("leaves as written what is nested deeper than anybody reads, and takes no second for it", () => {
    const quotes = `${">".repeat(5000)} deep`
    const list = Array.from({ length: 1000 }, (_, at) => `${" ".repeat(at * 2)}- x`).join("\n")
    const millis = () => {
      const from = performance.now()
      assert.strictEqual(shown(quotes), `<p>${quotes}</p>`)
      assert.strictEqual(shown(list), `<p>${list}</p>`)
      return performance.now() - from
    }
    // One of five, as other programs use the machine, too.
    assert.isTrue([1, 2, 3, 4, 5].some(() => millis() < 1000))
    const bold = `${"> ".repeat(60)}**x**`
    assert.include(shown(bold), "**x**")
    assert.strictEqual(shown(bold).split("<blockquote>").length - 1, 32)
  })
})
