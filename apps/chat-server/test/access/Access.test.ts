import { Environment } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { AccessToken, isLoopback } from "../../src/access/AccessToken.ts"
import { pass, proof } from "../../src/access/InstanceSecret.ts"
import * as AccessGuard from "../../src/http/AccessGuard.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { json, open, post } from "../support/Scripted.ts"
import * as Standing from "../support/Standing.ts"

const TOKEN = "a-token-of-this-test"
const SECRET = Redacted.make("0123456789abcdef")

const closed = (disk = new Map<string, string>()) =>
  open({ token: TOKEN, host: "0.0.0.0", disk, instance: { secret: SECRET } })

const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

const login = (token: string, headers: Record<string, string> = {}): RequestInit => ({
  ...post({ token }),
  headers: { "content-type": "application/json", ...headers }
})

const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(";")[0] ?? ""

const PRIVATE = [
  "/api/tools",
  "/api/settings",
  "/api/docs",
  "/api/openapi.json",
  "/metrics",
  "/api/events",
  "/api/none",
  "/api/logout",
  "//api/tools",
  "/%61pi/tools",
  "/API/tools",
  "/x/..%2fapi/tools",
  "/api/health/../tools",
  "/api/healthy",
  "/api"
]

describe("Access", () => {
  it.effect("asks nobody for a token where only this machine reaches the server", () =>
    Effect.gen(function*() {
      const request = yield* open()
      assert.strictEqual((yield* request("/api/tools")).status, 200)
      assert.strictEqual((yield* request("/metrics")).status, 200)
      const answer = yield* request("/api/login", login("whatever"))
      assert.deepStrictEqual([answer.status, answer.headers.getSetCookie()], [204, []])
    }))

  it.effect("answers 401 with what to do to everything but health, login and the page", () =>
    Effect.gen(function*() {
      const request = yield* closed()
      for (const path of PRIVATE) {
        const response = yield* request(path)
        assert.isTrue([400, 401, 404].includes(response.status), `${path}: ${response.status}`)
        if (response.status === 404) assert.notInclude(yield* Effect.promise(() => response.text()), "tools", path)
      }
      const refused = yield* request("/api/tools")
      assert.strictEqual(refused.status, 401)
      assert.include(refused.headers.get("www-authenticate") ?? "", "Bearer")
      const body = Object(yield* json(refused))
      assert.strictEqual(body._tag, "TokenNeeded")
      assert.include(body.hint, "BOOCODE_TOKEN")
      for (const path of ["/", "/icon.svg", "/api/health"]) {
        assert.strictEqual((yield* request(path)).status, 200, path)
      }
      assert.strictEqual((yield* request("/api/chats", post(null))).status, 401)
      assert.strictEqual((yield* request("/", { method: "POST" })).status, 401)
    }))

  it.prop(
    "lets no spelling of a path of the API pass for one of the page",
    { tail: Schema.String },
    ({ tail }) =>
      ["/api/", "//api/", "/%61pi/", "/API/", "/a%70i%2f", "/metrics/", "/./api/", "/api%2f"].every((path) =>
        !AccessGuard.isForEveryone("GET", `${path}${tail}`) || `${path}${tail}`.split(/[?#]/)[0] === "/api/health"
      )
  )

  it.effect("lets in who shows the token, or the pass of a command of this machine, and nobody else", () =>
    Effect.gen(function*() {
      const request = yield* closed()
      const status = (token: string) => Effect.map(request("/api/tools", bearer(token)), (response) => response.status)
      assert.strictEqual(yield* status(TOKEN), 200)
      assert.strictEqual(yield* status(Redacted.value(pass(SECRET))), 200)
      for (
        const wrong of [`${TOKEN}x`, TOKEN.slice(1), TOKEN.toUpperCase(), proof(SECRET, "access"), "0123456789abcdef"]
      ) {
        assert.strictEqual(yield* status(wrong), 401, wrong)
      }
    }))

  it.effect("sets a cookie at the login that is not the token, only this site sends, no script reads, and ends in time", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const request = yield* closed(disk)
      const response = yield* request("/api/login", login(TOKEN))
      assert.strictEqual(response.status, 204)
      const [cookie = ""] = response.headers.getSetCookie()
      assert.match(cookie, /^boocode_session=[\w-]{43};/)
      for (const part of ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"]) assert.include(cookie, part)
      assert.notInclude(cookie, "Secure")
      assert.notInclude(cookie, TOKEN)
      const headers = { cookie: cookieOf(response) }
      assert.strictEqual((yield* request("/api/tools", { headers })).status, 200)
      const kept = [...disk.values()].join()
      assert.notInclude(kept, cookieOf(response).split("=")[1] ?? "none")
      assert.notInclude(kept, TOKEN)
    }))

  it.effect("marks the cookie Secure when the browser speaks https with a proxy", () =>
    Effect.gen(function*() {
      const request = yield* open({ token: TOKEN, allowedHosts: ["chat.example"] })
      for (const more of [{ origin: "https://chat.example" }, { "x-forwarded-proto": "https" }]) {
        const response = yield* request("/api/login", login(TOKEN, { host: "chat.example", ...more }))
        assert.include(response.headers.getSetCookie()[0], "Secure")
      }
    }))

  it.effect("ends a session at the logout, knows the others after a restart, and none when the token changed", () =>
    Effect.gen(function*() {
      const disk = new Map<string, string>()
      const first = yield* closed(disk)
      const [one, other] = [
        { cookie: cookieOf(yield* first("/api/login", login(TOKEN))) },
        { cookie: cookieOf(yield* first("/api/login", login(TOKEN))) }
      ]
      const out = yield* first("/api/logout", { method: "POST", headers: one })
      assert.strictEqual(out.status, 204)
      assert.include(out.headers.getSetCookie()[0], "Max-Age=0")
      const second = yield* closed(disk)
      assert.strictEqual((yield* second("/api/tools", { headers: one })).status, 401)
      assert.strictEqual((yield* second("/api/tools", { headers: other })).status, 200)
      const changed = yield* open({ token: `${TOKEN}-another`, host: "0.0.0.0", disk })
      assert.strictEqual((yield* changed("/api/tools", { headers: other })).status, 401)
    }))

  it.effect("tells who is wrong too often to wait, and still takes the right token at once", () =>
    Effect.gen(function*() {
      const request = yield* closed()
      const attempts = yield* Effect.forEach(
        Array.from({ length: 12 }),
        (_, index) =>
          request(index % 2 === 0 ? "/api/login" : "/api/tools", index % 2 === 0 ? login("wrong") : bearer("wrong"))
      )
      assert.deepStrictEqual(attempts.map(({ status }) => status), [...Array(10).fill(401), 429, 429])
      assert.strictEqual(attempts[10]?.headers.get("retry-after"), "60")
      assert.strictEqual(Object(yield* json(attempts[11] ?? assert.fail())).status, 429)
      assert.strictEqual((yield* request("/api/tools", bearer(TOKEN))).status, 200)
      assert.strictEqual((yield* request("/api/login", login(TOKEN))).status, 204)
    }))

  it.effect("does not count a request without a token as a failure", () =>
    Effect.gen(function*() {
      const request = yield* closed()
      for (const _ of Array(30)) assert.strictEqual((yield* request("/api/tools")).status, 401)
    }))

  it.effect("shows health without details to strangers, and with them to who is let in", () =>
    Effect.gen(function*() {
      const request = yield* closed()
      const stranger = Object(yield* json(yield* request("/api/health?nonce=n")))
      assert.deepStrictEqual([stranger.status, stranger.servers, stranger.proof], ["ok", null, proof(SECRET, "n")])
      const known = Object(yield* json(yield* request("/api/health", bearer(TOKEN))))
      assert.deepStrictEqual(known.servers, { ready: 1, failed: 0, connecting: 1 })
    }))

  it.effect("answers the probe for readiness with 503 while the database does not answer, and plain health with 200", () =>
    Effect.gen(function*() {
      let isUp = true
      const request = yield* open({ isDatabaseUp: () => isUp })
      assert.strictEqual((yield* request("/api/health?ready")).status, 200)
      isUp = false
      const refused = yield* request("/api/health?ready")
      assert.deepStrictEqual([refused.status, Object(yield* json(refused)).state], [503, "failing"])
      const alive = yield* request("/api/health")
      const body = Object(yield* json(alive))
      assert.deepStrictEqual([alive.status, body.status, body.ready], [200, "failing", false])
    }))

  it("takes every spelling of a loopback address for one, and nothing else", () => {
    for (const host of ["127.0.0.1", "localhost", "::1", "127.9.9.9", "127.1", "LOCALHOST"]) {
      assert.isTrue(isLoopback(host), host)
    }
    for (const host of ["0.0.0.0", "::", "", "192.168.1.2", "10.0.0.1", "chat.example", "localhost.example"]) {
      assert.isFalse(isLoopback(host), host)
    }
  })
})

describe("AccessToken", () => {
  const isNeeded = (host: string, allowedHosts: ReadonlyArray<string>) =>
    Effect.map(AccessToken, ({ token }) => token !== null).pipe(
      Effect.provide(AccessToken.layer(host)),
      Effect.provide([
        Settings.layerValues({ allowedHosts }),
        Standing.folder,
        Standing.files(new Map()),
        Environment.layer({}),
        Path.layer
      ])
    )

  it.effect("is needed as soon as others reach the server, through a proxy of this machine too", () =>
    Effect.gen(function*() {
      assert.isFalse(yield* isNeeded("127.0.0.1", []))
      assert.isFalse(yield* isNeeded("localhost", ["localhost:5173", "http://127.0.0.1:3000/", "[::1]", "::1"]))
      assert.isTrue(yield* isNeeded("0.0.0.0", []))
      for (const name of ["chat.example", "https://chat.example/", "192.168.1.5:80", "Chat.Example:8443"]) {
        assert.isTrue(yield* isNeeded("127.0.0.1", ["localhost", name]), name)
      }
    }))
})
