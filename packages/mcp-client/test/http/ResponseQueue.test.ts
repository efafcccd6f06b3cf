import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ResponseQueue, type Sent } from "../../src/http/ResponseQueue.ts"

/** A queue, and what to call for each reply that left. */
const sending = Effect.map(Clock.Clock, (clock) => {
  const replies = new ResponseQueue(clock)
  const left: Array<Sent> = []
  const add = (times: number) => {
    for (let at = 0; at < times; at++) replies.add((sent) => void left.push(sent))
  }
  const end = (isTaken: boolean) => {
    for (const { onOver, onTaken } of left.splice(0)) {
      if (isTaken) onTaken()
      onOver()
    }
  }
  let isRead = true
  const read = () => {
    isRead = false
    replies.pause()?.(() => {
      isRead = true
    })
  }
  return { replies, left, add, end, read, isRead: () => isRead }
})

const dropped = (count: string) => [`it did not take the answers to its requests in time: ${count} dropped`]

describe("ResponseQueue", () => {
  it.effect("drops what comes while 256 wait, and says so once", () =>
    Effect.gen(function*() {
      const { add, end, left, replies } = yield* sending
      add(8 + 256)
      assert.deepStrictEqual(replies.diagnostics(), [])
      add(100)
      assert.lengthOf(left, 8)
      assert.deepStrictEqual(replies.diagnostics(), dropped("100 were"))
      while (left.length > 0) end(true)
      add(1)
      assert.lengthOf(left, 1)
    }))

  it.effect("drops what waited for ten seconds, and reads on, when one is given up", () =>
    Effect.gen(function*() {
      const { add, end, isRead, left, read, replies } = yield* sending
      add(100)
      read()
      yield* TestClock.adjust("9 seconds")
      end(false)
      assert.lengthOf(left, 8)
      assert.isFalse(isRead())
      yield* TestClock.adjust("9 seconds")
      end(false)
      assert.lengthOf(left, 0)
      assert.isTrue(isRead())
      assert.deepStrictEqual(replies.diagnostics(), dropped("100 were"))
    }))

  it.effect("drops none that a slow server takes one after the other within ten seconds", () =>
    Effect.gen(function*() {
      const { add, end, left, replies } = yield* sending
      add(32)
      for (let round = 0; round < 4; round++) {
        assert.lengthOf(left, 8)
        yield* TestClock.adjust("3 seconds")
        end(true)
      }
      assert.deepStrictEqual(replies.diagnostics(), [])
    }))

  it.effect("says nothing of one that the server refuses at once, or is slow to end after it took it", () =>
    Effect.gen(function*() {
      const { add, end, replies } = yield* sending
      add(1)
      end(false)
      add(1)
      yield* TestClock.adjust("10 seconds")
      end(true)
      assert.deepStrictEqual(replies.diagnostics(), [])
    }))

  it.effect("sends nothing more once it is closed", () =>
    Effect.gen(function*() {
      const { add, end, left, replies } = yield* sending
      add(10)
      replies.close()
      end(true)
      assert.lengthOf(left, 0)
    }))
})
