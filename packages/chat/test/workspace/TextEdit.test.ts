import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as TextEdit from "../../src/workspace/TextEdit.ts"

const edited = (text: string, oldText: string, newText: string, count = 1) =>
  Result.getOrThrow(TextEdit.apply(text, { oldText, newText, count }))

const refused = (text: string, oldText: string, newText: string, count = 1) =>
  Result.getOrThrow(Result.flip(TextEdit.apply(text, { oldText, newText, count })))

describe("TextEdit", () => {
  it("replaces the text to the letter, whatever it holds", () => {
    assert.strictEqual(edited("a.c abc", "a.c", "x"), "x abc")
    assert.strictEqual(edited("price", "price", "$& $1 $$"), "$& $1 $$")
    assert.strictEqual(edited("one two", " two", ""), "one")
    assert.strictEqual(edited("x x x", "x", "y", 3), "y y y")
  })

  it("replaces nothing when the text stands there another number of times, and says where", () => {
    assert.match(
      refused("x\ny\nx\n", "x", "z"),
      /stands 2 times in it, not once \(lines 1, 3\); give more of the text around .* set count to 2/
    )
    assert.match(refused("x\ny", "x", "z", 2), /stands once in it, not 2 times \(line 1\)/)
    assert.match(refused("x\n".repeat(30), "x", "z"), /lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …/)
  })

  it("says what to do about a text that does not stand there", () => {
    assert.match(refused("one", "two", "z"), /does not stand in it; read the file again/)
    assert.match(
      refused("f() {\n    return 1\n}\n", "f() {\n  return 1\n}", "z"),
      /line 1 differs from it by spaces alone/
    )
    assert.match(refused("one", "one", "one"), /nothing would change/)
  })

  it("takes line feeds for the CR LF of a text whose lines all end so", () => {
    assert.strictEqual(edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny"), "x\r\ny\r\nc\r\n")
    assert.match(refused("a\r\nb\nc", "a\nb", "x"), /does not stand|spaces alone/)
  })
})
