import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

/** What Node's fetch fails with. */
const fetchFailed = (code: string, message = code) =>
  Promise.reject<Response>(new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) }))

describe("HttpOutages", () => {
  it.effect("uses a server that refused connections for its first two seconds, without anybody's doing (R19)", () =>
    Effect.gen(function*() {
      let isUp = false
      const { fetch } = yield* ScriptedWeb.server(() => isUp ? undefined : fetchFailed("ECONNREFUSED"))
      const used = yield* Effect.forkChild(ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const down = yield* registry.server("web")
          assert.strictEqual(down.state, "failed")
          assert.include(down.error?.message, "ECONNREFUSED")
          yield* Effect.sleep("6 seconds")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        })))
      yield* ScriptedHost.advance(2)
      isUp = true
      yield* ScriptedHost.advance(6)
      yield* Fiber.join(used)
    }))

  it.effect.each([
    { what: "a certificate that nobody vouches for", answer: () => fetchFailed("DEPTH_ZERO_SELF_SIGNED_CERT") },
    { what: "a certificate that has expired", answer: () => fetchFailed("CERT_HAS_EXPIRED") },
    {
      what: "a redirect to elsewhere",
      answer: () => new Response(null, { status: 307, headers: { location: "https://evil.example/mcp" } })
    },
    { what: "a demand for credentials", answer: () => new Response(null, { status: 401 }) }
  ])("does not take $what for a reason to speak the old way (R91)", ({ answer }) =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) =>
        method === "server/discover" ? answer() : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(30)
          assert.notStrictEqual((yield* registry.server("web")).state, "ready")
        }))
      assert.isAtLeast(of("server/discover").length, 1)
      assert.strictEqual(of("initialize").length, 0)
    }))

  it.effect("asks nobody else for authorization when the configured credentials are refused (R81)", () =>
    Effect.gen(function*() {
      const challenge = "Bearer resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource\""
      const { fetch, seen } = yield* ScriptedWeb.server(() =>
        new Response(null, { status: 401, headers: { "www-authenticate": challenge } })
      )
      yield* ScriptedWeb.withRegistry(
        fetch,
        { headers: { Authorization: "Bearer stale" } },
        (registry) =>
          Effect.gen(function*() {
            yield* ScriptedHost.advance(60)
            assert.strictEqual((yield* registry.server("web")).error?._tag, "AuthRejected")
          })
      )
      assert.isTrue(
        seen.every(({ headers, url }) => url.endsWith("/mcp") && headers.get("authorization") === "Bearer stale")
      )
    }))

  it.effect("lets the end of an old session, whenever it comes, touch nothing of the one in its place (R46)", () =>
    Effect.gen(function*() {
      const late = Promise.withResolvers<Response>()
      const current = { session: "", calls: 0 }
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        if (seen.method === "initialize") {
          const response = ScriptedWeb.initialized(seen, "2025-11-25")
          current.session = response.headers.get("mcp-session-id") ?? ""
          return response
        }
        if (seen.method === "tools/call" && current.calls++ === 0) return late.promise
        return seen.verb === "POST" && seen.headers.has("mcp-session-id") &&
            seen.headers.get("mcp-session-id") !== current.session
          ? new Response(null, { status: 404 })
          : undefined
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const states: Array<string> = []
          yield* Effect.forkChild(
            Stream.runForEach(registry.events, ({ state }) => Effect.sync(() => states.push(state)))
          )
          const old = yield* Effect.forkChild(Effect.exit(registry.call("web_find", {})))
          yield* ScriptedHost.drain
          current.session = "gone"
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          late.resolve(new Response(null, { status: 404 }))
          yield* Fiber.join(old)
          yield* ScriptedHost.advance(30)
          assert.deepStrictEqual(states.filter((state) => state !== "ready"), [])
          assert.strictEqual(of("initialize").length, 2)
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          assert.strictEqual(of("initialize").length, 2)
        }))
    }))
})
