import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const notFound = () =>
  ScriptedWeb.json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } })

const gone = (status = 404) =>
  new Response("{\"error\":\"No valid session ID provided\"}", {
    status,
    headers: { "content-type": "application/json" }
  })

/** A server that forgets its sessions when it is told to. */
const forgetful = (answer: ScriptedWeb.Answer = () => undefined, status = 404) =>
  Effect.gen(function*() {
    let valid = ""
    let tools = "find"
    const web = yield* ScriptedWeb.server((seen, all) => {
      const given = answer(seen, all)
      if (given !== undefined) return given
      if (seen.method === "initialize") {
        const response = ScriptedWeb.initialized(seen, "2025-11-25")
        valid = response.headers.get("mcp-session-id") ?? ""
        return response
      }
      if (seen.method === "tools/list" && seen.headers.get("mcp-session-id") === valid) {
        return ScriptedWeb.json(
          ScriptedWeb.result(seen, { tools: [ScriptedHost.tool("find"), ScriptedHost.tool(tools)] })
        )
      }
      return seen.method === "server/discover" || seen.headers.get("mcp-session-id") === valid
        ? undefined
        : gone(status)
    })
    const forget = (newTool = "find") => {
      valid = ""
      tools = newTool
    }
    return { ...web, forget }
  })

describe("HttpSessions", () => {
  it.effect("opens one new session when the old one is gone, sends the call once on it, and lists again (R22)", () =>
    Effect.gen(function*() {
      for (const status of [404, 400]) {
        const { fetch, forget, of } = yield* forgetful(undefined, status)
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            forget("search")
            assert.isFalse((yield* registry.call("web_find", {})).isError)
            assert.strictEqual(of("initialize").length, 2)
            assert.isFalse(of("initialize")[1]?.headers.has("mcp-session-id"))
            assert.strictEqual(of("server/discover").length, 1)
            assert.strictEqual(of("tools/call").length, 2)
            yield* ScriptedHost.advance(1)
            assert.strictEqual(of("tools/list").length, 2)
            assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), ["web_find", "web_search"])
            const now = yield* registry.server("web")
            assert.strictEqual(now.restarts, 0)
            assert.strictEqual(now.state, "ready")
          }))
        // The session that is gone needs no DELETE.
        assert.strictEqual(of("DELETE").length, 1)
        assert.strictEqual(
          of("DELETE")[0]?.headers.get("mcp-session-id"),
          of("tools/call")[1]?.headers.get("mcp-session-id")
        )
      }
    }))

  it.effect("lets 20 calls that find their session gone share one new session (R22, R47)", () =>
    Effect.gen(function*() {
      const { fetch, forget, of } = yield* forgetful()
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          forget()
          const calls = Array.from({ length: 20 }, () => registry.call("web_find", {}))
          const results = yield* Effect.all(calls, { concurrency: "unbounded" })
          assert.isTrue(results.every(({ isError }) => !isError))
        }))
      assert.strictEqual(of("initialize").length, 2)
      assert.strictEqual(of("tools/call").length, 40)
    }))

  it.effect("tries a new session once for a call, not for ever (R22)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* forgetful(({ method }) => method === "tools/call" ? gone() : undefined)
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(registry.call("web_find", {}))
          assert.strictEqual(reason._tag, "HttpStatus")
          assert.strictEqual(of("initialize").length, 2)
          assert.strictEqual(of("tools/call").length, 2)
        }))
    }))

  it.effect("opens the new session although the call that asked for it was interrupted (R22)", () =>
    Effect.gen(function*() {
      let isSlow = false
      const { fetch, forget, of } = yield* forgetful(({ method }) =>
        method === "initialize" && isSlow ? null : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, { startupTimeout: "10 seconds" }, (registry) =>
        Effect.gen(function*() {
          forget()
          isSlow = true
          const first = yield* Effect.forkChild(registry.call("web_find", {}))
          const second = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(1)
          yield* Fiber.interrupt(first)
          yield* ScriptedHost.advance(10)
          // Surely not processed, so the outcome is known.
          const { reason } = yield* Fiber.join(second)
          assert.strictEqual(reason._tag, "HttpStatus")
          assert.match(reason.message, /expired.*no answer in time/)
          assert.strictEqual(of("initialize").length, 2)
          isSlow = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          assert.strictEqual(of("initialize").length, 3)
        }))
    }))

  it.effect("lets what still runs on the old session end there, and nothing of it touches the new one (R46)", () =>
    Effect.gen(function*() {
      const late = Promise.withResolvers<Response>()
      let isFirst = true
      const { fetch, forget, of } = yield* forgetful((seen) => {
        if (seen.method !== "tools/call" || !isFirst) return undefined
        isFirst = false
        return late.promise
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const long = yield* Effect.forkChild(registry.call("web_find", {}))
          yield* ScriptedHost.drain
          const [running] = of("tools/call")
          forget()
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          yield* ScriptedHost.advance(1)
          assert.isFalse(running?.signal?.aborted)
          late.resolve(
            running === undefined ? notFound() : ScriptedWeb.json(ScriptedWeb.result(running, ScriptedWeb.text("late")))
          )
          assert.deepStrictEqual((yield* Fiber.join(long)).content, [{ type: "text", text: "late" }])
          yield* ScriptedHost.advance(1)
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
    }))

  it.effect("does not take a 404 for the end of a session that the server never gave (R22)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        if (seen.method === "tools/call") return gone()
        if (seen.method !== "initialize") return undefined
        const given = ScriptedWeb.initialized(seen, "2025-11-25")
        given.headers.delete("mcp-session-id")
        return given
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(registry.call("web_find", {}))).reason._tag, "HttpStatus")
        }))
      assert.strictEqual(of("initialize").length, 1)
      assert.strictEqual(of("DELETE").length, 0)
    }))
})
