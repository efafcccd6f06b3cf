import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { hasColours, indented, oneLine, plain } from "../../src/terminal/Output.ts"

describe("PlainText", () => {
  it("removes what a terminal would obey, and keeps what people read (R100)", () => {
    assert.strictEqual(plain("\u001B[31mred\u001B[0m \u001B]0;title\u0007end\u0007\b"), "red end")
    assert.strictEqual(plain("a\u202Egnp.exe\u2069"), "agnp.exe")
    assert.strictEqual(plain("x\u{E0041}\u{E0042}y"), "xy")
    assert.strictEqual(plain("👩‍👩‍👧 ünï 漢字\tTab\r\nline"), "👩‍👩‍👧 ünï 漢字\tTab\nline")
  })

  it("cuts one line on a whole character", () => {
    assert.strictEqual(oneLine("  a\n\n b\tc "), "a b c")
    assert.strictEqual(oneLine("😀".repeat(10), 4), "😀😀😀…")
  })

  it("has colours for terminals alone, unless FORCE_COLOR, NO_COLOR or a dumb terminal says otherwise", () => {
    const on = (
      variables: Readonly<Record<string, string>>
    ) => [hasColours(variables, true), hasColours(variables, false)]
    assert.deepStrictEqual(on({}), [true, false])
    assert.deepStrictEqual(on({ NO_COLOR: "1" }), [false, false])
    assert.deepStrictEqual(on({ TERM: "dumb" }), [false, false])
    assert.deepStrictEqual(on({ FORCE_COLOR: "1", NO_COLOR: "1", TERM: "dumb" }), [true, true])
    assert.deepStrictEqual(on({ FORCE_COLOR: "0" }), [false, false])
    assert.deepStrictEqual(on({ FORCE_COLOR: "", NO_COLOR: "" }), [true, false])
  })

  it("leads every line of a text", () => {
    assert.deepStrictEqual(indented("one\ntwo\n\n", "| "), ["| one", "| two"])
  })

  it.prop("lets no control character through but tab and newline", { text: Schema.String }, ({ text }) =>
    // oxlint-disable-next-line no-control-regex -- these are the characters looked for
    !/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/.test(plain(text)))
})
