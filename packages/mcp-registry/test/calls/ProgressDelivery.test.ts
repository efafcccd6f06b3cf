import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import { TestClock } from "effect/testing"
import * as ProgressDelivery from "../../src/calls/ProgressDelivery.ts"

const news = (progress: number) => ({ progress, total: null, message: null })

describe("ProgressTeller", () => {
  it.effect("tells all in order before the answer, however it is spread (R25)", () =>
    Effect.gen(function*() {
      const fork = yield* FiberSet.makeRuntime<never, void, never>()
      const told: Array<number> = []
      const slowly = ({ progress }: { readonly progress: number }) =>
        Effect.andThen(Effect.sleep(10), Effect.sync(() => void told.push(progress)))
      const call = ProgressDelivery.during(fork, slowly, (tell) =>
        Effect.gen(function*() {
          tell(news(1))
          tell(news(2))
          yield* Effect.sleep(50)
          assert.deepStrictEqual(told, [1, 2])
          tell(news(3))
          return "answer"
        }))
      const fiber = yield* Effect.forkChild(call)
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* Fiber.join(fiber), "answer")
      assert.deepStrictEqual(told, [1, 2, 3])
    }))

  it.effect("replaces the oldest beyond 256, and gives up a listener that takes more than a second at the end", () =>
    Effect.gen(function*() {
      const fork = yield* FiberSet.makeRuntime<never, void, never>()
      const told: Array<number> = []
      let isStopped = false
      const stuck = ({ progress }: { readonly progress: number }) => {
        told.push(progress)
        return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (isStopped = true)))
      }
      const fiber = yield* Effect.forkChild(ProgressDelivery.during(fork, stuck, (tell) =>
        Effect.sync(() => {
          for (let progress = 1; progress <= 300; progress++) tell(news(progress))
        })))
      yield* TestClock.adjust(999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(told, [45])
      assert.isTrue(isStopped)
    }))
})
