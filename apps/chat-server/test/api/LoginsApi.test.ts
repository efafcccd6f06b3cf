import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Login } from "../../src/api/LoginsApi.ts"
import { json, open, post, text } from "../support/Scripted.ts"

type Ask = Effect.Success<ReturnType<typeof open>>

const login = (response: Response) => Effect.flatMap(json(response), Schema.decodeUnknownEffect(Login))

const begin = (ask: Ask, init = post({})) =>
  Effect.flatMap(
    ask("/api/mcp/servers/files/login", init),
    Effect.fnUntraced(function*(response) {
      assert.strictEqual(response.status, 201)
      const begun = yield* login(response)
      return { ...begun, nonce: new URL(begun.url ?? "").searchParams.get("state") ?? "" }
    })
  )

const look = (ask: Ask, id: string) => Effect.flatMap(ask(`/api/mcp/logins/${id}`), login)

/** Status and name of a problem. */
const problem = Effect.fnUntraced(function*(response: Response) {
  const { _tag } = Object(yield* json(response))
  return [response.status, _tag]
})

const OWN = "http://127.0.0.1:4266/oauth/callback"

describe("Logging in over HTTP", () => {
  it.effect("says where a person is to go, and is done when their browser comes back, once", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { id, nonce, ...begun } = yield* begin(ask)
      assert.deepStrictEqual([begun.server, begun.state, begun.returns, begun.message], [
        "files",
        "waiting",
        true,
        null
      ])
      assert.match(begun.url ?? "", /^https:\/\/auth\.example\/authorize\?/)
      const back = yield* ask(`/oauth/callback?code=THE-CODE&state=${nonce}&iss=x`)
      const page = yield* text(back)
      assert.strictEqual(back.status, 200)
      assert.include(page, "Signed in to files")
      assert.notInclude(page, "THE-CODE")
      assert.notInclude(page, nonce)
      const after = yield* look(ask, id)
      assert.deepStrictEqual([after.state, after.url], ["done", null])
      const again = yield* ask(`/oauth/callback?code=THE-CODE&state=${nonce}`)
      assert.strictEqual(again.status, 400)
      assert.include(yield* text(again), "No login waits for this")
    }))

  it.effect("shows a callback page that loads and runs nothing, and escapes what others wrote", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { nonce } = yield* begin(ask)
      const error = encodeURIComponent("<script>alert(1)</script>\"'&")
      const back = yield* ask(`/oauth/callback?error=${error}&state=${nonce}`)
      const page = yield* text(back)
      assert.include(page, "&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;")
      assert.notMatch(page, /<script/i)
      const policy = back.headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/)
      assert.deepStrictEqual(
        ["cache-control", "referrer-policy", "content-type"].map((name) => back.headers.get(name)),
        ["no-store", "no-referrer", "text/html; charset=utf-8"]
      )
    }))

  it.effect("lets a browser without the token come back, and nobody else in", () =>
    Effect.gen(function*() {
      const token = "the-token-of-this-test"
      const ask = yield* open({ token, host: "0.0.0.0" })
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      assert.deepStrictEqual(yield* problem(yield* ask("/api/mcp/servers/files/login", post({}))), [401, "TokenNeeded"])
      const { id, nonce } = yield* begin(ask, { ...post({}), headers })
      assert.strictEqual((yield* ask(`/api/mcp/logins/${id}`)).status, 401)
      assert.strictEqual((yield* ask(`/oauth/callback?code=c&state=${nonce}x`)).status, 400)
      assert.strictEqual((yield* ask("/oauth/callback?code=c")).status, 400)
      // A request that only looks ahead uses no login up, and a page of another site may not send people here unseen.
      assert.strictEqual((yield* ask(`/oauth/callback?code=c&state=${nonce}`, { method: "HEAD" })).status, 400)
      const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }
      assert.strictEqual((yield* ask(`/oauth/callback?code=c&state=${nonce}`, { headers: image })).status, 403)
      const person = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      assert.strictEqual((yield* ask(`/oauth/callback?code=c&state=${nonce}`, { headers: person })).status, 200)
    }))

  it.effect("takes a pasted address, and goes on waiting after one of something else", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { id, nonce } = yield* begin(ask)
      const paste = (callbackUrl: string) => ask(`/api/mcp/logins/${id}`, post({ callbackUrl }))
      for (
        const wrong of [
          "code",
          `${OWN}?code=c`,
          `${OWN}?code=c&state=other`,
          `http://127.0.0.1:4267/oauth/callback?code=c&state=${nonce}`,
          `http://127.0.0.1:4266/?code=c&state=${nonce}`
        ]
      ) assert.deepStrictEqual(yield* problem(yield* paste(wrong)), [400, "WrongCallback"])
      assert.strictEqual((yield* look(ask, id)).state, "waiting")
      const done = yield* Effect.flatMap(paste(`  ${OWN}?code=c&state=${nonce}\n`), login)
      assert.strictEqual(done.state, "done")
      assert.deepStrictEqual(yield* problem(yield* paste(`${OWN}?code=c&state=${nonce}`)), [409, "LoginOver"])
    }))

  it.effect("tells why a login failed", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const { id, nonce } = yield* begin(ask)
      const callbackUrl = `${OWN}?error=access_denied&state=${nonce}`
      const failed = yield* Effect.flatMap(ask(`/api/mcp/logins/${id}`, post({ callbackUrl })), login)
      assert.deepStrictEqual([failed.state, failed.url], ["failed", null])
      assert.match(failed.message ?? "", /access_denied/)
      assert.isNotEmpty(failed.hint)
      assert.deepStrictEqual(
        yield* problem(yield* ask("/api/mcp/servers/fils/login", post({}))),
        [404, "UnknownServer"]
      )
    }))

  it.effect("ends one that is cancelled, and the oldest of four at a server", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const first = yield* begin(ask)
      assert.strictEqual((yield* ask(`/api/mcp/logins/${first.id}`, { method: "DELETE" })).status, 204)
      assert.strictEqual((yield* look(ask, first.id)).state, "cancelled")
      const [oldest] = yield* Effect.all([begin(ask), begin(ask), begin(ask)])
      const newest = yield* begin(ask)
      assert.strictEqual((yield* look(ask, oldest.id)).state, "cancelled")
      assert.strictEqual((yield* look(ask, newest.id)).state, "waiting")
      assert.deepStrictEqual(
        yield* problem(yield* ask("/api/mcp/logins/nonsense")),
        [404, "UnknownLogin"]
      )
    }))

  it.effect("sends people back here over https or to this machine, else to the machine of their browser", () =>
    Effect.gen(function*() {
      const ask = yield* open({ host: "0.0.0.0", allowedHosts: ["chat.example"] })
      const redirect = Effect.fnUntraced(function*(headers: Record<string, string>, body: unknown = {}) {
        const { id, nonce, returns } = yield* begin(ask, {
          ...post(body),
          headers: { "content-type": "application/json", ...headers }
        })
        const guesses = [
          OWN,
          "https://chat.example/oauth/callback",
          "http://chat.example/oauth/callback",
          "http://127.0.0.1:80/oauth/callback",
          "http://127.0.0.1:8765/back"
        ]
        const taken = yield* Effect.filter(guesses, (guess) =>
          Effect.map(
            ask(`/api/mcp/logins/${id}`, post({ callbackUrl: `${guess}?code=c&state=${nonce}` })),
            ({ status }) => status === 200
          ))
        return [returns, ...taken]
      })
      assert.deepStrictEqual(yield* redirect({}), [true, OWN])
      const proxied = { host: "chat.example", "x-forwarded-proto": "https" }
      assert.deepStrictEqual(yield* redirect(proxied), [true, "https://chat.example/oauth/callback"])
      const page = { host: "chat.example", origin: "https://chat.example" }
      assert.deepStrictEqual(yield* redirect(page), [true, "https://chat.example/oauth/callback"])
      assert.deepStrictEqual(yield* redirect({ host: "chat.example" }), [false, "http://127.0.0.1:80/oauth/callback"])
      const own = { redirectUri: "http://127.0.0.1:8765/back" }
      assert.deepStrictEqual(yield* redirect({}, own), [false, "http://127.0.0.1:8765/back"])
      for (const redirectUri of ["https://evil.example/", "http://evil.example/", "javascript:alert(1)", "x"]) {
        assert.deepStrictEqual(
          yield* problem(yield* ask("/api/mcp/servers/files/login", post({ redirectUri }))),
          [400, "WrongRedirect"]
        )
      }
    }))

  it.effect("is not begun for a page of somebody else", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      const init = { ...post({}), headers: { "content-type": "application/json", origin: "https://evil.example" } }
      assert.strictEqual((yield* ask("/api/mcp/servers/files/login", init)).status, 403)
    }))

  it.effect("signs out, or says that nobody is signed in", () =>
    Effect.gen(function*() {
      const ask = yield* open()
      assert.deepStrictEqual(
        yield* problem(yield* ask("/api/mcp/servers/files/logout", { method: "POST" })),
        [503, "AuthorizationFailed"]
      )
    }))
})
