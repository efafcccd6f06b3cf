import { assert, describe, it } from "@effect/vitest"
import { spoken } from "../../../src/chat/voice/SpokenText.ts"

describe("An answer that is read aloud", () => {
  it("is its words, sentence by sentence, without marks, code, formulas and addresses", () => {
    const answer = [
      "# The plan",
      "Run **this** and see `main.ts`. Then go on[^1]!",
      "```ts\nconst secret = 1\n```",
      "It costs $x^2$ less, see [the page](https://example.com/a) or https://example.com/b.",
      "- one\n- two *things*",
      "| a | b |\n| - | - |\n| 1 | 2 |",
      "<script>alert(1)</script>",
      "[^1]: A note."
    ].join("\n\n")
    const read = spoken(answer)
    assert.deepStrictEqual(read.slice(0, 3), ["The plan", "Run this and see main.ts.", "Then go on!"])
    const all = read.join(" ")
    for (const word of ["the page", "one", "two things", "a, b.", "1, 2."]) assert.include(all, word)
    for (const word of ["secret", "x^2", "https", "**", "<script", "alert"]) assert.notInclude(all, word)
  })

  it("comes in pieces that a browser reads to their end, cut between words", () => {
    const read = spoken("word ".repeat(100))
    assert.isTrue(
      read.length >= 3 && read.every((piece) => piece.length <= 200 && /^word( word)*$/.test(piece)),
      read.join("|")
    )
    assert.deepStrictEqual(spoken("```\ncode alone\n```"), [])
  })
})
