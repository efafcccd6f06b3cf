import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const encoder = new TextEncoder()

/** A server of revision 2024-11-05: its one stream is the session, and carries every answer. */
const sseServer = (answer: (seen: ScriptedWeb.Seen) => string | undefined = () => undefined) =>
  Effect.gen(function*() {
    let stream: ReadableStreamDefaultController<Uint8Array> | null = null
    const say = (text: string) => stream?.enqueue(encoder.encode(text))
    const web = yield* ScriptedWeb.server((seen) => {
      if (seen.verb === "GET") {
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            stream = controller
            say("event: endpoint\ndata: /messages\n\n")
          }
        })
        return new Response(body, { headers: { "content-type": "text/event-stream" } })
      }
      if (seen.message?.["id"] === undefined) return new Response(null, { status: 202 })
      const given = answer(seen)
      const result = seen.method === "initialize"
        ? { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } }
        : seen.method === "tools/list"
        ? { tools: [ScriptedHost.tool("find")] }
        : ScriptedWeb.text("found")
      if (given !== "") say(`data: ${given ?? JSON.stringify(ScriptedWeb.result(seen, result))}\n\n`)
      return new Response(null, { status: 202 })
    })
    const drop = () => {
      stream?.close()
      stream = null
    }
    return { ...web, drop }
  })

const entry = { type: "sse", protocol: "legacy", url: "https://mcp.example/sse" }

describe("HttpLegacySse", () => {
  it.effect("fails calls at once when the stream ends, and opens one new session for the next (R22, R28, R85)", () =>
    Effect.gen(function*() {
      let isSilent = true
      const { drop, fetch, of } = yield* sseServer(({ method }) => method === "tools/call" && isSilent ? "" : undefined)
      yield* ScriptedWeb.withRegistry(fetch, entry, (registry) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(Effect.flip(registry.call("web_find", {})))
          yield* ScriptedHost.drain
          drop()
          yield* ScriptedHost.drain
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "OutcomeUnknown")
          yield* ScriptedHost.advance(60)
          assert.strictEqual(of("GET").length, 1)
          isSilent = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
          assert.strictEqual(of("initialize").length, 2)
          assert.strictEqual(of("GET").length, 2)
        }))
      assert.isTrue(of("GET").every(({ signal }) => signal?.aborted))
    }))

  it.effect("fails only the call whose answer is above the cap (R37, Decision 11)", () =>
    Effect.gen(function*() {
      const large = (seen: ScriptedWeb.Seen) =>
        JSON.stringify(ScriptedWeb.result(seen, ScriptedWeb.text("x".repeat(9000))))
      let isLarge = true
      const { fetch, of } = yield* sseServer((seen) =>
        seen.method === "tools/call" && isLarge ? large(seen) : undefined
      )
      yield* ScriptedWeb.withRegistry(fetch, { ...entry, maxMessageBytes: 5000 }, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(registry.call("web_find", {}))).reason._tag, "MessageTooLarge")
          isLarge = false
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.strictEqual(of("initialize").length, 1)
    }))
})
