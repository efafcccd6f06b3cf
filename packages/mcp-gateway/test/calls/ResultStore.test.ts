import { assert, describe, it } from "@effect/vitest"
import * as ResultStore from "../../src/calls/ResultStore.ts"
import * as SentResult from "../../src/calls/SentResult.ts"

/** Keeps a result of so many characters, and gives its id. */
const kept = (store: ResultStore.ResultStore, length: number): string => {
  const { content: [cut] } = store.limited(SentResult.text("x".repeat(length)), 1000, false)
  return /"id":"([^"]+)"/.exec(String(cut?.["text"]))?.[1] ?? ""
}

const has = (store: ResultStore.ResultStore, id: string) => store.part(id, 0, 10) !== null

describe("ResultStore", () => {
  it("keeps so much of all clients together: the oldest result goes, whoever has it", () => {
    const room = new ResultStore.ResultRoom(10_000)
    const [one, other] = [ResultStore.make(room), ResultStore.make(room)]
    const first = kept(one, 4000)
    const second = kept(other, 4000)
    assert.deepStrictEqual([has(one, first), has(other, second)], [true, true])
    const third = kept(one, 4000)
    assert.deepStrictEqual([has(one, first), has(other, second), has(one, third)], [false, true, true])
    assert.isTrue(has(other, kept(other, 12_000)))
    assert.isFalse(has(one, third))
  })

  it("gives the room back with the end of its client", () => {
    const room = new ResultStore.ResultRoom(10_000)
    const [one, other] = [ResultStore.make(room), ResultStore.make(room)]
    const gone = kept(one, 6000)
    one.clear()
    assert.isFalse(has(one, gone))
    const [first, second] = [kept(other, 4000), kept(other, 5000)]
    assert.deepStrictEqual([has(other, first), has(other, second)], [true, true])
  })
})
