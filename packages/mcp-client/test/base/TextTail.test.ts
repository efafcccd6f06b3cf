import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as TextTail from "../../src/base/TextTail.ts"

const tailOf = (pieces: ReadonlyArray<string>) => {
  const tail = TextTail.make()
  for (const piece of pieces) tail.append(piece)
  return tail.text()
}

/** What is kept of a text, said plainly. */
const expected = (text: string) => {
  if (text.length <= TextTail.KEPT) return text
  const end = text.slice(-TextTail.KEPT)
  return end.slice(end.indexOf("\n") + 1)
}

const Piece = Schema.Literals([
  "",
  "a",
  "\n",
  "line\n",
  "x".repeat(5000),
  "y\n".repeat(2500),
  "z".repeat(9000),
  "12345678\n".repeat(3000)
])

describe("Tail", () => {
  it.prop(
    "keeps the last 8 KB from a line's start, however they come (R40)",
    [Arbitrary.array(Arbitrary.schema(Piece), { maxLength: 12 })],
    ([pieces]) => {
      assert.strictEqual(tailOf(pieces), expected(pieces.join("")))
      return true
    },
    { arbitrary: { runs: 150 } }
  )

  it("keeps all of a short text, its first line too", () => {
    assert.strictEqual(tailOf([]), "")
    assert.strictEqual(tailOf(["boom\n", "at x"]), "boom\nat x")
    assert.strictEqual(tailOf(["first\n", "x".repeat(TextTail.KEPT - 6)]), `first\n${"x".repeat(TextTail.KEPT - 6)}`)
  })

  it("keeps the end of a line that alone is longer", () => {
    assert.strictEqual(tailOf(["a", "x".repeat(20_000)]), "x".repeat(TextTail.KEPT))
  })

  it("takes 10 MB in small pieces in its stride (R40)", () => {
    const tail = TextTail.make()
    for (let count = 0; count < 200_000; count++) tail.append(`${String(count).padStart(6, "0")} ${"-".repeat(42)}\n`)
    assert.strictEqual(tail.text().length, Math.floor(TextTail.KEPT / 50) * 50)
    assert.match(tail.text(), /^\d{6} [^]*199999 -{42}\n$/)
  })

  it("does not change when it is read", () => {
    const tail = TextTail.make()
    tail.append("12345678\n".repeat(3000))
    assert.strictEqual(tail.text(), tail.text())
    tail.append("end")
    assert.isTrue(tail.text().endsWith("12345678\nend"))
  })
})
