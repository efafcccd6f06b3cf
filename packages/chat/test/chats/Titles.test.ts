import { assert, describe, it } from "@effect/vitest"
import * as Titles from "../../src/chats/Titles.ts"

describe("Titles.ofMessage", () => {
  it("is a short message on one line", () => {
    assert.strictEqual(Titles.ofMessage("  What is\nrain? "), "What is rain?")
    assert.strictEqual(Titles.ofMessage(" \n"), Titles.NONE)
  })

  it("ends a long message behind a word, and says that there is more", () => {
    const text = "Please remember that Ann works at Example Ltd and likes green tea."
    assert.strictEqual(Titles.ofMessage(text), "Please remember that Ann works at Example Ltd and likes …")
  })

  it("cuts a word that is longer than a title, never inside a character", () => {
    assert.strictEqual(Titles.ofMessage("🌧".repeat(80)), `${"🌧".repeat(58)} …`)
  })
})
