import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Outbox from "../src/transport/Outbox.ts"

const LIMIT = 1000
const message = (id: number) => ({ jsonrpc: "2.0", id, method: "m" })
const text = (...ids: ReadonlyArray<number>) => ids.map((id) => `${JSON.stringify(message(id))}\n`).join("")

/** An outbox whose bytes are taken by hand, one chunk at a time. */
const opened = Effect.gen(function*() {
  const outbox = yield* Outbox.make(LIMIT)
  const pull = yield* Stream.toPull(outbox.stream)
  const chunk = Effect.map(pull, (chunks) => chunks.map((bytes) => new TextDecoder().decode(bytes)))
  const send = (id: number) => Effect.forkChild(outbox.send(message(id)), { startImmediately: true })
  return { chunk, outbox, send }
})

const isSettled = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

const lost = (fiber: Fiber.Fiber<unknown, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.flip(Fiber.join(fiber)), ({ _tag, message }) => ({ _tag, message }))

const gone = (why: string) => ({ _tag: "ConnectionLost", message: `the connection was lost: ${why}` })

describe("Outbox", () => {
  it.effect("writes each message as one line", () =>
    Effect.gen(function*() {
      const { chunk, outbox } = yield* opened
      yield* Effect.forkChild(outbox.send({ jsonrpc: "2.0", method: "é\n😀" }), { startImmediately: true })
      assert.deepStrictEqual(yield* chunk, ["{\"jsonrpc\":\"2.0\",\"method\":\"é\\n😀\"}\n"])
    }))

  it.effect("writes what waits as one chunk, in order", () =>
    Effect.gen(function*() {
      const { chunk, send } = yield* opened
      for (const id of [1, 2, 3]) yield* send(id)
      assert.deepStrictEqual(yield* chunk, [text(1, 2, 3)])
      yield* send(4)
      assert.deepStrictEqual(yield* chunk, [text(4)])
    }))

  it.effect("settles a send only when the reader asks for more after its bytes", () =>
    Effect.gen(function*() {
      const { chunk, send } = yield* opened
      const first = yield* send(1)
      yield* Effect.yieldNow
      assert.isFalse(isSettled(first))
      yield* chunk
      yield* Effect.yieldNow
      assert.isFalse(isSettled(first))
      const second = yield* send(2)
      yield* chunk
      assert.deepStrictEqual(yield* Fiber.await(first), Exit.void)
      assert.isFalse(isSettled(second))
    }))

  it.effect("does not wait for another message to settle the last one", () =>
    Effect.gen(function*() {
      const { chunk, send } = yield* opened
      const only = yield* send(1)
      yield* chunk
      const reader = yield* Effect.forkChild(chunk, { startImmediately: true })
      assert.deepStrictEqual(yield* Fiber.await(only), Exit.void)
      assert.isFalse(isSettled(reader))
    }))

  it.effect("wakes a reader that waits", () =>
    Effect.gen(function*() {
      const { chunk, send } = yield* opened
      const reader = yield* Effect.forkChild(chunk, { startImmediately: true })
      yield* send(1)
      assert.deepStrictEqual(yield* Fiber.join(reader), [text(1)])
    }))

  it.effect("fails every send when it closes, those in the reader's hands too, and all later ones (R6)", () =>
    Effect.gen(function*() {
      const { chunk, outbox, send } = yield* opened
      const written = yield* send(1)
      yield* chunk
      const waiting = yield* send(2)
      yield* outbox.close("the process has ended")
      yield* outbox.close("something else")
      const late = yield* send(3)
      for (const fiber of [written, waiting, late]) {
        assert.deepStrictEqual(yield* lost(fiber), gone("the process has ended"))
      }
    }))

  it.effect("leaves settled sends settled when it closes", () =>
    Effect.gen(function*() {
      const { chunk, outbox, send } = yield* opened
      const first = yield* send(1)
      yield* chunk
      yield* send(2)
      yield* chunk
      yield* outbox.close("later")
      assert.deepStrictEqual(yield* Fiber.await(first), Exit.void)
    }))

  it.effect("lets the stream end after what waits", () =>
    Effect.gen(function*() {
      const { chunk, outbox, send } = yield* opened
      const sent = yield* send(1)
      yield* outbox.end
      assert.deepStrictEqual(yield* chunk, [text(1)])
      assert.isTrue(Cause.isDone(yield* Effect.flip(chunk)))
      assert.deepStrictEqual(yield* Fiber.await(sent), Exit.void)
    }))

  it.effect("fails a send after the end at once", () =>
    Effect.gen(function*() {
      const { outbox, send } = yield* opened
      yield* outbox.end
      const late = yield* send(1)
      assert.isTrue(isSettled(late))
      assert.deepStrictEqual(yield* lost(late), gone("its standard input is closed"))
    }))

  it.effect("still writes a message whose sender was interrupted, and goes on", () =>
    Effect.gen(function*() {
      const { chunk, send } = yield* opened
      const first = yield* send(1)
      yield* Fiber.interrupt(first)
      yield* send(2)
      assert.deepStrictEqual(yield* chunk, [text(1, 2)])
    }))

  it.effect("drops a message that was cancelled before it left, and its cancellation", () =>
    Effect.gen(function*() {
      const { chunk, outbox, send } = yield* opened
      const first = yield* send(1)
      const second = yield* send(2)
      yield* outbox.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      assert.deepStrictEqual(yield* chunk, [text(2)])
      assert.isTrue(isSettled(first))
      assert.isFalse(isSettled(second))
    }))

  it.effect("refuses more than its limit while nobody reads, and says that nothing was sent", () =>
    Effect.gen(function*() {
      const { outbox, send } = yield* opened
      yield* send(1)
      const large = { jsonrpc: "2.0", id: 2, method: "x".repeat(LIMIT) }
      const error = yield* Effect.flip(outbox.send(large))
      assert.match(error.message, /does not read/)
      assert.isTrue(error.unsent)
    }))
})
