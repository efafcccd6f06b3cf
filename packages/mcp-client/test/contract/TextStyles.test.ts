import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as CleanText from "../../src/base/CleanText.ts"
import * as TextStyles from "../../src/contract/TextStyles.ts"

const styles = (sent: string) => TextStyles.of(sent, CleanText.clean(sent))

/** Pieces of sequences, whole ones, and text around them. */
const Piece = Arbitrary.schema(Schema.Literals([
  ..."\u001B [ m ; : 0 1 31 38;5;200 48;2;1;2;3 \u009B \u0007 ] \r \u200D 👩 x".split(" "),
  "\u001B[31m",
  "\u001B[0m",
  "\u001B]8;;",
  "\n"
]))
const Text = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([Piece, Arbitrary.schema(Schema.String)]), { maxLength: 20 }),
  (pieces) => pieces.map(([piece, text]) => `${piece}${text.slice(0, 3)}`).join("")
)

describe("TextStyles.of", () => {
  it("gives the pieces of a text that have a colour, are bold, dim, underlined or inverse", () => {
    assert.deepStrictEqual(styles("\u001B[31mred\u001B[0m plain \u001B[1;4;7mloud\u001B[22;24;27m\u001B[2mdim"), [
      { from: 0, to: 3, colour: "#cd0000" },
      { from: 10, to: 14, bold: true, underline: true, inverse: true },
      { from: 14, to: 17, dim: true }
    ])
  })

  it("reads 16, 256 and RGB colours, with semicolons and with colons, for text and ground", () => {
    const of = (parameters: string) => styles(`\u001B[${parameters}mx`).map(({ from: _, to: __, ...look }) => look)
    assert.deepStrictEqual(of("97;41"), [{ colour: "#ffffff", background: "#cd0000" }])
    assert.deepStrictEqual(of("38;5;208;48;5;244"), [{ colour: "#ff8700", background: "#808080" }])
    assert.deepStrictEqual(of("38;2;1;22;255;1"), [{ colour: "#0116ff", bold: true }])
    assert.deepStrictEqual(of("38:2::1:22:255;48:5:9"), [{ colour: "#0116ff", background: "#ff0000" }])
    assert.deepStrictEqual(of("4:3"), [{ underline: true }])
  })

  it("takes no style from what is no colour: beyond the range, without an end, or in another sequence", () => {
    for (const parameters of ["38;5;256", "38;2;1;2", "38;2;1;2;999", "58;5;1", "38", "999", ":::", ""]) {
      assert.deepStrictEqual(styles(`\u001B[${parameters}mx`), [], parameters)
    }
    assert.deepStrictEqual(styles("\u001B]0;\u001B[31mx"), [{ from: 3, to: 4, colour: "#cd0000" }])
    assert.deepStrictEqual(TextStyles.of("\u001B[31msecret", "<redacted>"), [])
  })

  it("gives at most 1,000 pieces, in linear time", () => {
    const many = "\u001B[31ma\u001B[m".repeat(100_000)
    assert.lengthOf(styles(many), TextStyles.MOST)
    assert.deepStrictEqual(styles(`${"\u001B[1m\u001B[m".repeat(100_000)}a`), [])
  })

  it.prop("gives pieces that follow each other within the clean text, for any text", [Text], ([text]) => {
    const clean = CleanText.clean(text)
    let at = 0
    for (const { from, to } of TextStyles.of(text, clean)) {
      assert.isTrue(at <= from && from < to && to <= clean.length)
      at = to
    }
    return true
  }, { arbitrary: { runs: 500 } })
})
