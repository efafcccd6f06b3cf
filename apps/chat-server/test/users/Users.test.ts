import { FIRST } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"
import { Users } from "../../src/users/Users.ts"
import { UserSessions } from "../../src/users/UserSessions.ts"
import { UserTokens } from "../../src/users/UserTokens.ts"
import { cheap } from "../support/People.ts"

const database = UserDatabase.layer("memory").pipe(
  Layer.provide([SecretKey.layerOf("the key of a test"), cheap]),
  Layer.provideMerge(NodeSqlite.layer(":memory:"))
)

const password = (text: string) => Redacted.make(text)
const member = (name: string) => ({ name, role: "member" as const, groups: [] })

describe("Users", () => {
  it.effect("the first person is an admin with the chats that are there, the next one is who they are said to be", () =>
    Effect.gen(function*() {
      const users = yield* Users
      assert.isFalse(yield* users.areThere)
      assert.deepStrictEqual(yield* users.first, FIRST)
      const { user: ann } = yield* users.add(member("Ann"))
      assert.deepStrictEqual(ann, { id: FIRST.id, name: "Ann", role: "admin", groups: [] })
      assert.isTrue(yield* users.areThere)
      const { user: bob } = yield* users.add({ ...member("Bob"), groups: ["ops", "dev", "ops"] })
      assert.notStrictEqual(bob.id, FIRST.id)
      assert.deepStrictEqual([bob.role, bob.groups], ["member", ["dev", "ops"]])
      assert.deepStrictEqual(yield* users.first, ann)
      const same = yield* Effect.flip(users.add(member("ANN")))
      assert.match(same.message, /somebody is called ANN already/)
      assert.match((yield* Effect.flip(users.add(member("<Ann>")))).message, /is no name for a person/)
    }).pipe(Effect.provide(database)))

  it.effect("that nobody is there is believed for 15 s without the database, and somebody is seen when it is back", () =>
    Effect.gen(function*() {
      const [users, sql] = [yield* Users, yield* SqlClient.SqlClient]
      assert.isFalse(yield* users.areThere)
      yield* sql`ALTER TABLE users RENAME TO users_away`
      yield* TestClock.adjust("14 seconds")
      assert.isFalse(yield* users.areThere)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(users.areThere))._tag, "UsersFailed")
      yield* sql`ALTER TABLE users_away RENAME TO users`
      yield* users.add(member("Ann"))
      assert.isTrue(yield* users.areThere)
    }).pipe(Effect.provide(database)))

  it.effect("an invitation sets a password once, within 7 days, and a new one ends the one before", () =>
    Effect.gen(function*() {
      const users = yield* Users
      const { token: old } = yield* users.add(member("Ann"))
      const { token } = yield* users.invite("ann")
      const secret = Redacted.value(token)
      assert.isNull(yield* users.invitation(Redacted.value(old)))
      assert.strictEqual((yield* users.invitation(secret))?.user.name, "Ann")
      assert.isNull(yield* users.signIn("Ann", password("correct horse battery")))
      assert.strictEqual((yield* users.accept(secret, password("correct horse battery"))).name, "Ann")
      assert.strictEqual(
        (yield* Effect.flip(users.accept(secret, password("another password"))))._tag,
        "InvitationEnded"
      )
      assert.strictEqual((yield* users.signIn("aNN", password("correct horse battery")))?.name, "Ann")
      assert.isNull(yield* users.signIn("Ann", password("correct horse batterY")))
      assert.isNull(yield* users.signIn("Nobody", password("correct horse battery")))
      const { token: late } = yield* users.invite("Ann")
      yield* TestClock.adjust("7 days")
      assert.isNull(yield* users.invitation(Redacted.value(late)))
      assert.strictEqual((yield* Effect.flip(users.accept(Redacted.value(late), null)))._tag, "InvitationEnded")
    }).pipe(Effect.provide(database)))

  it.effect("the last admin stays one, and unknown names come with the nearest", () =>
    Effect.gen(function*() {
      const users = yield* Users
      yield* users.add(member("Ann"))
      yield* users.add(member("Bob"))
      assert.match((yield* Effect.flip(users.change("Ann", { role: "member" }))).message, /only admin/)
      assert.match((yield* Effect.flip(users.remove("Ann"))).message, /only admin/)
      const unknown = yield* Effect.flip(users.remove("Bobb"))
      assert.deepStrictEqual(unknown._tag === "UnknownUser" ? unknown.nearest : [], ["Bob"])
      yield* users.change("Bob", { role: "admin" })
      assert.strictEqual((yield* users.remove("Ann")).id, FIRST.id)
      assert.strictEqual((yield* users.first).name, "Bob")
      assert.notStrictEqual((yield* users.add({ ...member("Cleo"), role: "admin" })).user.id, FIRST.id)
    }).pipe(Effect.provide(database)))

  it.effect("a person who is removed leaves no row, and neither a session nor a token of theirs lets anybody in", () =>
    Effect.gen(function*() {
      const [users, sessions, tokens] = [yield* Users, yield* UserSessions, yield* UserTokens]
      const sql = yield* SqlClient.SqlClient
      yield* users.add(member("Ann"))
      const before = yield* rows(sql)
      const { user } = yield* users.add(member("Bob"))
      const session = Redacted.value(yield* sessions.begin(user.id, "a browser"))
      const { secret } = yield* tokens.add(user.id, "laptop", ["chat"])
      assert.strictEqual((yield* sessions.find(session))?.user.name, "Bob")
      assert.deepStrictEqual((yield* tokens.find(Redacted.value(secret)))?.scopes, ["chat"])
      assert.isAbove((yield* rows(sql)).length, before.length + 3)
      yield* users.remove("Bob")
      assert.isNull(yield* sessions.find(session))
      assert.isNull(yield* tokens.find(Redacted.value(secret)))
      assert.deepStrictEqual(yield* rows(sql), before)
    }).pipe(Effect.provide(database)))

  it.effect("a session slides for 30 days, a password ends those before, and the secrets are not in the database", () =>
    Effect.gen(function*() {
      const [users, sessions, tokens] = [yield* Users, yield* UserSessions, yield* UserTokens]
      const { user } = yield* users.add(member("Ann"))
      const secret = Redacted.value(yield* sessions.begin(user.id, "a browser"))
      const other = Redacted.value(yield* sessions.begin(user.id, "another browser"))
      yield* TestClock.adjust("29 days")
      assert.isNotNull(yield* sessions.find(secret))
      yield* TestClock.adjust("29 days")
      assert.isNotNull(yield* sessions.find(secret))
      assert.isNull(yield* sessions.find(other))
      const [left, ...more] = yield* sessions.all(user.id)
      assert.deepStrictEqual([left?.device, more.length], ["a browser", 0])
      const kept = JSON.stringify(yield* rows(yield* SqlClient.SqlClient))
      const { secret: token } = yield* tokens.add(user.id, "laptop", ["chat", "gateway"])
      for (const one of [secret, Redacted.value(token), secret.slice(8)]) assert.notInclude(kept, one)
      yield* tokens.end(`${Redacted.value(token)}x`)
      assert.isNotNull(yield* tokens.find(Redacted.value(token)))
      yield* tokens.end(Redacted.value(token))
      assert.isNull(yield* tokens.find(Redacted.value(token)))
      yield* users.setPassword(user.id, password("a new password"))
      assert.isNull(yield* sessions.find(secret))
      assert.strictEqual((yield* Effect.flip(sessions.end(user.id, left?.id ?? "")))._tag, "NotYours")
    }).pipe(Effect.provide(database)))

  it.effect("a provider's people are known by their subject, keep their name, and change with what it says", () =>
    Effect.gen(function*() {
      const users = yield* Users
      const ann = {
        subject: "https://id.example ann-1",
        name: "ann@example.org",
        role: "admin" as const,
        groups: ["dev"]
      }
      const member = { subject: "https://id.example bob-1", name: "Bob", role: "member" as const, groups: [] }
      const bob = yield* users.identified(member)
      assert.notStrictEqual(bob.id, FIRST.id)
      assert.strictEqual((yield* users.identified(ann)).id, FIRST.id)
      assert.deepStrictEqual((yield* users.identified({ ...member, groups: ["ops"] })).groups, ["ops"])
      assert.strictEqual((yield* users.identified({ ...ann, role: "member" })).role, "admin")
      const stranger = yield* Effect.flip(users.identified({ ...member, subject: "https://evil.example bob-1" }))
      assert.match(stranger.message, /called Bob already/)
    }).pipe(Effect.provide(database)))
})

const TABLES = ["users", "user_sessions", "user_tokens", "user_invitations"]

const rows = (sql: SqlClient.SqlClient) =>
  Effect.map(Effect.forEach(TABLES, (table) => sql`SELECT * FROM ${sql(table)}`), (all) => all.flat())
