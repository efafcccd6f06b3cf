import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PasswordHash from "../../src/users/PasswordHash.ts"

const RIGHT = Redacted.make("correct horse battery")

describe("PasswordHash", () => {
  it.effect("takes 32 MB and three rounds, says so beside the hash, and is checked by what stands there", () =>
    Effect.gen(function*() {
      const { of } = yield* PasswordHash.make
      const hash = yield* of(RIGHT)
      assert.match(hash, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
      const later = yield* Effect.provideService(PasswordHash.make, PasswordHash.Cost, { N: 16, r: 8, p: 1 })
      assert.isTrue(yield* later.isRight(RIGHT, hash))
      assert.isFalse(yield* later.isRight(Redacted.make("wrong horse battery"), hash))
      assert.isFalse(yield* later.isRight(RIGHT, null))
    }))
})
