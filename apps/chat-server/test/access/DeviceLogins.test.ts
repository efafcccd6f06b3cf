import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { DeviceLogins } from "../../src/access/DeviceLogins.ts"
import * as NodeSqlite from "../../src/database/NodeSqlite.ts"
import { SecretKey } from "../../src/users/SecretKey.ts"
import * as UserDatabase from "../../src/users/UserDatabase.ts"
import { Users } from "../../src/users/Users.ts"
import { UserTokens } from "../../src/users/UserTokens.ts"
import { cheap } from "../support/People.ts"

const layer = DeviceLogins.layer.pipe(
  Layer.provideMerge(UserDatabase.layer("memory")),
  Layer.provide([NodeSqlite.layer(":memory:"), SecretKey.layerOf("the key of a test"), cheap])
)

const stage = Effect.gen(function*() {
  const logins = yield* DeviceLogins
  const users = yield* Users
  const person = (name: string) => Effect.map(users.add({ name, role: "member", groups: [] }), ({ user }) => user)
  const [ann, bob] = [yield* person("Ann"), yield* person("Bob")]
  const begin = (peer = "192.0.2.1", scopes: ReadonlyArray<"chat" | "admin"> = ["chat"]) =>
    logins.begin({ device: "laptop\u001b[2J", scopes }, peer)
  const poll = ({ deviceCode }: { readonly deviceCode: Redacted.Redacted<string> }) =>
    Effect.map(logins.poll(Redacted.value(deviceCode)), (outcome) => ({
      status: outcome.status,
      token: outcome.status === "done" ? Redacted.value(outcome.token) : ""
    }))
  const later = (login: Parameters<typeof poll>[0]) => Effect.andThen(TestClock.adjust("6 seconds"), poll(login))
  return { logins, ann, bob, begin, poll, later }
})

describe("A login by a code", () => {
  it.effect("gives a command a token of the person who allows it, once, with no more scopes than they have", () =>
    Effect.gen(function*() {
      const { ann, begin, bob, later, logins } = yield* stage
      const one = yield* begin("192.0.2.1", ["chat", "admin"])
      assert.match(one.userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.deepStrictEqual([one.expiresIn, one.interval], [600, 5])
      assert.strictEqual((yield* later(one)).status, "authorization_pending")
      const typed = one.userCode.toLowerCase().replace("-", " ")
      const { device, scopes } = yield* logins.look(typed, ann)
      assert.deepStrictEqual(scopes, ["chat", "admin"])
      assert.notInclude(device, "\u001b")
      assert.deepStrictEqual((yield* logins.look(typed, bob)).scopes, ["chat"])
      yield* logins.decide(typed, bob, true)
      assert.strictEqual((yield* Effect.flip(logins.decide(typed, ann, true)))._tag, "UnknownCode")
      const { status, token } = yield* later(one)
      assert.strictEqual(status, "done")
      const tokens = yield* UserTokens
      const found = yield* tokens.find(token)
      assert.deepStrictEqual([found?.user.name, found?.scopes], ["Bob", ["chat"]])
      assert.strictEqual((yield* later(one)).status, "expired_token")
      assert.deepStrictEqual((yield* tokens.all(bob.id)).map(({ name }) => name), [`${device} ${one.userCode}`])
      assert.deepStrictEqual(yield* tokens.all(ann.id), [])
    }).pipe(Effect.provide(layer)))

  it.effect("gives nothing when the person denies it, after ten minutes, and to a command that asks too often", () =>
    Effect.gen(function*() {
      const { ann, begin, later, logins, poll } = yield* stage
      const denied = yield* begin()
      yield* logins.decide(denied.userCode, ann, false)
      assert.strictEqual((yield* later(denied)).status, "access_denied")
      assert.strictEqual((yield* later(denied)).status, "expired_token")
      const hasty = yield* begin()
      yield* logins.decide(hasty.userCode, ann, true)
      assert.strictEqual((yield* poll(hasty)).status, "slow_down")
      assert.strictEqual((yield* later(hasty)).status, "slow_down", "it has to wait longer now")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* poll(hasty)).status, "done")
      const late = yield* begin()
      yield* TestClock.adjust("599 seconds")
      yield* logins.look(late.userCode, ann)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Effect.flip(logins.look(late.userCode, ann)))._tag, "UnknownCode")
      assert.strictEqual((yield* poll(late)).status, "expired_token")
      const unknown = yield* poll({ deviceCode: Redacted.make("another") })
      assert.strictEqual(unknown.status, "expired_token")
    }).pipe(Effect.provide(layer)))

  it.effect("is refused after ten codes in a minute, of an address that begins and of a person who guesses", () =>
    Effect.gen(function*() {
      const { ann, begin, bob, logins } = yield* stage
      const { userCode } = yield* begin()
      for (let time = 0; time < 10; time++) {
        assert.strictEqual((yield* Effect.flip(logins.look("BBBB-BBBB", bob)))._tag, "UnknownCode")
      }
      assert.strictEqual((yield* Effect.flip(logins.decide(userCode, bob, true)))._tag, "TooManyCodes")
      yield* logins.look(userCode, ann)
      for (let time = 1; time < 10; time++) yield* begin()
      const refused = yield* Effect.flip(begin())
      assert.match(refused.hint, /^wait \d\d s;/)
      yield* begin("198.51.100.7")
      yield* TestClock.adjust("61 seconds")
      yield* begin()
      yield* logins.look(userCode, bob)
      for (let peer = 0; peer < 250; peer++) yield* Effect.ignore(begin(`203.0.113.${peer}`))
      assert.strictEqual((yield* Effect.flip(begin("198.51.100.8")))._tag, "TooManyCodes", "200 wait at once")
    }).pipe(Effect.provide(layer)))
})
