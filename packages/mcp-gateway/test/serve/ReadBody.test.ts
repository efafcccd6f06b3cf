import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as ReadBody from "../../src/serve/ReadBody.ts"

const CHUNK = new Uint8Array(1024 * 1024)

/** A body to which as much is added as one likes, whether it is read or not. */
const open = () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => {
      isCancelled = true
    }
  })
  return {
    body,
    add: () => isCancelled ? undefined : controller?.enqueue(CHUNK),
    close: () => controller?.close(),
    isCancelled: () => isCancelled
  }
}

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("A body that somebody reads", () => {
  it.effect("comes whole, and says once that it is over", () =>
    Effect.gen(function*() {
      const { add, body, close } = open()
      let over = 0
      const read = ReadBody.make(body, () => over++)
      for (let count = 0; count < 5; count++) add()
      close()
      const whole = yield* Effect.promise(() => new Response(read).arrayBuffer())
      assert.strictEqual(whole.byteLength, 5 * CHUNK.length)
      assert.strictEqual(over, 1)
    }))

  it.effect("ends when its reader falls so far behind that it would fill the memory", () =>
    Effect.gen(function*() {
      const { add, body, isCancelled } = open()
      let over = 0
      const reader = ReadBody.make(body, () => over++).getReader()
      for (let count = 0; count < 10; count++) {
        add()
        yield* turn
      }
      assert.isFalse(isCancelled())
      for (let count = 0; count < 10; count++) {
        add()
        yield* turn
      }
      assert.isTrue(isCancelled())
      assert.strictEqual(over, 1)
      const failed = yield* Effect.promise(() => reader.read().then(() => "read", () => "failed"))
      assert.strictEqual(failed, "failed")
    }))

  it.effect("is given up with its reader", () =>
    Effect.gen(function*() {
      const { body, isCancelled } = open()
      let over = 0
      yield* Effect.promise(() => ReadBody.make(body, () => over++).cancel())
      assert.isTrue(isCancelled())
      assert.strictEqual(over, 1)
    }))
})
