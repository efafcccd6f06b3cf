import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Scheduler from "effect/Scheduler"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import type { McpErrorReason } from "../../../mcp-client/src/errors/McpError.ts"
import * as CallLimits from "../../src/calls/CallLimits.ts"

/** Limits with the calls that run, each of which waits until its limits, or the test, end it. */
const make = Effect.gen(function*() {
  const limits = CallLimits.make(yield* Clock.Clock, yield* FiberSet.makeRuntime<never, void, never>())
  const signs: Array<CallLimits.Signs> = []
  let open = 0
  const call = (idle: number, total = 600_000, isStarted = true) =>
    limits.within(
      { what: "echo", idle: Duration.millis(idle), total: Duration.millis(total), spent: limits.begin() },
      (given) =>
        Effect.callback<never, McpErrorReason>((resume) => {
          open += 1
          signs.push(given)
          if (isStarted) given.started((reason) => resume(Effect.fail(reason)))
          return Effect.sync(() => void (open -= 1))
        })
    )
  /** How long a call took, and by which limit it ended. */
  const timed = (idle: number, total?: number) =>
    Effect.suspend(() => {
      const begun = limits.begin()
      return Effect.map(Effect.flip(call(idle, total)), (reason) => [
        limits.taken(begun),
        reason._tag === "CallTimeout" ? reason.limit : reason._tag
      ])
    })
  return { call, limits, open: () => open, signs, timed }
})

const passing = <A, E>(
  millis: number,
  effect: Effect.Effect<A, E>
): Effect.Effect<Fiber.Fiber<A, E>, never, Scope.Scope> =>
  Effect.andThen(TestClock.adjust(millis), Effect.forkScoped(effect, { startImmediately: true }))

describe("CallLimits", () => {
  it.effect("ends each of many calls at its own millisecond, whichever came first (R18, R25, R26)", () =>
    Effect.gen(function*() {
      const { timed } = yield* make
      const idles = Array.from({ length: 200 }, (_, at) => 1 + (at * 7919) % 3000)
      const fibers = yield* Effect.forEach(idles, (idle, at) => passing(at % 3, timed(idle, at % 5 === 0 ? 700 : 5000)))
      for (let second = 0; second < 5; second++) yield* TestClock.adjust("1 second")
      const ended = yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(
        ended,
        idles.map((idle, at) => at % 5 === 0 && idle > 700 ? [700, "maxTotalTimeout"] : [idle, "timeout"])
      )
    }))

  it.effect("goes by signs of life and rests of each call alone (R25)", () =>
    Effect.gen(function*() {
      const { signs, timed } = yield* make
      const quiet = yield* passing(0, timed(1000))
      const lively = yield* passing(0, timed(1000))
      const asking = yield* passing(0, timed(1000))
      yield* TestClock.adjust(900)
      signs[1]?.life()
      signs[2]?.asked(1)
      yield* TestClock.adjust(5000)
      signs[2]?.asked(0)
      yield* TestClock.adjust(5000)
      assert.deepStrictEqual(yield* Fiber.joinAll([quiet, lively, asking]), [
        [1000, "timeout"],
        [1900, "timeout"],
        [6900, "timeout"]
      ])
    }))

  it.effect("ends a call that is on its way only after it was due as soon as it is", () =>
    Effect.gen(function*() {
      const { call, signs } = yield* make
      const late = yield* passing(0, Effect.flip(call(100, 600_000, false)))
      yield* TestClock.adjust(5000)
      const ends: Array<string> = []
      signs[0]?.started(({ _tag }) => ends.push(_tag))
      assert.deepStrictEqual(ends, ["CallTimeout"])
      yield* Fiber.interrupt(late)
    }))

  it.effect("leaves nothing of a call that was interrupted at any step, and still ends the next in time", () =>
    Effect.gen(function*() {
      const { call, open, timed } = yield* make
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          const fiber = yield* Effect.forkChild(Effect.provideService(call(50), Scheduler.MaxOpsBeforeYield, budget))
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          assert.strictEqual(open(), 0, `with ${budget}, after ${steps} steps`)
        }
      }
      const next = yield* passing(0, timed(40))
      yield* TestClock.adjust(40)
      assert.deepStrictEqual(yield* Fiber.join(next), [40, "timeout"])
    }))

  it.effect("takes no less than no time when the clock is set back", () =>
    Effect.gen(function*() {
      const { limits } = yield* make
      yield* TestClock.adjust("1 hour")
      const begun = limits.begin()
      yield* TestClock.setTime(1000)
      assert.strictEqual(limits.taken(begun), 0)
    }))

  it.effect("keeps no fiber half a second after the last call ended", () =>
    Effect.gen(function*() {
      const fibers = yield* FiberSet.make<void, never>()
      const limits = CallLimits.make(yield* Clock.Clock, yield* FiberSet.runtime(fibers)())
      const spent = limits.begin()
      const minutes = { what: "echo", idle: Duration.minutes(1), total: Duration.minutes(1), spent }
      yield* limits.within(minutes, () => Effect.void)
      assert.strictEqual(yield* FiberSet.size(fibers), 1)
      yield* TestClock.adjust(500)
      assert.strictEqual(yield* FiberSet.size(fibers), 0)
    }))
})
