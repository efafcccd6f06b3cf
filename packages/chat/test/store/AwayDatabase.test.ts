import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import * as AwayDatabase from "../../src/store/AwayDatabase.ts"

const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("Failed to connect") }) })
const told = (code: string) =>
  new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error(), { code }) }) })

describe("A database that is away", () => {
  it.effect("is asked again until it is there", () =>
    Effect.gen(function*() {
      const errors = [lost, told("57P01"), told("57P03"), told("53300")]
      const asking = yield* Effect.forkChild(AwayDatabase.patiently(Effect.suspend(() => {
        const error = errors.shift()
        return error === undefined ? Effect.succeed("there") : Effect.fail(error)
      })))
      yield* TestClock.adjust("600 millis")
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("200 millis")
      assert.strictEqual(yield* Fiber.join(asking), "there")
    }))

  it.effect("is not asked again for what it refused, nor for what is no error of it", () =>
    Effect.gen(function*() {
      for (const error of [told("23505"), told("42P01"), new Error("another one")]) {
        let asked = 0
        const asking = Effect.suspend(() => {
          asked++
          return Effect.fail(error)
        })
        assert.strictEqual(yield* Effect.flip(AwayDatabase.patiently(asking)), error)
        assert.strictEqual(asked, 1)
      }
    }))
})
