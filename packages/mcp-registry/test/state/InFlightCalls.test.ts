import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { InFlightCalls } from "../../src/state/InFlightCalls.ts"

describe("Calls on their way", () => {
  it.effect("are counted down again at whatever step a call is interrupted", () =>
    Effect.gen(function*() {
      const flights = new InFlightCalls(yield* Clock.Clock)
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          const call = yield* Effect.forkChild(
            // Gives way after so few steps, as a busy fiber does after many.
            Effect.provideService(flights.during(Effect.never), Scheduler.MaxOpsBeforeYield, budget)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(call)
          assert.strictEqual(flights.count(), 0, `with ${budget}, after ${steps} steps`)
        }
      }
      yield* flights.none
    }))

  it.effect("are not waited for as calls are, where they only keep the server awake", () =>
    Effect.gen(function*() {
      const flights = new InFlightCalls(yield* Clock.Clock)
      const stay = yield* Effect.forkChild(flights.attended(Effect.never), { startImmediately: true })
      yield* flights.none
      const idle = yield* Effect.forkChild(flights.idle, { startImmediately: true })
      const call = yield* Effect.forkChild(flights.during(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(stay)
      yield* Effect.yieldNow
      assert.strictEqual(flights.count(), 1)
      assert.isUndefined(idle.pollUnsafe())
      yield* Fiber.interrupt(call)
      yield* Fiber.join(idle)
    }))
})
