import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { Logins } from "../../src/services/Logins.ts"
import { registry } from "../support/Scripted.ts"

const wish = {
  server: "files",
  person: "ann",
  redirectUri: "http://127.0.0.1:1/oauth/callback",
  by: "server"
} as const

describe("Logins", () => {
  it.effect("end after 10 minutes without an answer, and are forgotten once they have been over for a while", () =>
    Effect.gen(function*() {
      const logins = yield* Logins
      const { expiresAt, id } = yield* logins.begin(wish)
      assert.strictEqual(expiresAt, "1970-01-01T00:10:00.000Z")
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* logins.find("ann", id)).state, "waiting")
      assert.strictEqual((yield* Effect.flip(logins.find("bob", id)))._tag, "UnknownLogin")
      yield* TestClock.adjust("1 minute")
      const { message, state, url } = yield* logins.find("ann", id)
      assert.deepStrictEqual([state, url], ["failed", null])
      assert.match(message ?? "", /nobody came back within 10m/)
      yield* logins.begin(wish)
      assert.strictEqual((yield* Effect.flip(logins.find("ann", id)))._tag, "UnknownLogin")
    }).pipe(Effect.provide(Layer.provide(Logins.layer, registry()))))

  it.effect("are 30 at most, whatever is begun", () =>
    Effect.gen(function*() {
      const logins = yield* Logins
      const begun = yield* Effect.forEach(Array.from({ length: 40 }), () => logins.begin(wish))
      const found = yield* Effect.forEach(begun, ({ id }) => Effect.option(logins.find("ann", id)))
      const known = found.flatMap((one) => one._tag === "Some" ? [one.value.state] : [])
      assert.strictEqual(known.length, 30)
      assert.strictEqual(known.filter((state) => state === "waiting").length, 3)
    }).pipe(Effect.provide(Layer.provide(Logins.layer, registry()))))
})
