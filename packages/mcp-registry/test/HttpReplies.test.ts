import { assert, describe, it } from "@effect/vitest"
import * as HttpReplies from "../src/http/HttpReplies.ts"

/** A queue, and what to call for each reply that left. */
const sending = () => {
  const replies = HttpReplies.make()
  const over: Array<() => void> = []
  const add = (times: number) => {
    for (let at = 0; at < times; at++) replies.add((isOver) => void over.push(isOver))
  }
  return { replies, over, add }
}

describe("HttpReplies", () => {
  it("drops what comes while 256 wait, and says so once", () => {
    const { add, over, replies } = sending()
    add(8 + 256)
    assert.deepStrictEqual(replies.diagnostics(), [])
    add(100)
    assert.lengthOf(over, 8)
    assert.deepStrictEqual(replies.diagnostics(), [
      "it asked faster than it took the answers: 100 of them were dropped"
    ])
    while (over.length > 0) over.shift()?.()
    add(1)
    assert.lengthOf(over, 1)
  })

  it("sends nothing more once it is closed", () => {
    const { add, over, replies } = sending()
    add(10)
    replies.close()
    over.splice(0).forEach((isOver) => isOver())
    assert.lengthOf(over, 0)
  })
})
