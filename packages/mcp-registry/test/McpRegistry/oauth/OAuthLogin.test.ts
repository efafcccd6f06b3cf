import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { Credentials } from "../../../../mcp-client/src/oauth/credentials/Credentials.ts"
import * as ScriptedAuth from "../../../../mcp-client/test/support/ScriptedAuth.ts"
import type { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

/** A guarded MCP server that speaks MCP with a client that has a good token. */
const world = (answer: ScriptedAuth.Answer = () => undefined) =>
  Effect.map(ScriptedWeb.server(), (mcp) => {
    const guard = ScriptedAuth.make(answer)
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const refused = await guard.fetch(input, init)
      const isMcp = String(input) === ScriptedAuth.MCP && refused.ok
      return isMcp ? mcp.fetch(input, init) : refused
    }
    return { mcp, guard, fetch }
  })

type Registry = McpRegistry["Service"]

const withRegistry = <A, E>(
  fetch: typeof globalThis.fetch,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: Registry) => Effect.Effect<A, E>
) => ScriptedWeb.withRegistry(fetch, entry, body)

const fresh = Effect.provide(Credentials.layerMemory)

describe("login and logout", () => {
  it.effect("a server that wants authorization needs it, says how, and is ready after the sign-in", () =>
    Effect.gen(function*() {
      const { fetch, guard } = yield* world()
      const visits: Array<URL> = []
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const before = yield* registry.server("web")
          assert.strictEqual(before.state, "needs-auth")
          assert.deepStrictEqual(before.auth, { signedIn: false, issuer: null, scopes: [], expiresAt: null })
          assert.include(before.error?.hint, "boocode mcp login web")
          const after = yield* registry.login("web", ScriptedAuth.person(visits))
          assert.strictEqual(after.state, "ready")
          assert.strictEqual(after.auth?.signedIn, true)
          assert.strictEqual(after.auth?.issuer, ScriptedAuth.ISSUER)
          assert.strictEqual(after.auth?.expiresAt, "1970-01-01T01:00:00.000Z")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          assert.strictEqual(visits.length, 1)
          assert.strictEqual(guard.at("/token").length, 1)
        }))
    }).pipe(fresh))

  it.effect("a server that is ready without a login and describes none says so, and nobody is registered", () =>
    Effect.gen(function*() {
      const mcp = yield* ScriptedWeb.server()
      const asked: Array<string> = []
      const fetch: typeof globalThis.fetch = (input, init) => {
        if (String(input) === ScriptedAuth.MCP) return mcp.fetch(input, init)
        asked.push(new URL(String(input)).pathname)
        return Promise.resolve(new Response("not here", { status: 404 }))
      }
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(registry.login("web", ScriptedAuth.person()))
          assert.include(error.message, "asks for no authorization")
          assert.notInclude(asked.join(), "register")
          assert.strictEqual((yield* registry.server("web")).state, "ready")
        }))
    }).pipe(fresh))

  it.effect("a person who signed in once is signed in at the next start, and out after logging out", () =>
    Effect.gen(function*() {
      const { fetch, guard } = yield* world()
      yield* withRegistry(fetch, {}, (registry) => registry.login("web", ScriptedAuth.person()))
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          const after = yield* registry.logout("web")
          assert.strictEqual(after.state, "needs-auth")
          assert.strictEqual(after.auth?.signedIn, false)
          assert.deepStrictEqual(guard.at("/revoke").map(({ form }) => form.get("token")), [
            "refresh-token-1",
            "access-token-1"
          ])
          const again = yield* Effect.flip(registry.logout("web"))
          assert.include(again.message, "nobody is signed in")
        }))
    }).pipe(fresh))

  it.effect("logging out waits for a renewal on its way, and takes back what it brought", () =>
    Effect.gen(function*() {
      let isAsked = false
      let finish = () => {}
      const { fetch, guard } = yield* world(({ form, path }) => {
        if (path !== "/token" || !form.has("refresh_token")) return undefined
        isAsked = true
        return new Promise<Response>((resolve) => {
          finish = () =>
            resolve(ScriptedAuth.json({ access_token: "late", refresh_token: "late-r", token_type: "Bearer" }))
        })
      })
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* registry.login("web", ScriptedAuth.person())
          guard.expire()
          yield* Effect.forkChild(registry.call("web_find", {}))
          while (!isAsked) yield* Effect.yieldNow
          const leaving = yield* Effect.forkChild(registry.logout("web"))
          for (let turn = 0; turn < 50; turn += 1) yield* Effect.yieldNow
          assert.deepStrictEqual(guard.at("/revoke"), [])
          finish()
          yield* Fiber.join(leaving)
          assert.deepStrictEqual(guard.at("/revoke").map(({ form }) => form.get("token")), ["late-r", "late"])
          assert.isNull(yield* Effect.flatMap(Credentials, (store) => store.read(ScriptedAuth.KEY)))
        }))
    }).pipe(fresh))

  it.effect("logging out looks where the server says its authorization server is named, and says when that keeps the tokens", () =>
    Effect.gen(function*() {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const { fetch, guard } = yield* world(({ authorization, path, url }) => {
        if (path === "/mcp" && authorization === null) {
          return ScriptedAuth.json({}, 401, {
            "www-authenticate": `Bearer resource_metadata="https://mcp.example/elsewhere"`
          })
        }
        if (path === "/elsewhere") return ScriptedAuth.json(ScriptedAuth.RESOURCE)
        if (url.host === "mcp.example" && path.startsWith("/.well-known")) return new Response("", { status: 404 })
        return path === "/revoke" ? ScriptedAuth.json({ error: "unsupported_token_type" }, 400) : undefined
      })
      yield* withRegistry(
        fetch,
        {},
        (registry) => Effect.andThen(registry.login("web", ScriptedAuth.person()), registry.logout("web"))
      ).pipe(
        Effect.provide(Logger.layer([logger]))
      )
      assert.strictEqual(guard.at("/revoke").length, 2)
      assert.include(
        JSON.stringify(lines),
        "web: its tokens were not taken back: the authorization server says no (HTTP 400)"
      )
    }).pipe(fresh))

  it.effect("a sign-in by way of another program wakes a server that waits for one", () =>
    Effect.gen(function*() {
      const { fetch } = yield* world()
      const tokens = yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const store = yield* Credentials
          yield* registry.login("web", ScriptedAuth.person())
          const kept = yield* store.read(ScriptedAuth.KEY)
          yield* store.change(ScriptedAuth.KEY, () => Effect.succeed({ keep: null, give: null }))
          return kept
        }))
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const store = yield* Credentials
          assert.strictEqual((yield* registry.server("web")).state, "needs-auth")
          yield* TestClock.adjust("1 minute")
          assert.strictEqual((yield* registry.server("web")).state, "needs-auth")
          yield* store.change(ScriptedAuth.KEY, () => Effect.succeed({ keep: tokens, give: null }))
          yield* TestClock.adjust("5 seconds")
          yield* ScriptedHost.until(Effect.map(registry.server("web"), ({ state }) => state !== "needs-auth"))
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
    }).pipe(fresh))

  it.effect("tokens of one address are not shown to another one under the same name", () =>
    Effect.gen(function*() {
      const { fetch, guard } = yield* world()
      yield* withRegistry(fetch, {}, (registry) => registry.login("web", ScriptedAuth.person()))
      const other = "https://mcp.example/other"
      yield* withRegistry(fetch, { url: other }, (registry) => registry.servers)
      assert.deepStrictEqual(guard.at("/other").map(({ authorization }) => authorization).filter(Boolean), [])
      assert.isAbove(guard.at("/other").length, 0)
    }).pipe(fresh))

  for (
    const [what, entry, tag] of [
      ["an Authorization header", { headers: { Authorization: "Bearer configured-token" } }, "AuthRejected"],
      ["a header that looks like a key", { headers: { "X-API-Key": "configured-key" } }, "AuthRejected"],
      ["oauth switched off", { oauth: false }, "AuthRequired"]
    ] as const
  ) {
    it.effect(`R81: ${what} is left as it is: a 401 is told as that, and nothing else is asked`, () =>
      Effect.gen(function*() {
        const { fetch, guard } = yield* world()
        yield* withRegistry(fetch, entry, (registry) =>
          Effect.gen(function*() {
            const { auth, error, state } = yield* registry.server("web")
            assert.strictEqual(state, "needs-auth")
            assert.strictEqual(error?._tag, tag)
            assert.notInclude(error?.hint, "boocode mcp login")
            assert.isNull(auth)
            const refused = yield* Effect.flip(registry.login("web", ScriptedAuth.person()))
            assert.strictEqual(refused.reason._tag, "AuthorizationFailed")
          }))
        assert.deepStrictEqual([...new Set(guard.seen.map(({ path }) => path))], ["/mcp"])
        const sent = new Set(guard.seen.map(({ authorization }) => authorization))
        assert.deepStrictEqual([...sent], [
          "headers" in entry && "Authorization" in entry.headers ? "Bearer configured-token" : null
        ])
      }).pipe(fresh))
  }

  it.effect("a server whose tokens are no good any more needs a person again, and lets calls that run finish", () =>
    Effect.gen(function*() {
      let answerSlow = (_: Response) => {}
      const { fetch, guard } = yield* world(({ body, form, path }) => {
        if (path === "/token" && form.has("refresh_token")) return ScriptedAuth.json({ error: "invalid_grant" }, 400)
        if (!body.includes("slow")) return undefined
        return new Promise<Response>((resolve) => {
          answerSlow = resolve
        })
      })
      yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* registry.login("web", ScriptedAuth.person())
          const running = yield* Effect.forkChild(registry.call("web_find", { slow: true }))
          while (!guard.seen.some(({ body }) => body.includes("slow"))) yield* Effect.yieldNow
          guard.expire()
          const error = yield* Effect.flip(registry.call("web_find", {}))
          assert.strictEqual(error.reason._tag, "AuthRequired")
          const status = yield* registry.server("web")
          assert.strictEqual(status.state, "needs-auth")
          assert.include(status.error?.hint, "boocode mcp login web")
          assert.isFalse(status.auth?.signedIn)
          answerSlow(ScriptedAuth.json({ ok: true }))
          assert.isFalse((yield* Fiber.join(running)).isError)
          const next = yield* Effect.flip(registry.call("web_find", {}))
          assert.strictEqual(next.reason._tag, "NotReady")
        }))
    }).pipe(fresh))

  it.effect("R75: no token, code or verifier is in a status, an error, a log line or a span", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make((options) => void lines.push(Logger.formatJson.log(options)))
      const mood = { isTelling: false }
      const { fetch, guard } = yield* world(({ path }) =>
        path === "/token" && mood.isTelling
          ? ScriptedAuth.json({ error: "invalid_request", error_description: "access-token-1 refresh-token-1" }, 400)
          : undefined
      )
      const said = yield* withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const status = yield* registry.login("web", ScriptedAuth.person())
          mood.isTelling = true
          guard.expire()
          const error = yield* Effect.flip(registry.call("web_find", {}))
          return JSON.stringify([
            status,
            error.message,
            error.hint,
            yield* registry.log("web"),
            yield* registry.servers
          ])
        })).pipe(
          Effect.provide(Logger.layer([logger])),
          Effect.provideService(References.MinimumLogLevel, "Trace")
        )
      const verifier = guard.at("/token")[0]?.form.get("code_verifier") ?? "?"
      for (const secret of ["access-token-1", "refresh-token-1", verifier]) {
        assert.notInclude(said + lines.join("\n"), secret)
      }
    }).pipe(fresh))

  it.effect("a server that is not configured cannot be signed in to", () =>
    Effect.gen(function*() {
      const { fetch, guard } = yield* world()
      yield* withRegistry(fetch, { enabled: false }, (registry) =>
        Effect.gen(function*() {
          const unknown = yield* Effect.flip(registry.login("wbe", ScriptedAuth.person()))
          assert.strictEqual(unknown.reason._tag, "UnknownServer")
          assert.deepStrictEqual(guard.seen, [])
        }))
    }).pipe(fresh))

  it.effect("a disabled server stays so after a sign-in", () =>
    Effect.gen(function*() {
      const { fetch } = yield* world()
      yield* withRegistry(fetch, { enabled: false }, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.login("web", ScriptedAuth.person())).state, "disabled")
          assert.strictEqual((yield* registry.start("web")).state, "ready")
        }))
    }).pipe(fresh))
})
