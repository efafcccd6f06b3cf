import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as IdleEnd from "../../src/services/IdleEnd.ts"

describe("a server that ends when nobody uses it", () => {
  it.effect("ends after its limit, counted from its start and from the end of its last request", () =>
    Effect.gen(function*() {
      const idle = yield* IdleEnd.make(Duration.seconds(60))
      const ending = yield* Effect.forkChild(idle.ended)
      const isOver = () => ending.pollUnsafe() !== undefined
      yield* TestClock.adjust("59 seconds")
      const request = yield* Scope.make()
      yield* Scope.provide(idle.hold, request)
      yield* TestClock.adjust("10 minutes")
      assert.isFalse(isOver())
      yield* Scope.close(request, Exit.void)
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(isOver())
      yield* TestClock.adjust("1 minute")
      assert.isTrue(isOver())
    }))

  it.effect("ends at once when it is told to, whatever is open", () =>
    Effect.gen(function*() {
      const idle = yield* IdleEnd.make(Duration.seconds(60))
      const ending = yield* Effect.forkChild(idle.ended)
      yield* idle.hold
      yield* idle.end
      yield* TestClock.adjust("1 second")
      assert.isDefined(ending.pollUnsafe())
    }))
})
