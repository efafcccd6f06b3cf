import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as JsonRpc from "../../../mcp-client/src/base/JsonRpc.ts"
import { type CallProgress, McpRegistry } from "../../src/index.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

type Json = Schema.JsonObject

/** A server that leaves calls open, so that the test answers them. */
const withOpenCalls = <A, E>(
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], server: () => ScriptedHost.Running) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({
      server: { answer: ({ method }) => method === "tools/call" ? null : undefined }
    })
    const layer = host.layer({ s: { command: "server", ...entry } })
    return yield* McpRegistry.use((registry) =>
      Effect.andThen(
        registry.settled,
        body(registry, () => {
          const [only] = host.running
          return only ?? assert.fail("no server runs")
        })
      )
    ).pipe(Effect.provide(layer))
  })

const calls = (server: ScriptedHost.Running) => server.received.filter(({ method }) => method === "tools/call")
const idOf = (message: Json | undefined) => message?.["id"] ?? assert.fail("no such message")
const tokenOf = (message: Json | undefined) => {
  const params = message?.["params"]
  const meta = JsonRpc.isObject(params) ? params["_meta"] : undefined
  return JsonRpc.isObject(meta) ? meta["progressToken"] ?? null : null
}
const textResult = (id: Schema.Json, text: string): Json => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] }
})

