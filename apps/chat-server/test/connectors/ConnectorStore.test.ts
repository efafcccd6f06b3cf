import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import * as ConnectorStore from "../../src/connectors/ConnectorStore.ts"
import * as Standing from "../support/Standing.ts"

const FILE = "/s/connectors.json"
const TOKEN = "a-token-of-some-length"

/** A store as one run of the program has it. */
const opened = (disk: Map<string, string>, token = TOKEN) =>
  Effect.provide(
    ConnectorStore.make(FILE, Redacted.make(token)),
    Layer.merge(Standing.files(disk), Path.layer)
  )

describe("ConnectorStore", () => {
  it.effect("keeps clients, grants and tokens for the next run, so that nobody reads them in its file", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const store = yield* opened(disk)
      yield* store.upsert("Client", "claude", { client_id: "claude", client_secret: "a-secret" }, null)
      yield* store.upsert("RefreshToken", "the-token", { jti: "the-token", clientId: "claude", grantId: "g" }, 60)
      yield* store.upsert("Interaction", "passing", { jti: "passing", uid: "u" }, 60)
      const text = disk.get(FILE) ?? ""
      for (const secret of ["claude", "a-secret", "the-token", "passing"]) assert.notInclude(text, secret)
      const next = yield* opened(disk)
      assert.deepStrictEqual(yield* next.find("Client", "claude"), { client_id: "claude", client_secret: "a-secret" })
      assert.deepStrictEqual(yield* next.find("RefreshToken", "the-token"), {
        jti: "the-token",
        clientId: "claude",
        grantId: "g"
      })
      assert.isUndefined(yield* next.find("AccessToken", "the-token"))
      assert.isUndefined(yield* next.find("Interaction", "passing"))
      assert.strictEqual((yield* store.findByUid("Interaction", "u"))?.["jti"], "passing")
    }))

  it.effect("begins anew under another token of the server, and with a file that is damaged", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      yield* (yield* opened(disk)).upsert("Client", "claude", { client_id: "claude" }, null)
      assert.isUndefined(yield* (yield* opened(disk, "another-token-of-length")).find("Client", "claude"))
      disk.set(FILE, "{")
      const store = yield* opened(disk)
      assert.isUndefined(yield* store.find("Client", "claude"))
      yield* store.upsert("Client", "other", { client_id: "other" }, null)
      assert.isDefined(yield* (yield* opened(disk)).find("Client", "other"))
    }))

  it.effect("forgets what has run out, what was destroyed, and what a revoked yes gave", () =>
    Effect.gen(function*() {
      const store = yield* opened(new Map())
      const token = (id: string, grantId: string) => store.upsert("AccessToken", id, { jti: id, grantId }, 3600)
      yield* token("one", "g")
      yield* token("two", "g")
      yield* token("three", "h")
      yield* store.upsert("AuthorizationCode", "code", { jti: "code", grantId: "g" }, 60)
      yield* store.consume("AuthorizationCode", "code")
      assert.strictEqual((yield* store.find("AuthorizationCode", "code"))?.["consumed"], 0)
      yield* store.destroy("AccessToken", "one")
      assert.isUndefined(yield* store.find("AccessToken", "one"))
      assert.isDefined(yield* store.find("AccessToken", "two"))
      yield* store.revokeByGrantId("g")
      assert.isUndefined(yield* store.find("AccessToken", "two"))
      assert.isUndefined(yield* store.find("AuthorizationCode", "code"))
      yield* TestClock.adjust("3599 seconds")
      assert.isDefined(yield* store.find("AccessToken", "three"))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* store.find("AccessToken", "three"))
    }))

  it.effect("keeps 200 clients that nobody has said yes to, and each that somebody has", () =>
    Effect.gen(function*() {
      const store = yield* opened(new Map())
      const client = (id: string) => store.upsert("Client", id, { client_id: id }, null)
      yield* client("used")
      yield* store.upsert("Grant", "g", { jti: "g", clientId: "used" }, null)
      yield* Effect.forEach(Array.from({ length: 201 }, (_, at) => `flood ${at}`), client)
      assert.isDefined(yield* store.find("Client", "used"))
      assert.isUndefined(yield* store.find("Client", "flood 0"))
      assert.isDefined(yield* store.find("Client", "flood 1"))
    }))
})
