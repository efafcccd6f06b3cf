import { assert, describe, it } from "@effect/vitest"
import { fileName, kindOf, nameOf } from "../../../src/chat/artifacts/Artifact.ts"

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n")

describe("what opens beside the chat", () => {
  it("is a page, a picture, a diagram, a document, and code that is long", () => {
    assert.strictEqual(kindOf("html", "<!doctype html><p>Hi"), "html")
    assert.strictEqual(kindOf("html", "<!-- index.html -->\n<html lang=\"en\">"), "html")
    assert.strictEqual(kindOf("xml", "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\"></svg>"), "svg")
    assert.strictEqual(kindOf("html", "<svg></svg>"), "svg")
    assert.strictEqual(kindOf("mermaid", "graph TD"), "mermaid")
    assert.strictEqual(kindOf("markdown", lines(12)), "markdown")
    assert.strictEqual(kindOf("python", lines(25)), "code")
  })

  it("is no piece of markup, no short code, no output and no diff", () => {
    assert.deepStrictEqual(
      [
        kindOf("html", "<b>bold</b>"),
        kindOf("xml", "<a/>"),
        kindOf("python", lines(24)),
        kindOf("md", lines(11)),
        kindOf("", lines(500)),
        kindOf("text", lines(500)),
        kindOf("diff", lines(500))
      ],
      [null, null, null, null, null, null, null]
    )
  })

  it("has the name of its file, else its title", () => {
    const named = (info: string, text: string) => nameOf(kindOf(info.split(" ")[0] ?? "", text) ?? "code", info, text)
    assert.deepStrictEqual(named("python src/app.py", "x"), { text: "src/app.py", isFile: true })
    assert.deepStrictEqual(named("ts title=\"Main.ts\"", "x"), { text: "Main.ts", isFile: true })
    assert.deepStrictEqual(named("js", "// lib/count.js\nlet a"), { text: "lib/count.js", isFile: true })
    assert.deepStrictEqual(named("html", "<!doctype html><title> A  page </title>"), { text: "A page", isFile: false })
    assert.isNull(named("js", "// see a.b or c\nlet a"))
  })

  it("is saved under a name that fits what it is", () => {
    assert.strictEqual(fileName("code", "python", { text: "src/../app.py", isFile: true }), "app.py")
    assert.strictEqual(fileName("html", "html", { text: "Café: <b>", isFile: false }), "café-b.html")
    assert.strictEqual(fileName("mermaid", "mermaid", null), "mermaid.mmd")
    assert.strictEqual(fileName("code", "typescript", null), "code.ts")
  })
})