describe("ServerCall", () => {
  it.effect("matches answers to calls when they come out of order (R95)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(registry.call("s_echo", { n: 1 }))
        const second = yield* Effect.forkChild(registry.call("s_echo", { n: 2 }))
        yield* TestClock.adjust(0)
        const [a, b] = calls(server())
        server().say(textResult(idOf(b), "second"))
        server().say(textResult(idOf(a), "first"))
        assert.match(JSON.stringify((yield* Fiber.join(first)).content), /first/)
        assert.match(JSON.stringify((yield* Fiber.join(second)).content), /second/)
      })))

  it.effect("fails a silent call at its idle limit and keeps the connection (R25, R28)", () =>
    withOpenCalls({ timeout: "5 seconds" }, (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* TestClock.adjust("5 seconds")
        const error = yield* Fiber.join(call)
        assert.strictEqual(error.reason._tag, "CallTimeout")
        assert.match(error.message, /5 s/)
        const next = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        server().say(textResult(idOf(calls(server())[1]), "still here"))
        assert.match(JSON.stringify((yield* Fiber.join(next)).content), /still here/)
        assert.strictEqual(server().received.filter(({ method }) => method === "initialize").length, 1)
      })))

  it.effect("lets progress reset the idle limit, told in order, up to the total limit (R25, R26)", () =>
    withOpenCalls(
      { timeout: "4 seconds", maxTotalTimeout: "20 seconds" },
      (registry, server) =>
        Effect.gen(function*() {
          const told: Array<CallProgress> = []
          const call = yield* Effect.forkChild(
            Effect.flip(
              registry.call("s_echo", {}, { onProgress: (progress) => Effect.sync(() => void told.push(progress)) })
            )
          )
          yield* TestClock.adjust(0)
          const progressToken = tokenOf(calls(server())[0])
          assert.isNotNull(progressToken)
          for (let progress = 1; progress <= 10; progress++) {
            server().say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } })
            yield* TestClock.adjust("2 seconds")
          }
          const error = yield* Fiber.join(call)
          assert.strictEqual(error.reason._tag, "CallTimeout")
          assert.match(error.message, /20 s/)
          assert.deepStrictEqual(told.map(({ progress }) => progress), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
        })
    ))

  it.effect("sends one cancellation with a constant reason when a call is interrupted, and ignores the late answer (R29, R30, R107)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        yield* Fiber.interrupt(call)
        yield* TestClock.adjust(0)
        const id = idOf(calls(server())[0])
        const cancelled = server().received.filter(({ method }) => method === "notifications/cancelled")
        assert.deepStrictEqual(cancelled.map(({ params }) => params), [
          { requestId: id, reason: "the client cancelled the call" }
        ])
        server().say(textResult(id, "too late"))
        const next = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        server().say(textResult(idOf(calls(server())[1]), "in time"))
        assert.match(JSON.stringify((yield* Fiber.join(next)).content), /in time/)
      })))

  it.effect("gives a tool's own error and a JSON-RPC error as results, without a new connection (R24, R32)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const own = yield* Effect.forkChild(registry.call("s_echo", {}))
        const rpc = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        const [a, b] = calls(server())
        server().say({
          jsonrpc: "2.0",
          id: idOf(a),
          result: { isError: true, content: [{ type: "text", text: "no" }] }
        })
        server().say({ jsonrpc: "2.0", id: idOf(b), error: { code: -32602, message: "bad params", data: ["path"] } })
        assert.isTrue((yield* Fiber.join(own)).isError)
        const result = yield* Fiber.join(rpc)
        assert.isTrue(result.isError)
        assert.deepStrictEqual(result.content, [
          { type: "text", text: `tools/call: bad params; data: ["path"] (-32602)` }
        ])
        assert.strictEqual(server().received.filter(({ method }) => method === "initialize").length, 1)
      })))

  it.effect("reports an unknown outcome, once, when the server dies during a call (R6, R23, Decision 8)", () =>
    withOpenCalls({ restart: "on-failure" }, (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* TestClock.adjust(0)
        const died = server()
        died.exit(1)
        yield* TestClock.adjust("900 millis")
        const error = yield* Fiber.join(call)
        assert.strictEqual(error.reason._tag, "OutcomeUnknown")
        assert.match(error.message, /exited with code 1/)
        assert.strictEqual(calls(died).length, 1)
      })))

  it.effect("fails only the call whose answer is above the cap, and keeps the connection (R37, Decision 11)", () =>
    withOpenCalls({ maxMessageBytes: 2000 }, (registry, server) =>
      Effect.gen(function*() {
        const big = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", { n: 1 })))
        const small = yield* Effect.forkChild(registry.call("s_echo", { n: 2 }))
        yield* TestClock.adjust(0)
        const [a, b] = calls(server())
        server().say(textResult(idOf(a), "x".repeat(5000)))
        server().say(textResult(idOf(b), "fine"))
        assert.strictEqual((yield* Fiber.join(big)).reason._tag, "MessageTooLarge")
        assert.match(JSON.stringify((yield* Fiber.join(small)).content), /fine/)
        assert.strictEqual((yield* registry.server("s")).state, "ready")
      })))

  it.effect("fails all open calls when an answer above the cap has no id (Decision 11)", () =>
    withOpenCalls({ maxMessageBytes: 2000 }, (registry, server) =>
      Effect.gen(function*() {
        const one = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        const two = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* TestClock.adjust(0)
        server().write(`{"jsonrpc":"2.0","result":"${"x".repeat(5000)}"}\n`)
        assert.strictEqual((yield* Fiber.join(one)).reason._tag, "MessageTooLarge")
        assert.strictEqual((yield* Fiber.join(two)).reason._tag, "MessageTooLarge")
        assert.strictEqual((yield* registry.server("s")).state, "ready")
      })))

  it.effect("keeps to maxConcurrency, and waiting does not eat the call's time (R96)", () =>
    withOpenCalls({ maxConcurrency: 1, timeout: "5 seconds" }, (registry, server) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(registry.call("s_echo", {}))
        const second = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(calls(server()).length, 1)
        server().say(textResult(idOf(calls(server())[0]), "first"))
        yield* Fiber.join(first)
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(calls(server()).length, 2)
        server().say(textResult(idOf(calls(server())[1]), "second"))
        assert.match(JSON.stringify((yield* Fiber.join(second)).content), /second/)
      })))

  it.effect("keeps content that the protocol does not know (R64)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        const content = [{ type: "hologram", depth: 3 }, { type: "image", data: "AAAA" }]
        server().say({ jsonrpc: "2.0", id: idOf(calls(server())[0]), result: { content } })
        assert.deepStrictEqual((yield* Fiber.join(call)).content, content)
      })))

  it.effect("loses nothing of content that is no list of blocks (R60, R64)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const cases: ReadonlyArray<readonly [given: Schema.Json | undefined, read: ReadonlyArray<Schema.JsonObject>]> =
          [
            [undefined, []],
            [null, []],
            ["words", [{ type: "text", text: "words" }]],
            [{ type: "text", text: "alone" }, [{ type: "text", text: "alone" }]],
            [[null, 7, "bare", [1]], [
              { type: "null", value: null },
              { type: "number", value: 7 },
              { type: "text", text: "bare" },
              { type: "list", value: [1] }
            ]]
          ]
        for (const [content, read] of cases) {
          const call = yield* Effect.forkChild(registry.call("s_echo", {}))
          yield* TestClock.adjust(0)
          const result = content === undefined ? {} : { content }
          server().say({ jsonrpc: "2.0", id: idOf(calls(server()).at(-1)), result })
          assert.deepStrictEqual((yield* Fiber.join(call)).content, read)
        }
      })))

  it.effect("removes from a result what hides, from keys and values (R100)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const cleaned = Effect.fnUntraced(function*(result: Json) {
          const call = yield* Effect.forkChild(registry.call("s_echo", {}))
          yield* TestClock.adjust(0)
          server().say({ jsonrpc: "2.0", id: idOf(calls(server()).at(-1)), result })
          const { content, structuredContent } = yield* Fiber.join(call)
          return { content, structuredContent }
        })
        const content = [{ type: "text", text: "a\u200b\u001b[31mb" }]
        const read = [{ type: "text", text: "ab" }]
        assert.deepStrictEqual(yield* cleaned({ content }), { content: read, structuredContent: null })
        assert.deepStrictEqual(
          yield* cleaned({ content, structuredContent: { "k\u202e": ["\u{E0041}v"] } }),
          { content: read, structuredContent: { k: ["v"] } }
        )
        const keys = [{ type: "text", text: "a", "k\u200b": "v" }]
        assert.deepStrictEqual((yield* cleaned({ content: keys })).content, [{ type: "text", text: "a", k: "v" }])
      })))

  it.effect("gives the texts of a good result to the letter to who asks for that, and cleans an error all the same", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const asWritten = Effect.fnUntraced(function*(result: Json) {
          const call = yield* Effect.forkChild(registry.call("s_echo", {}, { asWritten: true }))
          yield* TestClock.adjust(0)
          server().say({ jsonrpc: "2.0", id: idOf(calls(server()).at(-1)), result })
          const { content, isError, structuredContent } = yield* Fiber.join(call)
          return { content, isError, structuredContent }
        })
        const content = [{ type: "text", text: "\uFEFFa\r\nb\u200b" }]
        const result = { content, structuredContent: { content: "a" } }
        assert.deepStrictEqual(yield* asWritten(result), { content, isError: false, structuredContent: null })
        assert.deepStrictEqual((yield* asWritten({ ...result, isError: true })).content, [{
          type: "text",
          text: "a\nb"
        }])
      })))

  it.effect("takes an answer whose id came back as text (R95)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        server().say(textResult(String(idOf(calls(server())[0])), "as text"))
        assert.match(JSON.stringify((yield* Fiber.join(call)).content), /as text/)
      })))

  it.effect("goes on after an answer that nobody asked for and nobody can write out (R42)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        const nested = `${"{\"a\":".repeat(20_000)}1${"}".repeat(20_000)}`
        server().write(`{"jsonrpc":"2.0","id":999,"result":${nested}}\n`)
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(0)
        server().say(textResult(idOf(calls(server())[0]), "still here"))
        assert.match(JSON.stringify((yield* Fiber.join(call)).content), /still here/)
      })))

  it.effect("is told that nothing was sent when the server closed its input, and the server is failed (Decision 8)", () =>
    withOpenCalls({}, (registry, server) =>
      Effect.gen(function*() {
        server().closeInput()
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* TestClock.adjust("1 second")
        const error = yield* Fiber.join(call)
        assert.match(error.message, /closed its standard input/)
        const status = yield* registry.server("s")
        assert.strictEqual(status.error?._tag, "ConnectionLost")
        const next = yield* Effect.flip(registry.call("s_echo", {}))
        assert.strictEqual(next.reason._tag, "NotReady")
        yield* Effect.forkChild(registry.stop("s"))
        yield* ScriptedHost.advance(7)
      })))

  it.effect("is told the state when the server was stopped while the call waited for its turn (R96)", () =>
    withOpenCalls({ maxConcurrency: 1 }, (registry, server) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", { n: 1 })))
        yield* TestClock.adjust(0)
        const second = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", { n: 2 })))
        yield* TestClock.adjust(0)
        assert.lengthOf(calls(server()), 1)
        yield* registry.stop("s")
        assert.strictEqual((yield* Fiber.join(first)).reason._tag, "OutcomeUnknown")
        const { reason } = yield* Fiber.join(second)
        assert.strictEqual(reason._tag, "NotReady")
        assert.match(reason.message, /stopped/)
      })))
})
