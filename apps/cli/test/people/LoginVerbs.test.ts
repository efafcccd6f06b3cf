import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { boocode, json } from "../support/Scripted.ts"

const URL = "https://chat.example"
const TOKEN = "boou_0123456789"
const ME = { users: true, user: { id: "u", name: "Ann", role: "member", groups: [] }, admin: false }

const document = (body: Schema.Json, status = 200) => Effect.sync(() => Response.json(body, { status }))

const refused = document({ _tag: "WrongToken", status: 401, detail: "this token opens nothing", hint: "look" }, 401)

const answering = (answer: typeof refused) => () => answer

describe("boocode login", () => {
  it.effect("tries the token of standard input at the server, keeps it, and prints nothing of it", () =>
    Effect.gen(function*() {
      const logins = new Map<string, string>()
      const script = { logins, stdin: `${TOKEN}\n`, answer: answering(document(ME)) }
      const ended = yield* boocode(["login", `${URL}/`], script)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.deepStrictEqual([...logins], [[URL, TOKEN]])
      assert.deepStrictEqual(ended.log, [`${URL} GET /api/me as Bearer ${TOKEN}`])
      assert.strictEqual(ended.stdout, `you are Ann at ${URL}; commands with --url ${URL} use it\n`)
      const told = yield* boocode(["login", URL, "--json"], script)
      assert.deepStrictEqual(json(told.stdout), { url: URL, ...ME })
      assert.notInclude(ended.stderr + told.stdout + told.stderr, TOKEN)
    }))

  it.effect("shows an address and a code on a terminal, and keeps the token that the server gives once a person allowed it", () =>
    Effect.gen(function*() {
      const logins = new Map<string, string>()
      const begun = { deviceCode: "a-secret", userCode: "BCDF-GHJK", expiresIn: 600, interval: 5 }
      const outcomes = ["authorization_pending", "slow_down", "done"]
      const asked: Array<Schema.Json> = []
      const answer = (route: string, body: Schema.Json) => {
        if (route === "GET /api/me") return document(ME)
        asked.push(body)
        if (route === "POST /api/device") return document(begun, 201)
        const status = outcomes.shift() ?? "done"
        return document(status === "done" ? { status, token: TOKEN } : { status })
      }
      const running = yield* Effect.forkChild(boocode(["login", URL, "--admin"], { logins, typed: [], answer }))
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(asked.length, 3, "after 5 and 10 seconds")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(logins.size, 0, "it waits 10 seconds after slow_down")
      yield* TestClock.adjust("2 seconds")
      const ended = yield* Fiber.join(running)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.match(ended.stderr, /https:\/\/chat\.example\/#\/device.*\n +BCDF-GHJK\n/)
      assert.deepStrictEqual([...logins], [[URL, TOKEN]])
      assert.deepInclude(Object(asked[0]), { scopes: ["chat", "admin"] })
      assert.deepStrictEqual(asked.slice(1), Array.from({ length: 3 }, () => ({ deviceCode: "a-secret" })))
      assert.notInclude(ended.stdout + ended.stderr, TOKEN)
      assert.notInclude(ended.stdout + ended.stderr, "a-secret")
    }))

  it.effect("keeps nothing when the person denies it, and asks for the token where a server has no codes", () =>
    Effect.gen(function*() {
      const logins = new Map<string, string>()
      const begun = { deviceCode: "a-secret", userCode: "BCDF-GHJK", expiresIn: 600, interval: 1 }
      const denying = (route: string) =>
        route === "POST /api/device" ? document(begun, 201) : document({ status: "access_denied" })
      const running = yield* Effect.forkChild(boocode(["login", URL], { logins, typed: [], answer: denying }))
      yield* TestClock.adjust("2 seconds")
      const denied = yield* Fiber.join(running)
      assert.deepStrictEqual([denied.code, logins.size], [1, 0])
      assert.include(denied.stderr, "denied in the page")
      const alone = { _tag: "OnePerson", status: 400, detail: "one person", hint: "its token" }
      const answer = (route: string) => route === "POST /api/device" ? document(alone, 400) : document(ME)
      const ended = yield* boocode(["login", URL], { logins, typed: [TOKEN], answer })
      assert.deepStrictEqual([ended.code, [...logins.values()]], [0, [TOKEN]])
    }))

  it.effect("keeps no token that the server refuses, and the one before stays", () =>
    Effect.gen(function*() {
      const logins = new Map([[URL, "before"]])
      const ended = yield* boocode(["login", URL], { logins, stdin: TOKEN, answer: answering(refused) })
      assert.deepStrictEqual([ended.code, [...logins]], [1, [[URL, "before"]]])
      assert.include(ended.stderr, "this token opens nothing")
    }))

  it.effect("sends no token over plain http, except to this machine, and none that is no token", () =>
    Effect.gen(function*() {
      const logins = new Map<string, string>()
      const script = { logins, stdin: TOKEN, answer: answering(document(ME)) }
      const plain = yield* boocode(["login", "http://chat.example"], script)
      assert.deepStrictEqual([plain.code, plain.log], [1, []])
      assert.include(plain.stderr, "plain http")
      const disguised = yield* boocode(["login", "http://127.0.0.1@chat.example"], script)
      assert.deepStrictEqual([disguised.code, disguised.log], [1, []])
      for (const stdin of ["", "two words", "a\nb"]) {
        const ended = yield* boocode(["login", URL], { ...script, stdin })
        assert.deepStrictEqual([ended.code, ended.log], [2, []])
      }
      assert.strictEqual((yield* boocode(["login", "http://127.0.0.1:4266"], script)).code, 0)
      assert.deepStrictEqual([...logins.keys()], ["http://127.0.0.1:4266"])
    }))
})

describe("boocode logout", () => {
  it.effect("forgets the token of the only server, and takes it back there", () =>
    Effect.gen(function*() {
      const logins = new Map([[URL, TOKEN]])
      const done = Effect.sync(() => new Response(null, { status: 204 }))
      const ended = yield* boocode(["logout"], { logins, answer: answering(done) })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, `signed out of ${URL}\n`])
      assert.deepStrictEqual(ended.log, [`${URL} POST /api/logout as Bearer ${TOKEN}`])
      assert.strictEqual(logins.size, 0)
    }))

  it.effect("forgets it also where the server cannot take it back, and says so", () =>
    Effect.gen(function*() {
      const logins = new Map([[URL, TOKEN], ["https://b.example", TOKEN]])
      const busy = document({ _tag: "NotReady", status: 503, detail: "the database is away", hint: "later" }, 503)
      const ended = yield* boocode(["logout", URL], { logins, answer: answering(busy) })
      assert.deepStrictEqual([ended.code, [...logins.keys()]], [0, ["https://b.example"]])
      assert.include(ended.stderr, "the token still opens the server: the database is away")
      const before = yield* boocode(["logout", "--json"], { logins, answer: answering(refused) })
      assert.deepStrictEqual(json(before.stdout), { url: "https://b.example", takenBack: true })
    }))

  it.effect("asks which one where there are several, and says where there is none", () =>
    Effect.gen(function*() {
      const logins = new Map([[URL, TOKEN], ["https://b.example", TOKEN]])
      const several = yield* boocode(["logout"], { logins })
      assert.strictEqual(several.code, 2)
      assert.include(several.stderr, "https://b.example, https://chat.example")
      assert.strictEqual((yield* boocode(["logout", "https://c.example"], { logins })).code, 1)
      assert.strictEqual((yield* boocode(["logout"], { logins: new Map() })).code, 1)
      assert.strictEqual(logins.size, 2)
    }))
})
