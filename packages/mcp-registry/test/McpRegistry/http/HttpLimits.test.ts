import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FetchSend from "../../../../mcp-client/src/host/FetchSend.ts"
import type { HttpFailure } from "../../../../mcp-client/src/http/HttpFailure.ts"
import * as HttpResponse from "../../../../mcp-client/src/http/HttpResponse.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const CAP = 100_000
const entry = { maxMessageBytes: CAP }

const answer = (seen: ScriptedWeb.Seen, bytes: number) =>
  JSON.stringify(ScriptedWeb.result(seen, ScriptedWeb.text("x".repeat(bytes))))

/** The bytes of a text in pieces, counted as they are taken. */
const pieces = (text: string, taken: (bytes: number) => void) => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      const piece = bytes.slice(at, at + 4096)
      at += piece.length
      taken(piece.length)
      controller.enqueue(piece)
    }
  }, { highWaterMark: 0 })
}

const isTooLarge = (registry: Parameters<Parameters<typeof ScriptedWeb.withRegistry>[2]>[0]) =>
  Effect.gen(function*() {
    const { reason } = yield* Effect.flip(registry.call("web_find", {}))
    assert.strictEqual(reason._tag, "MessageTooLarge", reason.message)
  })

describe("HttpLimits", () => {
  it.effect("fails only the call whose JSON body is above the cap, and reads no further (R37, Decision 11)", () =>
    Effect.gen(function*() {
      for (const isAnnounced of [false, true]) {
        let read = 0
        let isLarge = true
        const { fetch, of } = yield* ScriptedWeb.server((seen) => {
          if (seen.method !== "tools/call" || !isLarge) return undefined
          const body = answer(seen, 40 * CAP)
          return new Response(pieces(body, (bytes) => read += bytes), {
            headers: {
              "content-type": "application/json",
              ...(isAnnounced ? { "content-length": String(body.length) } : {})
            }
          })
        })
        yield* ScriptedWeb.withRegistry(fetch, entry, (registry) =>
          Effect.gen(function*() {
            yield* isTooLarge(registry)
            assert.isBelow(read, isAnnounced ? 1 : 2 * CAP)
            isLarge = false
            assert.isFalse((yield* registry.call("web_find", {})).isError)
            assert.strictEqual((yield* registry.server("web")).state, "ready")
          }))
        assert.strictEqual(of("initialize").length, 1)
      }
    }))

  it.effect("fails only the call whose event is above the cap; the stream goes on (R37, Decision 11)", () =>
    Effect.gen(function*() {
      let isLarge = true
      const { fetch, of } = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/call" && isLarge
          ? new Response(pieces(`id: 1\ndata: ${answer(seen, 5 * CAP)}\n\n`, () => {}), {
            headers: { "content-type": "text/event-stream" }
          })
          : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, entry, (registry) =>
        Effect.gen(function*() {
          yield* isTooLarge(registry)
          isLarge = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          // It had an event id, but asking for it again would bring the same.
          yield* ScriptedHost.advance(5)
        }))
      assert.strictEqual(of("tools/call").length, 2)
      assert.strictEqual(of("GET").length, 1)
    }))

  it.effect("fails a call as soon as the event of its answer is above the cap, though the rest takes for ever", () =>
    Effect.gen(function*() {
      // The SDK's servers write the id behind the result.
      const start = `event: message\ndata: {"result":{"content":[{"type":"text","text":"${"x".repeat(2 * CAP)}`
      const { fetch } = yield* ScriptedWeb.server((seen) => {
        if (seen.method !== "tools/call") return undefined
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode(start))
        })
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      })
      yield* ScriptedWeb.withRegistry(fetch, entry, isTooLarge)
    }))

  it.effect("fails the request that a stream belongs to when no id can be found in what is above the cap", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server((seen) =>
        seen.method === "tools/call" ? ScriptedWeb.events([`data: ${"x".repeat(2 * CAP)}`], true) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, entry, isTooLarge)
    }))

  it.effect("drops a notification above the cap and gives the answer behind it", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server((seen) => {
        if (seen.method !== "tools/call") return undefined
        const notification = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(2 * CAP) } }
        return ScriptedWeb.events([`data: ${JSON.stringify(notification)}`, `data: ${answer(seen, 3)}`])
      })
      yield* ScriptedWeb.withRegistry(fetch, entry, (registry) =>
        Effect.gen(function*() {
          assert.deepStrictEqual((yield* registry.call("web_find", {})).content, [{ type: "text", text: "xxx" }])
        }))
    }))

  it.effect("holds the cap for each event, not for a stream", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server((seen) => {
        if (seen.method !== "tools/call") return undefined
        const notification = { jsonrpc: "2.0", method: "notifications/message", params: { data: "x".repeat(CAP / 2) } }
        const block = `data: ${JSON.stringify(notification)}`
        return ScriptedWeb.events([...Array.from({ length: 50 }, () => block), `data: ${answer(seen, 3)}`])
      })
      yield* ScriptedWeb.withRegistry(fetch, entry, (registry) =>
        Effect.gen(function*() {
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
    }))

  it.effect("cuts off a page that never ends, whatever it says it is", () =>
    Effect.gen(function*() {
      let read = 0
      const endless = () =>
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            read += 4096
            controller.enqueue(new Uint8Array(4096).fill(0x20))
          }
        }, { highWaterMark: 0 })
      for (const type of ["text/html", "application/json"]) {
        const { fetch } = yield* ScriptedWeb.server(({ method }) =>
          method === "tools/call" ? new Response(endless(), { headers: { "content-type": type } }) : undefined
        )
        yield* ScriptedWeb.withRegistry(fetch, entry, (registry) => Effect.flip(registry.call("web_find", {})))
      }
      assert.isBelow(read, 4 * CAP)
    }))

  it.effect("gives up a stream whose event never ends, and lets go of the connection (R37)", () =>
    Effect.gen(function*() {
      let sent = 0
      const letGo = yield* Deferred.make<void>()
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent++
          controller.enqueue(new TextEncoder().encode(sent === 1 ? "data: " : "x".repeat(100)))
        },
        cancel: () => void Deferred.doneUnsafe(letGo, Effect.void)
      })
      const failed = yield* Deferred.make<HttpFailure | null>()
      const request = { method: "GET", url: new URL("http://mcp.example/"), headers: {}, body: null } as const
      const stop = FetchSend.over(() => Promise.resolve(new Response(body)))(request, {
        onHeaders: () => {},
        ...HttpResponse.events({
          maxBytes: 200,
          endlessBytes: 1000,
          onMessage: () => assert.fail(),
          onOversized: () => assert.fail(),
          onOver: (failure) => {
            stop()
            Deferred.doneUnsafe(failed, Effect.succeed(failure))
          }
        })
      })
      assert.match(JSON.stringify(yield* Deferred.await(failed)), /an event without an end/)
      yield* Deferred.await(letGo)
      assert.isBelow(sent, 20)
    }))
})
