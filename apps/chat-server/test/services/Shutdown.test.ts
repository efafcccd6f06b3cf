import { Chats } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as Shutdown from "../../src/services/Shutdown.ts"
import { services } from "../support/Scripted.ts"

/** Closes a server whose one chat runs until `end` or a stop, and tells whether that is done. */
const closing = Effect.gen(function*() {
  let running: number | null = 1
  const second = yield* Deferred.make<void>()
  const last = yield* Deferred.make<void>()
  const interrupted: Array<number> = []
  const chats = Layer.effect(
    Chats,
    Effect.map(Chats, (scripted) => ({
      ...scripted,
      close: (patience) =>
        Effect.gen(function*() {
          const ended = Effect.repeat(Effect.sync(() => running), {
            until: (turn) => turn === null,
            schedule: Schedule.spaced("50 millis")
          })
          yield* Effect.raceFirst(ended, patience)
          if (running !== null) interrupted.push(running)
          return 1
        })
    }))
  )
  const app = Shutdown.layer.pipe(
    Layer.provide(chats),
    Layer.provide(Layer.succeed(Shutdown.Signals, { first: yield* Deferred.make<void>(), second, last })),
    Layer.provide(services())
  )
  const scope = yield* Scope.make()
  yield* Layer.buildWithScope(app, scope)
  const fiber = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
  return {
    end: () => running = null,
    isDone: () => fiber.pollUnsafe() !== undefined,
    interrupted,
    areStreamsEnded: Deferred.isDone(last),
    second: Deferred.succeed(second, undefined),
    join: Fiber.join(fiber)
  }
})

describe("Shutdown", () => {
  it.effect("waits for a running turn, and no longer than it takes", () =>
    Effect.gen(function*() {
      const close = yield* closing
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(close.isDone())
      close.end()
      yield* TestClock.adjust("150 millis")
      assert.isTrue(close.isDone())
      assert.deepStrictEqual(close.interrupted, [])
    }))

  it.effect("waits at most 2.5 seconds, then interrupts the turn, and ends the streams when its end was read", () =>
    Effect.gen(function*() {
      const close = yield* closing
      yield* TestClock.adjust("2400 millis")
      assert.isFalse(close.isDone())
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(close.interrupted, [1])
      assert.isFalse(yield* close.areStreamsEnded)
      yield* TestClock.adjust("100 millis")
      assert.isTrue(close.isDone())
      assert.isTrue(yield* close.areStreamsEnded)
    }))

  it.effect("stops waiting at the second signal", () =>
    Effect.gen(function*() {
      const close = yield* closing
      yield* TestClock.adjust("1 second")
      yield* close.second
      // The first lets the fiber that waits see the signal.
      yield* TestClock.adjust("1 millis")
      yield* TestClock.adjust("100 millis")
      yield* close.join
      assert.deepStrictEqual(close.interrupted, [1])
    }))
})

describe("Signals", () => {
  it.effect("a signal that came while the program was loading, before they are taken, ends the server all the same", () =>
    Effect.gen(function*() {
      const before = () => {}
      yield* Effect.acquireRelease(
        Effect.sync(() => process.on("SIGHUP", before)),
        () => Effect.sync(() => process.off("SIGHUP", before))
      )
      yield* Effect.scoped(Effect.gen(function*() {
        // The loop hands it out after this step, in which the listeners change.
        process.kill(process.pid, "SIGHUP")
        const signals = Context.get(yield* Layer.build(Shutdown.Signals.layer(Effect.never)), Shutdown.Signals)
        yield* Deferred.await(signals.first)
      }))
      assert.deepStrictEqual(process.listeners("SIGHUP").filter((one) => one === before), [before])
    }))
})
