import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as AskingCalls from "../../src/asks/AskingCalls.ts"
import { nobody } from "../../src/index.ts"

describe("AskingCalls", () => {
  it.effect("knows nothing any more of a call that was interrupted at any step", () =>
    Effect.gen(function*() {
      const calls = new AskingCalls.AskingCalls(nobody, yield* Clock.Clock)
      const call = calls.during({}, () => Effect.never)
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          const fiber = yield* Effect.forkChild(Effect.provideService(call, Scheduler.MaxOpsBeforeYield, budget))
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          assert.lengthOf(calls.addressee("unknown").calls, 0, `with ${budget}, after ${steps} steps`)
        }
      }
    }))
})
