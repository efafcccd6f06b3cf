import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryStorage from "../../../../packages/mcp-client/test/support/MemoryStorage.ts"
import * as SharedConnectors from "../../src/connectors/SharedConnectors.ts"
import * as Standing from "../support/Standing.ts"

const TOKEN = "a-token-of-some-length"

/** The store as a node of a fleet has it. */
const node = ({ layer }: ReturnType<typeof MemoryStorage.make>, token = TOKEN) =>
  Effect.provide(SharedConnectors.make("/s/connectors.json", Redacted.make(token)), [
    layer,
    Standing.files(new Map()),
    Path.layer
  ])

describe("SharedConnectors", () => {
  it.effect("lets a sign-in that began at one node go on at another, which sees each code used", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const [one, other] = yield* Effect.all([node(storage), node(storage)])
      yield* one.upsert("AuthorizationCode", "the-code", { jti: "the-code", grantId: "g", uid: "u" }, 60)
      assert.strictEqual((yield* other.find("AuthorizationCode", "the-code"))?.grantId, "g")
      assert.strictEqual((yield* other.findByUid("AuthorizationCode", "u"))?.grantId, "g")
      yield* other.consume("AuthorizationCode", "the-code")
      assert.isNumber((yield* one.find("AuthorizationCode", "the-code"))?.["consumed"])
      yield* TestClock.adjust("61 seconds")
      assert.isUndefined(yield* other.find("AuthorizationCode", "the-code"))
    }))

  it.effect("ends everywhere what a yes gave, and shows no token to a reader of the storage", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const [one, other] = yield* Effect.all([node(storage), node(storage)])
      yield* one.upsert("AccessToken", "the-token", { jti: "the-token", grantId: "g" }, 3600)
      yield* one.upsert("AccessToken", "kept", { jti: "kept", grantId: "h" }, 3600)
      assert.notInclude(JSON.stringify([...storage.kept]), "the-token")
      assert.strictEqual((yield* other.find("AccessToken", "the-token"))?.jti, "the-token")
      assert.isUndefined(yield* (yield* node(storage, "another-token-of-length")).find("AccessToken", "the-token"))
      yield* other.revokeByGrantId("g")
      assert.isUndefined(yield* one.find("AccessToken", "the-token"))
      assert.lengthOf(yield* one.all("AccessToken"), 1)
      yield* other.destroy("AccessToken", "kept")
      assert.isUndefined(yield* one.find("AccessToken", "kept"))
    }))

  it.effect("forgets in time what ran out, and the oldest of more than 1,000 that are on their way", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const store = yield* node(storage)
      yield* store.upsert("AccessToken", "over", { jti: "over" }, 1)
      yield* TestClock.adjust("2 seconds")
      for (let at = 0; at < 1100; at++) yield* store.upsert("Interaction", `${at}`, { jti: `${at}` }, 600)
      assert.isBelow(storage.kept.size, 1060)
      assert.isUndefined(yield* store.find("Interaction", "0"))
      assert.isDefined(yield* store.find("Interaction", "1099"))
      assert.isFalse([...storage.kept.keys()].some((name) => name.includes("/AccessToken/")))
    }))

  it.effect("has a connector sign in anew while the storage is away", () =>
    Effect.gen(function*() {
      const storage = MemoryStorage.make("/s")
      const store = yield* node(storage)
      yield* store.upsert("Client", "claude", { client_id: "claude" }, null)
      storage.state.isAway = true
      assert.isUndefined(yield* store.find("Client", "claude"))
      storage.state.isAway = false
      assert.isDefined(yield* store.find("Client", "claude"))
    }))
})
