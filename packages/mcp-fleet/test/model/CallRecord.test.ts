import { assert, describe, it } from "@effect/vitest"
import { CallRecord, isUntaken, REMEMBERED } from "../../src/model/CallRecord.ts"

describe("The record of an instance's calls", () => {
  it("admits each number of a holder once, in whatever order", () => {
    const record = new CallRecord()
    record.join("a")
    record.join("b")
    assert.deepStrictEqual([2, 1, 2, 3, 1].map((number) => record.admit("a", number)), [true, true, false, true, false])
    assert.isTrue(record.admit("b", 1))
  })

  it("admits nothing of a holder that it does not know or that has left", () => {
    const record = new CallRecord()
    assert.isFalse(record.admit("a", 1))
    record.join("a")
    assert.isTrue(record.admit("a", 1))
    record.leave("a")
    assert.isFalse(record.admit("a", 2))
  })

  it("takes a number for seen that is much older than the newest", () => {
    const record = new CallRecord()
    record.join("a")
    assert.isTrue(record.admit("a", REMEMBERED + 1))
    assert.isFalse(record.admit("a", 1))
    assert.isTrue(record.admit("a", 2))
  })

  it("tells which calls of a holder came, once it takes no more", () => {
    const record = new CallRecord()
    record.join("a")
    record.join("b")
    for (const number of [1, 4, 2]) record.admit("a", number)
    assert.isNull(record.taken("a"), "more may come")
    record.retire()
    assert.isFalse(record.admit("a", 3))
    assert.deepStrictEqual(record.taken("a"), { highest: 4, missing: [3] })
    assert.deepStrictEqual(record.taken("b"), { highest: 0, missing: [] })
    assert.isNull(record.taken("c"), "nobody knows")
    const taken = record.taken("a") ?? assert.fail()
    assert.deepStrictEqual([1, 2, 3, 4, 5].map((number) => isUntaken(taken, number)), [false, false, true, false, true])
  })

  it("tells nothing of a call that is much older than the newest: it may have come", () => {
    const record = new CallRecord()
    record.join("a")
    record.admit("a", REMEMBERED + 2)
    record.retire()
    const taken = record.taken("a") ?? assert.fail()
    assert.deepStrictEqual([1, 2, 3].map((number) => isUntaken(taken, number)), [false, false, true])
  })
})
