import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as BackgroundFibers from "../../src/base/BackgroundFibers.ts"

const Name = Context.Reference<string>("test/Name", { defaultValue: () => "nobody" })

describe("Background", () => {
  it.effect("begins at once, among the services it was made with", () =>
    Effect.gen(function*() {
      const background = yield* Effect.provideService(BackgroundFibers.make, Name, "somebody")
      const names: Array<string> = []
      const fiber = background.run(Effect.map(Name, (name) => void names.push(name)))
      assert.deepStrictEqual(names, ["somebody"])
      yield* Fiber.await(fiber)
    }))

  it.effect("ends what runs, waits until that has ended, and runs nothing more", () =>
    Effect.gen(function*() {
      const background = yield* BackgroundFibers.make
      const told: Array<string> = []
      const tell = (word: string) => Effect.sync(() => void told.push(word))
      const leaving = Effect.andThen(Effect.yieldNow, tell("left"))
      background.run(tell("done"))
      for (let count = 0; count < 3; count++) background.run(Effect.ensuring(Effect.never, leaving))
      yield* background.end
      assert.deepStrictEqual(told, ["done", "left", "left", "left"])
      const late = background.run(tell("late"))
      assert.strictEqual((yield* Fiber.await(late))._tag, "Failure")
      assert.deepStrictEqual(told, ["done", "left", "left", "left"])
    }))
})
