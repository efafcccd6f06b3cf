import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

describe("HttpTransport", () => {
  it.effect("connects, lists, calls with the configured headers, and ends the session with one DELETE (R44, R90)", () =>
    Effect.gen(function*() {
      const { fetch, of, seen } = yield* ScriptedWeb.server()
      yield* ScriptedWeb.withRegistry(
        fetch,
        { headers: { "X-API-Key": "key-123456", Empty: "" } },
        (registry) =>
          Effect.gen(function*() {
            const status = yield* registry.server("web")
            assert.strictEqual(status.state, "ready")
            assert.strictEqual(status.protocolVersion, "2025-11-25")
            assert.isNull(status.pid)
            const { content } = yield* registry.call("web_find", {})
            assert.deepStrictEqual(content, [{ type: "text", text: "found" }])
          })
      )
      assert.isTrue(seen.every(({ headers }) => headers.get("x-api-key") === "key-123456" && !headers.has("empty")))
      assert.isTrue(seen.every(({ headers }) => [...headers.keys()].every((name) => !name.startsWith("boocode"))))
      const [call] = of("tools/call")
      assert.strictEqual(call?.headers.get("mcp-protocol-version"), "2025-11-25")
      const session = call?.headers.get("mcp-session-id")
      assert.match(session ?? "", /^session-/)
      assert.deepStrictEqual(of("DELETE").map(({ headers }) => headers.get("mcp-session-id")), [session])
    }))

  it.effect("closes within a second when DELETE is never answered, and minds no 405 to it (R44)", () =>
    Effect.gen(function*() {
      for (const answer of [null, new Response(null, { status: 405 })]) {
        const { fetch, of } = yield* ScriptedWeb.server(({ verb }) => verb === "DELETE" ? answer : undefined)
        const closed = yield* Effect.forkChild(ScriptedWeb.withRegistry(fetch, {}, () => Effect.void))
        yield* ScriptedHost.advance(1)
        assert.strictEqual((yield* Effect.timeoutOption(Fiber.await(closed), 1))._tag, "Some")
        assert.strictEqual(of("DELETE").length, 1)
      }
    }))

  it.effect("ends the session of a server whose revision it does not speak, and names both sides (R90, R44)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server((seen) =>
        seen.method === "initialize" ? ScriptedWeb.initialized(seen, "1999-01-01") : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { error } = yield* registry.server("web")
          assert.strictEqual(error?._tag, "ProtocolMismatch")
          assert.include(error?.message, "1999-01-01")
          assert.include(error?.message, "2025-06-18")
        }))
      assert.strictEqual(of("DELETE").length, 1)
    }))

  it.effect("accepts an older revision and names it in every later request (R90)", () =>
    Effect.gen(function*() {
      for (const version of ["2025-06-18", "2025-03-26"]) {
        const { fetch, seen } = yield* ScriptedWeb.server((request) =>
          request.method === "initialize" ? ScriptedWeb.initialized(request, version) : undefined
        )
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            assert.strictEqual((yield* registry.server("web")).protocolVersion, version)
            yield* registry.call("web_find", {})
          }))
        const later = seen.slice(seen.findIndex(({ method }) => method === "initialize") + 1)
        assert.deepStrictEqual(
          later.map(({ method, verb }) => method ?? verb).sort(),
          ["DELETE", "GET", "notifications/initialized", "tools/call", "tools/list"]
        )
        assert.isTrue(later.every(({ headers }) => headers.get("mcp-protocol-version") === version))
      }
    }))

  it.effect("falls back to initialize when the question for the era makes a server stumble (R91)", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server(({ method }) =>
        method === "server/discover" ? new Response("<h1>oops</h1>", { status: 500 }) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("web")).state, "ready")
        }))
    }))

  it.effect("serves the next call on the same session after one that took too long (R28)", () =>
    Effect.gen(function*() {
      let isSlow = true
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) =>
        method === "tools/call" && isSlow ? null : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "5 seconds" }, (registry) =>
        Effect.gen(function*() {
          const slow = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(5)
          assert.strictEqual((yield* Fiber.join(slow)).reason._tag, "CallTimeout")
          // A request that nobody waits for must not keep a connection.
          assert.isTrue(of("tools/call")[0]?.signal?.aborted)
          isSlow = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("initialize").length, 1)
      assert.strictEqual(of("notifications/cancelled").length, 1)
    }))

  it.effect("takes no tool's error and no JSON-RPC error for a reason to connect or to send again (R24)", () =>
    Effect.gen(function*() {
      const answers = [
        { error: { code: -32602, message: "no such parameter" } },
        { error: { code: -32029, message: "rate limit exceeded, retry after 1 s" } },
        { result: { isError: true, content: [{ type: "text", text: "session not found" }] } }
      ]
      const { fetch, of } = yield* ScriptedWeb.server(({ message, method }) =>
        method === "tools/call"
          ? ScriptedWeb.json({ jsonrpc: "2.0", id: message?.["id"] ?? null, ...answers.shift() })
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          for (let count = 1; count <= 3; count++) {
            assert.isTrue((yield* registry.call("web_find", {})).isError)
            assert.strictEqual(of("tools/call").length, count)
          }
        }))
      assert.strictEqual(of("initialize").length, 1)
    }))

  it.effect("sends a call once whose connection broke, and says that its outcome is unknown (R23, Decision 8)", () =>
    Effect.gen(function*() {
      let isBroken = true
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) =>
        method === "tools/call" && isBroken
          ? Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNRESET" }) }))
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(registry.call("web_find", {}))
          assert.strictEqual(reason._tag, "OutcomeUnknown")
          assert.include(reason.message, "ECONNRESET")
          assert.strictEqual(of("tools/call").length, 1)
          isBroken = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("initialize").length, 1)
    }))
})
