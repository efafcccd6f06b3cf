import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { browser, open2, opened, PASSWORD, tokenOf } from "../../support/People.ts"
import { json, post } from "../../support/Scripted.ts"

describe("signing in", () => {
  it.effect("nobody signs in until somebody is added, and from then on everyone does", () =>
    Effect.gen(function*() {
      const request = yield* opened()
      const before = browser(request)
      assert.deepStrictEqual(yield* before.body("/api/session"), {
        users: false,
        signedIn: true,
        provider: null,
        token: false,
        safe: true
      })
      const me = Object(yield* before.body("/api/me"))
      assert.deepStrictEqual([me.users, me.user.id, me.admin], [false, "first", true])
      const made = Object(yield* before.body("/api/users", post({ name: "Ann", role: "member" })))
      const { user } = made
      const token = tokenOf(made)
      assert.match(made.link, /^http:\/\/127\.0\.0\.1:4266\/#\/invitation\/[\w-]{43}$/)
      assert.deepStrictEqual([user.id, user.role], ["first", "admin"])
      const refused = yield* before.ask("/api/chats")
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(Object(yield* json(refused))._tag, "SignInNeeded")
      assert.deepInclude(yield* before.body("/api/session"), { users: true, signedIn: false })
      assert.strictEqual(Object(yield* before.body(`/api/invitations/${token}`)).name, "Ann")
      const short = yield* before.ask(`/api/invitations/${token}`, post({ password: "too short" }))
      assert.strictEqual(short.status, 400)
      assert.strictEqual((yield* before.ask(`/api/invitations/${token}`, post({ password: PASSWORD }))).status, 204)
      assert.match(before.cookies[0] ?? "", /^boocode_person=[\w-]{43}; .*HttpOnly.*SameSite=Lax/)
      assert.strictEqual((yield* before.ask("/api/chats")).status, 200)
      assert.strictEqual((yield* before.ask(`/api/invitations/${token}`)).status, 404)
      assert.strictEqual(Object(yield* before.body("/api/me")).user.name, "Ann")
      const other = browser(request)
      assert.strictEqual((yield* other.ask("/api/session", post({ name: "ann", password: PASSWORD }))).status, 204)
      const out = yield* other.ask("/api/logout", { method: "POST" })
      assert.deepStrictEqual([out.status, out.headers.get("clear-site-data")], [204, "\"cache\", \"storage\""])
      assert.strictEqual((yield* other.ask("/api/chats")).status, 401)
      assert.strictEqual((yield* before.ask("/api/chats")).status, 200)
    }))

  it.effect(
    "wrong passwords make a name wait, not others, and do not say whether there is such a name",
    () =>
      Effect.gen(function*() {
        const { request } = yield* open2()
        const { ask } = browser(request)
        const attempt = (name: string, password = "wrong password") => ask("/api/session", post({ name, password }))
        const unknown = Object(yield* json(yield* attempt("Nobody")))
        assert.deepStrictEqual(Object(yield* json(yield* attempt("Bob"))), unknown)
        assert.strictEqual(unknown.status, 401)
        for (let time = 1; time < 10; time++) assert.strictEqual((yield* attempt("BOB")).status, 401)
        const { _tag, hint } = Object(yield* json(yield* attempt("bob", PASSWORD)))
        assert.strictEqual(_tag, "TooManyPasswords")
        assert.match(hint, /^wait \d\d s; sessions that were begun before go on$/)
        assert.strictEqual((yield* attempt("Ann", PASSWORD)).status, 204)
      }),
    60_000
  )

  it.effect(
    "nobody signs in over plain http from elsewhere; over https the cookie has the prefix __Host-",
    () =>
      Effect.gen(function*() {
        const { request } = yield* open2({ settings: { allowedHosts: ["chat.example"] } })
        const plain = browser(request, "http://chat.example")
        const body = post({ name: "Ann", password: PASSWORD })
        const refused = yield* plain.ask("/api/session", body)
        assert.strictEqual(refused.status, 403)
        const { _tag, hint } = Object(yield* json(refused))
        assert.strictEqual(_tag, "InsecureSignIn")
        assert.match(hint, /X-Forwarded-Proto: https/)
        assert.deepStrictEqual(plain.cookies, [])
        assert.deepInclude(yield* plain.body("/api/session"), { safe: false })
        const secure = browser(request, "https://chat.example")
        assert.strictEqual((yield* secure.ask("/api/session", body)).status, 204)
        assert.match(secure.cookies[0] ?? "", /^__Host-boocode_person=[\w-]{43}; .*Path=\/; .*Secure/)
        assert.notMatch(secure.cookies[0] ?? "", /Domain/)
        assert.strictEqual((yield* secure.ask("/api/me")).status, 200)
      }),
    60_000
  )

  it.effect("a person sees and ends their own sessions and tokens only", () =>
    Effect.gen(function*() {
      const { ann, bob, request } = yield* open2()
      const [{ id: anns }] = Object(yield* ann.body("/api/me/sessions")).sessions
      const { sessions } = Object(yield* bob.body("/api/me/sessions"))
      assert.deepStrictEqual(
        sessions.map(({ current, device }: { current: boolean; device: string }) => [current, device]),
        [[true, "a test"]]
      )
      assert.strictEqual((yield* bob.ask(`/api/me/sessions/${anns}`, { method: "DELETE" })).status, 404)
      const made = Object(yield* ann.body("/api/me/tokens", post({ name: "laptop", scopes: ["chat"] })))
      assert.strictEqual((yield* bob.ask(`/api/me/tokens/${made.id}`, { method: "DELETE" })).status, 404)
      assert.deepStrictEqual(Object(yield* bob.body("/api/me/tokens")).tokens, [])
      const program = (path: string, init: RequestInit = {}) =>
        request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${made.token}` } })
      assert.strictEqual(Object(yield* json(yield* program("/api/me"))).user.name, "Ann")
      assert.strictEqual((yield* program("/api/chats")).status, 200)
      assert.strictEqual(Object(yield* json(yield* program("/api/users"))).status, 403)
      assert.strictEqual(Object(yield* json(yield* program("/mcp", post({})))).status, 403)
      const escalation = yield* program("/api/me/tokens", post({ name: "more", scopes: ["admin"] }))
      assert.strictEqual(Object(yield* json(escalation))._tag, "NotByToken")
      assert.strictEqual((yield* ann.ask(`/api/me/tokens/${made.id}`, { method: "DELETE" })).status, 204)
      assert.strictEqual((yield* program("/api/chats")).status, 401)
    }), 60_000)

  it.effect("a new password ends the other sessions, and needs the one before", () =>
    Effect.gen(function*() {
      const { bob, request } = yield* open2()
      const other = browser(request)
      yield* other.ask("/api/session", post({ name: "Bob", password: PASSWORD }))
      const put = (before: string) => ({ ...post({ before, password: "a better password" }), method: "PUT" })
      assert.strictEqual((yield* bob.ask("/api/me/password", put("wrong password"))).status, 401)
      assert.strictEqual((yield* bob.ask("/api/me/password", put(PASSWORD))).status, 204)
      assert.strictEqual((yield* bob.ask("/api/chats")).status, 200)
      assert.strictEqual((yield* other.ask("/api/chats")).status, 401)
    }), 60_000)
})
