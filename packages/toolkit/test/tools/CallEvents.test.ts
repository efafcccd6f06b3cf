import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as Stream from "effect/Stream"
import * as CallEvents from "../../src/tools/CallEvents.ts"

describe("LastAndBefore", () => {
  it.effect("gives what is told in order, and the last as soon as it is there", () =>
    Effect.gen(function*() {
      const open = yield* Deferred.make<void>()
      const seen: Array<number> = []
      const stream = CallEvents.lastAndBefore<number>((_, tell) =>
        Effect.gen(function*() {
          tell(1)
          yield* Effect.yieldNow
          tell(2)
          yield* Deferred.await(open)
          tell(3)
          return 4
        })
      )
      const reader = yield* Effect.forkChild(Stream.runForEach(stream, (item) => Effect.sync(() => seen.push(item))))
      for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
      assert.deepStrictEqual(seen, [1, 2])
      yield* Deferred.succeed(open, undefined)
      yield* Fiber.join(reader)
      assert.deepStrictEqual(seen, [1, 2, 3, 4])
    }))

  it.effect("keeps the 16 that were told last for a slow reader, and the last of all in any case", () =>
    Effect.gen(function*() {
      const stream = CallEvents.lastAndBefore<number>((_, tell) =>
        Effect.sync(() => {
          for (let item = 1; item <= 40; item++) tell(item)
          return 41
        })
      )
      assert.deepStrictEqual(yield* Stream.runCollect(stream), Array.from({ length: 17 }, (_, at) => 25 + at))
    }))

  it.effect("runs once for each reading, and not before", () =>
    Effect.gen(function*() {
      let runs = 0
      const stream = CallEvents.lastAndBefore(() => Effect.sync(() => ++runs))
      assert.strictEqual(runs, 0)
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [1])
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [2])
    }))

  it.effect("runs what tells nothing in the fiber of its reader, once for each reading, and not before", () =>
    Effect.gen(function*() {
      let runs = 0
      const stream = CallEvents.lastOnly(() => Effect.map(Effect.fiberId, (id) => [++runs, id]))
      assert.strictEqual(runs, 0)
      const here = yield* Effect.fiberId
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [[1, here]])
      assert.deepStrictEqual(yield* Stream.runCollect(stream), [[2, here]])
      const exit = yield* Effect.exit(Stream.runDrain(CallEvents.lastOnly(() => Effect.die("broken"))))
      assert.match(JSON.stringify(exit), /broken/)
    }))

  it.effect("ends with the last, whatever is told after it while its reader takes its time", () =>
    Effect.gen(function*() {
      let later = (_: number) => {}
      const stream = CallEvents.lastAndBefore<number>((_, tell) => {
        later = tell
        return Effect.succeed(2)
      })
      const slow = Stream.tap(stream, () => Effect.sync(() => later(1)))
      assert.deepStrictEqual(yield* Stream.runCollect(slow), [2])
    }))

  it.effect("dies as its effect does", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(Stream.runDrain(CallEvents.lastAndBefore(() => Effect.die("broken"))))
      assert.match(JSON.stringify(exit), /broken/)
    }))

  it.effect("leaves nothing running when its reader stops, is interrupted at any step, or goes on elsewhere", () =>
    Effect.gen(function*() {
      let running = 0
      const stream = CallEvents.lastAndBefore<number>((_, tell) =>
        Effect.acquireUseRelease(
          Effect.sync(() => running++),
          () => Effect.andThen(Effect.sync(() => tell(1)), Effect.never),
          () => Effect.sync(() => running--)
        )
      )
      yield* Stream.runDrain(Stream.take(stream, 1))
      assert.strictEqual(running, 0)
      for (const budget of [2, 3, 5]) {
        for (let steps = 0; steps < 15; steps++) {
          const reader = yield* Effect.forkChild(
            Effect.provideService(Stream.runDrain(stream), Scheduler.MaxOpsBeforeYield, budget)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(reader)
          assert.strictEqual(running, 0, `with ${budget}, after ${steps} steps`)
        }
      }
    }))
})
