import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"
import { Users } from "../../src/users/Users.ts"
import { UserSecrets } from "../../src/users/UserSecrets.ts"

const sqlite = NodeSqlite.layer(":memory:")

const withKey = (key: string) =>
  UserDatabase.layer("memory").pipe(Layer.provide(SecretKey.layerOf(key)), Layer.provideMerge(sqlite))

const valuesOf = (user: string) => UserSecrets.use(({ values }) => Effect.map(values(user), Record.map(Redacted.value)))

describe("What a person gives for entries", () => {
  it.effect("is theirs alone, replaced and taken back by its name, and told to whom it concerns", () =>
    Effect.gen(function*() {
      const secrets = yield* UserSecrets
      const told = yield* Effect.forkChild(Stream.runCollect(Stream.take(secrets.changes, 4)), {
        startImmediately: true
      })
      yield* secrets.set("ann", "TOKEN", Redacted.make("ann's first"))
      yield* secrets.set("ann", "TOKEN", Redacted.make("ann's"))
      yield* secrets.set("bob", "TOKEN", Redacted.make("bob's"))
      assert.deepStrictEqual(yield* valuesOf("ann"), { TOKEN: "ann's" })
      assert.deepStrictEqual((yield* secrets.all("ann")).map(({ name }) => name), ["TOKEN"])
      assert.strictEqual((yield* Effect.flip(secrets.remove("cid", "TOKEN")))._tag, "NotYours")
      yield* secrets.remove("bob", "TOKEN")
      assert.deepStrictEqual(yield* valuesOf("bob"), {})
      assert.deepStrictEqual(yield* valuesOf("ann"), { TOKEN: "ann's" })
      assert.deepStrictEqual(yield* Fiber.join(told), ["ann", "ann", "bob", "bob"])
    }).pipe(Effect.provide(withKey("a key"))))

  it.effect("is sealed: no row has it, it opens for its row alone, and under its key alone", () =>
    Effect.gen(function*() {
      const secrets = yield* UserSecrets
      const sql = yield* SqlClient.SqlClient
      yield* secrets.set("ann", "TOKEN", Redacted.make("a-canary"))
      assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM user_secrets`), "canary")
      yield* sql`INSERT INTO user_secrets SELECT 'bob', name, sealed, updated_at FROM user_secrets`
      assert.deepStrictEqual(yield* valuesOf("bob"), {})
      const [row] = yield* sql<{ sealed: string }>`SELECT sealed FROM user_secrets WHERE user_id = 'ann'`
      const open = (key: string) =>
        SecretKey.use(({ open }) => open(row?.sealed ?? "", JSON.stringify(["ann", "TOKEN"]))).pipe(
          Effect.map((value) => value === null ? null : Redacted.value(value)),
          Effect.provide(SecretKey.layerOf(key))
        )
      assert.strictEqual(yield* open("a key"), "a-canary")
      assert.isNull(yield* open("another key"))
    }).pipe(Effect.provide(withKey("a key"))))

  it.effect("has a name that an entry can have, and a length", () =>
    Effect.gen(function*() {
      const secrets = yield* UserSecrets
      for (const [name, value] of [["a b", "x"], ["", "x"], ["TOKEN", " "], ["TOKEN", "x".repeat(10_001)]] as const) {
        assert.strictEqual((yield* Effect.flip(secrets.set("ann", name, Redacted.make(value))))._tag, "UserRefused")
      }
      assert.deepStrictEqual(yield* secrets.all("ann"), [])
    }).pipe(Effect.provide(withKey("a key"))))

  it.effect("goes with the person", () =>
    Effect.gen(function*() {
      const users = yield* Users
      yield* users.add({ name: "Ann", role: "admin", groups: [] })
      const { user: bob } = yield* users.add({ name: "Bob", role: "member", groups: [] })
      yield* UserSecrets.use(({ set }) => set(bob.id, "TOKEN", Redacted.make("bob's")))
      yield* users.remove("Bob")
      assert.deepStrictEqual(yield* UserSecrets.use(({ all }) => all(bob.id)), [])
    }).pipe(Effect.provide(withKey("a key"))))
})
