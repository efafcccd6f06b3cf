import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const only = (method: string, refuse: () => Response | undefined): ScriptedWeb.Answer => (seen) =>
  seen.method === method ? refuse() : undefined

const tooMany = (retryAfter?: string) => () =>
  new Response("slow down", { status: 429, headers: retryAfter === undefined ? {} : { "retry-after": retryAfter } })

/** The first so many times. */
const times = (count: number, refuse: () => Response) => {
  let left = count
  return () => left-- > 0 ? refuse() : undefined
}

describe("HttpRefusals", () => {
  it.effect("says that a server asks for authorization, without trying again or asking in the old way (R81, R91)", () =>
    Effect.gen(function*() {
      for (const status of [401, 403]) {
        const { fetch, seen } = yield* ScriptedWeb.server(() => new Response("who are you?", { status }))
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const { failed } = yield* registry.settled
            const [server] = yield* registry.servers
            assert.strictEqual(server?.state, "needs-auth")
            assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "AuthRequired")
            assert.strictEqual(ScriptedHost.errorOf(failed[0])?.code, status)
            const before = seen.length
            yield* ScriptedHost.advance(60)
            assert.strictEqual(seen.length, before)
            assert.isTrue(seen.every(({ method, url }) => method !== "initialize" && url.endsWith("/mcp")))
          }))
      }
    }))

  it.effect("says that configured credentials were refused, whatever header has them, and never shows them (R75, R81)", () =>
    Effect.gen(function*() {
      for (const header of ["Authorization", "X-API-Key"]) {
        const { fetch } = yield* ScriptedWeb.server(() => new Response("canary-token is no good", { status: 401 }))
        yield* ScriptedWeb.withRegistry(
          fetch,
          { headers: { [header]: "canary-token" } },
          (registry) =>
            Effect.gen(function*() {
              const { failed } = yield* registry.settled
              assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "AuthRejected")
              assert.notInclude(JSON.stringify(yield* registry.servers), "canary-token")
            })
        )
      }
    }))

  it.effect("hides the session in what a server says in its refusals: who knows it may speak on it (R75)", () =>
    Effect.gen(function*() {
      for (const status of [401, 403, 404, 500, 503]) {
        const { fetch, of } = yield* ScriptedWeb.server((seen) =>
          seen.method === "tools/call"
            ? new Response(`no way, ${seen.headers.get("mcp-session-id")}`, { status })
            : undefined
        )
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const failed = yield* Effect.flip(registry.call("web_find", {}))
            assert.isString(of("tools/call")[0]?.headers.get("mcp-session-id"))
            assert.notMatch(JSON.stringify([failed.message, failed.reason]), /session-\d/)
          }))
      }
    }))

  it.effect("keeps the connection when a call alone is forbidden", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(
        only("tools/call", times(1, () => new Response(null, { status: 403 })))
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { reason } = yield* Effect.flip(registry.call("web_find", {}))
          assert.strictEqual(reason._tag, "AuthRequired")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("initialize").length, 1)
    }))

  it.effect("sends a call again after the pause that a 429 asks for, since it was not accepted", () =>
    Effect.gen(function*() {
      const inTwoSeconds = new Date(2000).toUTCString()
      for (const [asked, expected] of [["2", 2000], [inTwoSeconds, 2000], [undefined, 1000]] as const) {
        yield* TestClock.setTime(0)
        const { fetch, of } = yield* ScriptedWeb.server(only("tools/call", times(1, tooMany(asked))))
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(registry.call("web_find", {}))
            yield* ScriptedHost.advance(3)
            assert.isFalse((yield* Fiber.join(call)).isError)
          }))
        const [first, second] = of("tools/call")
        assert.strictEqual((second?.millis ?? 0) - (first?.millis ?? 0), expected)
      }
    }))

  it.effect("waits 5 s and sends three times at most, then names Retry-After", () =>
    Effect.gen(function*() {
      for (const [asked, sent, words] of [["30", 1, /429.*30 s.*Retry-After/], ["1", 3, /429.*1 s/]] as const) {
        const { fetch, of } = yield* ScriptedWeb.server(only("tools/call", tooMany(asked)))
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
            yield* ScriptedHost.advance(5)
            const { reason } = yield* Fiber.join(call)
            assert.strictEqual(reason._tag, "HttpStatus")
            assert.match(reason.message, words)
          }))
        assert.strictEqual(of("tools/call").length, sent)
      }
    }))

  it.effect("holds the limits of a call while it waits, and stops waiting when the call is given up", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(only("tools/call", tooMany("4")))
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "2 seconds" }, (registry) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
          yield* ScriptedHost.advance(10)
        }))
      assert.strictEqual(of("tools/call").length, 1)
    }))

  it.effect("does not take a 429 to the question for the era for an answer (R91)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(only("server/discover", times(1, tooMany("60"))))
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { error } = yield* registry.server("web")
          assert.strictEqual(error?._tag, "HttpStatus")
          assert.strictEqual(error?.code, 429)
          assert.strictEqual(of("initialize").length, 0)
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* registry.server("web")).state, "ready")
          assert.strictEqual(of("server/discover").length, 2)
        }))
    }))

  it.effect("never sends again what was answered with 5xx, and keeps the connection (Decision 8)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(
        only("tools/call", times(3, () => new Response("busy", { status: 503, headers: { "retry-after": "1" } })))
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          for (let count = 1; count <= 3; count++) {
            const { reason } = yield* Effect.flip(registry.call("web_find", {}))
            assert.strictEqual(reason._tag, "HttpStatus")
            assert.match(reason.message, /HTTP 503.*busy/)
            assert.strictEqual(of("tools/call").length, count)
          }
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("initialize").length, 1)
    }))

  it.effect("names the status when a server answers with one that the protocol does not know", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server(() => new Response("no such page", { status: 404 }))
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "HttpStatus")
          assert.strictEqual(ScriptedHost.errorOf(failed[0])?.code, 404)
          assert.match(ScriptedHost.errorOf(failed[0])?.hint ?? "", /path/)
        }))
    }))

  it.effect("says that a url answers, but not as an MCP server does", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server(() =>
        new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } })
      )
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { error } = yield* registry.server("web")
          assert.strictEqual(error?._tag, "HandshakeFailed")
          assert.match(error?.message ?? "", /not as an MCP server does.*text\/html/)
        }))
    }))

  it.effect("reads 8 KB of an error page, and waits 2 s for its words", () =>
    Effect.gen(function*() {
      let read = 0
      const endless = () =>
        new Response(
          new ReadableStream<Uint8Array>({
            pull: (controller) => {
              read += 1024
              controller.enqueue(new Uint8Array(1024).fill(0x78))
            }
          }, { highWaterMark: 0 }),
          { status: 500 }
        )
      const silent = () => new Response(new ReadableStream({}), { status: 500 })
      for (const page of [endless, silent]) {
        const { fetch } = yield* ScriptedWeb.server(only("tools/call", page))
        yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
          Effect.gen(function*() {
            const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
            yield* ScriptedHost.advance(2)
            const { reason } = yield* Fiber.join(call)
            assert.strictEqual(reason._tag, "HttpStatus")
            assert.isBelow(reason.message.length, 500)
          }))
      }
      assert.isBelow(read, 64 * 1024)
    }))
})
