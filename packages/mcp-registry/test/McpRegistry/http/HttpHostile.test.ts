import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FetchSend from "../../../../mcp-client/src/host/FetchSend.ts"
import type { HttpSend } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const text = (words: string) => new TextEncoder().encode(words)

/** A body that never ends, and whether it was given up. */
const endless = () => {
  const state = { isGivenUp: false }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(text("and on")),
    cancel: () => {
      state.isGivenUp = true
    }
  })
  return { body, state }
}

const resuming = (seen: ReadonlyArray<ScriptedWeb.Seen>) => seen.filter(({ headers }) => headers.has("last-event-id"))

const discovered = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  serverInfo: { name: "modern", version: "1" },
  ttlMs: 0,
  cacheScope: "private"
}

describe("A server over HTTP that means no good", () => {
  it.effect("keeps no connection by what it says to the end of its session (R44)", () =>
    Effect.gen(function*() {
      const { body, state } = endless()
      const { fetch, of } = yield* ScriptedWeb.server(({ verb }) => verb === "DELETE" ? new Response(body) : undefined)
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) => registry.call("web_find", {}))
      assert.lengthOf(of("DELETE"), 1)
      assert.isTrue(state.isGivenUp)
    }))

  it.effect("is told with its status when that is none that a program may make up", () =>
    Effect.gen(function*() {
      for (const status of [0, 600, 999]) {
        const { fetch } = yield* ScriptedWeb.server()
        const direct = FetchSend.over(fetch)
        let isAborted = false
        const send: HttpSend = (request, receiver) => {
          if (request.body?.includes("tools/call") !== true) return direct(request, receiver)
          queueMicrotask(() => receiver.onHeaders(status, {}))
          return () => {
            isAborted = true
          }
        }
        yield* ScriptedWeb.withRegistry({ fetch, send }, {}, (registry) =>
          Effect.gen(function*() {
            const { reason } = yield* Effect.flip(registry.call("web_find", {}))
            assert.strictEqual(reason._tag, "HttpStatus")
            assert.include(reason.message, `${status}`)
            assert.strictEqual(reason.message.includes("Redirect not followed"), status === 0)
          }))
        assert.isTrue(isAborted)
      }
    }))

  it.effect("is asked less and less often for a stream that brings nothing, however short a pause it wants (R86)", () =>
    Effect.gen(function*() {
      const { fetch, seen } = yield* ScriptedWeb.server(({ headers, method }) =>
        method === "tools/call" || headers.has("last-event-id")
          ? ScriptedWeb.events(["id: 1\nretry: 0\ndata:"])
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, { timeout: "60 seconds" }, (registry) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.advance(61)
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "CallTimeout")
        }))
      assert.isBelow(resuming(seen).length, 70)
    }))

  it.effect("is not reached on the port of another protocol, by no way", () =>
    Effect.gen(function*() {
      const { fetch, seen } = yield* ScriptedWeb.server()
      let isSent = false
      const direct = FetchSend.over(fetch)
      const send: HttpSend = (request, receiver) => {
        isSent = true
        return direct(request, receiver)
      }
      const url = "http://mail.example:25/mcp"
      yield* ScriptedWeb.withRegistry({ fetch, send }, { url }, (registry) => registry.call("web_find", {}))
      assert.isFalse(isSent)
      assert.isAbove(seen.length, 3)
    }))

  it.effect("may say with HTTP 404 that it knows no such method, as the revision of 2026-07-28 wants it", () =>
    Effect.gen(function*() {
      const error = { code: -32601, message: "no such method here" }
      const { fetch, of } = yield* ScriptedWeb.server((seen) => {
        if (seen.method === "server/discover") return ScriptedWeb.json(ScriptedWeb.result(seen, discovered))
        if (seen.method !== "tools/call") return undefined
        return new Response(JSON.stringify({ jsonrpc: "2.0", id: seen.message?.["id"], error }), { status: 404 })
      })
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const { content, isError } = yield* registry.call("web_find", {})
          assert.isTrue(isError)
          assert.include(JSON.stringify(content), "no such method here")
        }))
      assert.lengthOf(of("tools/call"), 1)
    }))
})
