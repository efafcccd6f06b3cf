import { assert, describe, it } from "@effect/vitest"
import { textAfter } from "../../../src/chat/calls/TextAfter.ts"

describe("The text that a call would leave", () => {
  it("is the argument that takes the whole of it", () => {
    assert.deepStrictEqual(textAfter("old", { path: "a.txt", content: "new" }), { after: "new", told: ["content"] })
    assert.deepStrictEqual(textAfter("old", { path: "a.txt", content: "" }), { after: "", told: ["content"] })
  })

  it("has each edit of a list in its turn", () => {
    const edits = [{ oldText: "one", newText: "1" }, { oldText: "1 two", newText: "1 2" }]
    assert.deepStrictEqual(textAfter("one two", { path: "a", edits }), { after: "1 2", told: ["edits"] })
  })

  it("has an edit that is the arguments themselves as often as they say, to the letter", () => {
    const args = { path: "a", oldText: "x.", newText: "$&" }
    assert.deepStrictEqual(textAfter("x. x.", args), { after: "$& x.", told: ["oldText", "newText"] })
    assert.deepStrictEqual(
      textAfter("x. x.", { ...args, count: 2 }),
      { after: "$& $&", told: ["oldText", "newText", "count"] }
    )
  })

  it("is not known where an edit does not fit what is there, or no argument says it", () => {
    assert.isNull(textAfter("text", { edits: [{ oldText: "other", newText: "" }] }))
    assert.isNull(textAfter("text", { edits: ["text"] }))
    assert.isNull(textAfter("x x", { path: "a", oldText: "x", newText: "y", count: 3 }))
    assert.isNull(textAfter("text", { path: "a", force: true }))
  })
})
