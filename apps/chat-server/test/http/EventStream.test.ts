import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as EventStream from "../../src/http/EventStream.ts"

const bytes = (documents: Stream.Stream<unknown>) => Stream.decodeText(EventStream.body(documents))

describe("EventStream", () => {
  it.effect("writes one document a data line, whatever is in it", () =>
    Effect.gen(function*() {
      const written = yield* Stream.mkString(bytes(Stream.make({ text: "a\n\ndata: b\r" })))
      assert.strictEqual(written, ": hello\n\ndata: {\"text\":\"a\\n\\ndata: b\\r\"}\n\n")
    }))

  it.effect("sends a comment every 15 seconds of silence", () =>
    Effect.gen(function*() {
      const seen = yield* Ref.make("")
      const reader = yield* Effect.forkChild(
        Stream.runForEach(bytes(Stream.never), (text) => Ref.update(seen, (before) => before + text)),
        { startImmediately: true }
      )
      yield* TestClock.adjust("14 seconds")
      const early = yield* Ref.get(seen)
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual((yield* Ref.get(seen)).slice(early.length), ": still here\n\n".repeat(2))
      yield* Fiber.interrupt(reader)
    }))

  it.effect("writes documents one at a time, so that hundreds of long ones do not hold up everybody", () =>
    Effect.gen(function*() {
      let written = 0
      const documents = Array.from({ length: 200 }, () => ({ toJSON: () => ++written }))
      yield* Stream.runDrain(Stream.take(bytes(Stream.fromIterable(documents)), 3))
      assert.isBelow(written, 40)
      let turns = 0
      const others = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Effect.sync(() => turns++), Effect.yieldNow)),
        { startImmediately: true }
      )
      yield* Stream.runDrain(bytes(Stream.fromIterable(documents)))
      yield* Fiber.interrupt(others)
      assert.isAtLeast(turns, 200)
    }))

  it.effect("lets go of its source when the client goes away", () =>
    Effect.gen(function*() {
      const released = yield* Ref.make(false)
      const source = Stream.concat(Stream.make(1), Stream.never).pipe(Stream.ensuring(Ref.set(released, true)))
      yield* Stream.runDrain(Stream.take(bytes(source), 2))
      assert.isTrue(yield* Ref.get(released))
    }))

  it.effect("gives a long document in pieces, whole in the end, and reads no other before", () =>
    Effect.gen(function*() {
      const [long, pulled] = ["\u{1f600}x".repeat(100_000), yield* Ref.make(0)]
      const documents = Stream.tap(Stream.make(long, long, long), () => Ref.update(pulled, (count) => count + 1))
      const first = yield* Stream.runCollect(Stream.take(bytes(documents), 3))
      assert.isBelow(Math.max(...first.map(({ length }) => length)), 70_000)
      assert.isBelow(yield* Ref.get(pulled), 3)
      assert.strictEqual(
        yield* Stream.mkString(bytes(Stream.make(long))),
        `: hello\n\ndata: ${JSON.stringify(long)}\n\n`
      )
    }))

  it.effect("writes a document once, however many read it", () =>
    Effect.gen(function*() {
      let written = 0
      const document = { toJSON: () => ++written }
      yield* Stream.runDrain(bytes(Stream.make(document)))
      yield* Stream.runDrain(bytes(Stream.make(document)))
      assert.strictEqual(written, 1)
    }))
})
