import { assert, describe, it } from "@effect/vitest"
import { CallRecord, REMEMBERED } from "../../src/model/CallRecord.ts"

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
})
