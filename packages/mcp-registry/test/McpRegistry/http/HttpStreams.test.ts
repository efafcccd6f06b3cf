import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const answer = (seen: ScriptedWeb.Seen, words: string) =>
  `data: ${JSON.stringify(ScriptedWeb.result(seen, ScriptedWeb.text(words)))}`

const EVENTS = { "content-type": "text/event-stream" }

/** GETs that resume nothing, and those that do. */
const listening = (seen: ReadonlyArray<ScriptedWeb.Seen>) =>
  seen.filter(({ headers, verb }) => verb === "GET" && !headers.has("last-event-id"))
const resuming = (seen: ReadonlyArray<ScriptedWeb.Seen>) =>
  seen.filter(({ headers, verb }) => verb === "GET" && headers.has("last-event-id"))

describe("HttpStreams", () => {
  it.effect("fails a call at once when its response stream ends before the answer, and serves the next (R28)", () =>
    Effect.gen(function*() {
      let isBroken = true
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) =>
        method === "tools/call" && isBroken ? ScriptedWeb.events([": hello"]) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(registry.call("web_find", {}))).reason._tag, "OutcomeUnknown")
          isBroken = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("tools/call").length, 2)
      assert.strictEqual(of("initialize").length, 1)
    }))

  it.effect("fails a call at once whose response holds another answer, no JSON, or half of it (R28)", () =>
    Effect.gen(function*() {
      const bodies = [
        ScriptedWeb.json({ jsonrpc: "2.0", id: "foreign", result: { content: [] } }),
        new Response("{\"jsonrpc\":\"2.0\",\"id\":", { headers: { "content-type": "application/json" } })
      ]
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) =>
        method === "tools/call" ? bodies.shift() : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(registry.call("web_find", {}))).reason._tag, "OutcomeUnknown")
          assert.strictEqual((yield* Effect.flip(registry.call("web_find", {}))).reason._tag, "OutcomeUnknown")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("tools/call").length, 3)
    }))

  it.effect("tells of answers on a stream to requests that were never sent", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/call"
          ? ScriptedWeb.events(
            [{ jsonrpc: "2.0", id: "nobody", result: {} }, ScriptedWeb.result(seen, ScriptedWeb.text("here"))]
              .map((message) => `data: ${JSON.stringify(message)}`)
          )
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          assert.deepStrictEqual((yield* registry.server("web")).warnings, [
            `it answered a request that was never sent, by the id "nobody"`
          ])
        }))
    }))

  it.effect("takes a list of messages apart, as a server of 2025-03-26 may send it in an event or as the body", () =>
    Effect.gen(function*() {
      const told = { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "by the way" } }
      const list = (seen: ScriptedWeb.Seen, words: string) => [told, ScriptedWeb.result(seen, ScriptedWeb.text(words))]
      let calls = 0
      const { fetch } = yield* ScriptedWeb.server((seen) => {
        if (seen.method !== "tools/call") return undefined
        return calls++ === 0
          ? ScriptedWeb.events([`data: ${JSON.stringify(list(seen, "event"))}`])
          : new Response(JSON.stringify(list(seen, "body")), { headers: { "content-type": "application/json" } })
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          for (const text of ["event", "body"]) {
            assert.deepStrictEqual((yield* registry.call("web_find", {})).content, [{ type: "text", text }])
          }
        }))
    }))

  it.effect("fails at once what a server only accepts, as a call of unknown outcome and as a handshake (R28, R52)", () =>
    Effect.gen(function*() {
      for (const mute of ["tools/call", "initialize"]) {
        const { fetch } = yield* ScriptedWeb.server(({ method }) =>
          method === mute || method === "server/discover" ? new Response(null, { status: 202 }) : undefined
        )
        const told = yield* Effect.forkChild(
          ScriptedWeb.withRegistry(fetch, {}, (registry) =>
            Effect.gen(function*() {
              const { error } = yield* registry.server("web")
              return error?.message ?? (yield* Effect.flip(registry.call("web_find", {}))).reason.message
            }))
        )
        yield* ScriptedHost.advance(3)
        assert.include(yield* Fiber.join(told), `it accepted ${mute} (HTTP 202) and said no more`)
      }
    }))

  it.effect("resumes a call's stream after the pause that the server asked for, and completes once (R86)", () =>
    Effect.gen(function*() {
      const { fetch, of, seen } = yield* ScriptedWeb.server((request, all) => {
        if (request.method === "tools/call") {
          return new Response("id: 42\nretry: 1000\ndata:\n\nid: 43\ndata: {\"cut", { headers: EVENTS })
        }
        const call = all.find(({ method }) => method === "tools/call")
        if (!request.headers.has("last-event-id") || call === undefined) return undefined
        return resuming(all).length < 2
          ? ScriptedWeb.events(["id: 44\ndata:"])
          : ScriptedWeb.events([answer(call, "late"), answer(call, "twice")])
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("web_find", {}))
          yield* ScriptedHost.advance(3)
          assert.deepStrictEqual((yield* Fiber.join(call)).content, [{ type: "text", text: "late" }])
        }))
      assert.strictEqual(of("tools/call").length, 1)
      const begun = of("tools/call")[0]?.millis ?? 0
      assert.deepStrictEqual(
        resuming(seen).map(({ headers, millis }) => [headers.get("last-event-id"), millis - begun]),
        [["42", 1000], ["44", 2000]]
      )
    }))

  it.effect("fails a call whose stream cannot be resumed, and stops asking when it is given up (R86)", () =>
    Effect.gen(function*() {
      const { fetch, seen } = yield* ScriptedWeb.server(({ headers, method }, all) => {
        if (method === "tools/call") return ScriptedWeb.events(["id: 1\nretry: 10\ndata:"])
        return headers.has("last-event-id") && all.filter((other) => other.method === "tools/call").length === 2
          ? ScriptedWeb.events(["id: 1\ndata:"])
          : undefined
      })
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "3 seconds" }, (registry) =>
        Effect.gen(function*() {
          const refused = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(1)
          assert.strictEqual((yield* Fiber.join(refused)).reason._tag, "OutcomeUnknown")
          const endless = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(4)
          assert.strictEqual((yield* Fiber.join(endless)).reason._tag, "CallTimeout")
          const asked = resuming(seen).length
          assert.isBelow(asked, 40)
          yield* ScriptedHost.advance(10)
          assert.strictEqual(resuming(seen).length, asked)
        }))
    }))

  it.effect("works without a listening stream, and does not ask for it again (R83)", () =>
    Effect.gen(function*() {
      for (const status of [400, 404, 405, 406, 501, 200]) {
        const { fetch, seen } = yield* ScriptedWeb.server(({ verb }) =>
          verb === "GET" ? new Response("a page", { status }) : undefined
        )
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            yield* ScriptedHost.advance(120)
            assert.strictEqual((yield* registry.server("web")).state, "ready")
            assert.isFalse((yield* registry.call("web_find", {})).isError)
          }))
        assert.strictEqual(listening(seen).length, 1, `after HTTP ${status}`)
      }
    }))

  it.effect("asks a server that keeps closing its listening stream less and less often (R85)", () =>
    Effect.gen(function*() {
      const { fetch, seen } = yield* ScriptedWeb.server(({ verb }) =>
        verb === "GET" ? ScriptedWeb.events(["retry: 10\ndata:"]) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(60)
          assert.isAtMost(listening(seen).length, 8)
          yield* ScriptedHost.advance(600)
          assert.isAtMost(listening(seen).length, 25)
          // It is asked, though: it may have become better.
          assert.isAtLeast(listening(seen).length, 14)
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      const asked = seen.length
      yield* ScriptedHost.advance(120)
      assert.strictEqual(seen.length, asked)
    }))

  it.effect("opens a listening stream again that broke, where it ended, and hears what comes then (R85)", () =>
    Effect.gen(function*() {
      const changed = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      const gets = [
        ScriptedWeb.events([`id: 5\ndata: {"jsonrpc":"2.0","method":"notifications/cut`]),
        new Response(null, { status: 502 }),
        ScriptedWeb.events([`id: 6\ndata: ${changed}`], true)
      ]
      const { fetch, of, seen } = yield* ScriptedWeb.server(({ verb }) => verb === "GET" ? gets.shift() : undefined)
      yield* ScriptedWeb.withRegistry(fetch, {}, () =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(5)
          assert.deepStrictEqual(of("GET").map(({ headers }) => headers.get("last-event-id")), [null, "5", "5"])
          assert.strictEqual(of("tools/list").length, 2)
        }))
      assert.isTrue(seen.filter(({ verb }) => verb === "GET").every(({ signal }) => signal?.aborted))
    }))

  it.effect("gives up a response that goes on behind its answer, so that it costs no connection", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/call" ? ScriptedWeb.events([answer(seen, "done")], true) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* registry.call("web_find", {})).content, [{ type: "text", text: "done" }])
          assert.isFalse(of("tools/call")[0]?.signal?.aborted)
          yield* ScriptedHost.advance(11)
          assert.isTrue(of("tools/call")[0]?.signal?.aborted)
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
    }))

  it.effect("follows no redirect to another origin, with no header and no body (R76)", () =>
    Effect.gen(function*() {
      for (const status of [301, 302, 307, 308]) {
        let isMoved = false
        const { fetch, seen } = yield* ScriptedWeb.server(() =>
          isMoved ? new Response(null, { status, headers: { location: "https://evil.example/mcp" } }) : undefined
        )
        yield* ScriptedWeb.withRegistry(fetch, { headers: { Authorization: "Bearer canary-token" } }, (registry) =>
          Effect.gen(function*() {
            isMoved = true
            const { reason } = yield* Effect.flip(registry.call("web_find", {}))
            assert.strictEqual(reason._tag, "HttpStatus")
            assert.include(reason.message, "evil.example")
          }))
        assert.isTrue(seen.every(({ url }) =>
          url.startsWith("https://mcp.example/")
        ))
        assert.isTrue(seen.some(({ verb }) =>
          verb === "DELETE"
        ))
      }
    }))

  it.effect("loses a broken stream at once in the revision that knows no resuming (R28, R86)", () =>
    Effect.gen(function*() {
      const discovered = {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        serverInfo: { name: "modern", version: "1" },
        ttlMs: 0,
        cacheScope: "private"
      }
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        if (seen.method === "server/discover") return ScriptedWeb.json(ScriptedWeb.result(seen, discovered))
        return seen.method === "tools/call" ? ScriptedWeb.events(["id: 42\nretry: 5000\ndata:"]) : undefined
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("web")).protocolVersion, "2026-07-28")
          const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.drain
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "OutcomeUnknown")
        }))
      assert.strictEqual(of("GET").length, 0)
      assert.strictEqual(of("tools/call").length, 1)
    }))
})
