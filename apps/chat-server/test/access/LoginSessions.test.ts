import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import { TestClock } from "effect/testing"
import * as LoginSessions from "../../src/access/LoginSessions.ts"
import * as Standing from "../support/Standing.ts"

const TOKEN = "a-token-that-nobody-guesses"

describe("LoginSessions", () => {
  const sessions = (disk: Map<string, string>) =>
    Effect.provide(LoginSessions.make("/s/sessions.json", Redacted.make(TOKEN)), [Standing.files(disk), Path.layer])

  it.effect("end after 30 days, and the oldest of more than 200", () =>
    Effect.gen(function*() {
      const { begin, isKnown } = yield* sessions(new Map())
      const id = Redacted.value(yield* begin)
      yield* TestClock.adjust("29 days")
      assert.isTrue(yield* isKnown(id))
      yield* TestClock.adjust("2 days")
      assert.isFalse(yield* isKnown(id))
      const ids = yield* Effect.forEach(Array.from({ length: 201 }), () => Effect.map(begin, Redacted.value))
      assert.isFalse(yield* isKnown(ids[0] ?? ""))
      assert.isTrue(yield* isKnown(ids[1] ?? ""))
      assert.isTrue(yield* isKnown(ids[200] ?? ""))
    }))

  it.effect("are all kept when many log in at once", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const { begin } = yield* sessions(disk)
      const ids = yield* Effect.all(Array.from({ length: 20 }, () => begin), { concurrency: "unbounded" })
      assert.deepStrictEqual([...disk.keys()], ["/s/sessions.json"])
      const { isKnown } = yield* sessions(disk)
      for (const id of ids) assert.isTrue(yield* isKnown(Redacted.value(id)))
    }))

  it.effect("begin anew where the file of them cannot be read", () =>
    Effect.gen(function*() {
      const disk = new Map([["/s/sessions.json", "{ oops"]])
      const { begin, isKnown } = yield* sessions(disk)
      assert.isTrue(yield* isKnown(Redacted.value(yield* begin)))
      assert.isFalse(yield* isKnown(""))
    }))
})
