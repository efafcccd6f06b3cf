import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const DISCOVER = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }

const isQuestion = ({ method }: ScriptedWeb.Seen) => method === "server/discover"

/** What a server of revision 2026-07-28 answers; it knows no `initialize`. */
const modern: ScriptedWeb.Answer = (seen) => {
  if (seen.verb !== "POST") return new Response(null, { status: 405 })
  switch (seen.method) {
    case "server/discover":
      return ScriptedWeb.json(ScriptedWeb.result(seen, DISCOVER))
    case "tools/list":
      return ScriptedWeb.json(
        ScriptedWeb.result(seen, { resultType: "complete", tools: [ScriptedHost.tool("find")] })
      )
    case "tools/call":
      return ScriptedWeb.json(ScriptedWeb.result(seen, { resultType: "complete", ...ScriptedWeb.text("found") }))
    default: {
      const error = { code: -32022, message: "Unsupported protocol version", data: { supported: ["2026-07-28"] } }
      return new Response(JSON.stringify({ jsonrpc: "2.0", id: seen.message?.["id"] ?? null, error }), {
        status: 400,
        headers: { "content-type": "application/json" }
      })
    }
  }
}

const error = (seen: ScriptedWeb.Seen, code: number, data: ScriptedWeb.Json = {}): ScriptedWeb.Json => ({
  jsonrpc: "2.0",
  id: seen.message?.["id"] ?? null,
  error: { code, message: "no", data }
})

const failed = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(), { code }) })

/** Answers the question as given, and everything else as a server of revision 2025-11-25. */
const answering = (answer: (seen: ScriptedWeb.Seen) => Response | Promise<Response> | null) =>
  ScriptedWeb.server((seen) => isQuestion(seen) ? answer(seen) : undefined)

const statusOf = (fetch: typeof globalThis.fetch, entry: Readonly<Record<string, unknown>> = {}) =>
  ScriptedWeb.withRegistry(fetch, entry, (registry) => registry.server("web"))

describe("HttpProbe", () => {
  it.effect("asks server/discover once, and serves by what it answers, without initialize (R91)", () =>
    Effect.gen(function*() {
      const { fetch, of, seen } = yield* ScriptedWeb.server(modern)
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* registry.server("web")).protocolVersion, "2026-07-28")
          assert.deepStrictEqual((yield* registry.call("web_find", {})).content, [{ type: "text", text: "found" }])
        }))
      assert.deepStrictEqual(seen.map(({ method }) => method), ["server/discover", "tools/list", "tools/call"])
      const [question] = of("server/discover")
      assert.strictEqual(question?.headers.get("mcp-protocol-version"), "2026-07-28")
      assert.strictEqual(question?.headers.get("mcp-method"), "server/discover")
      const meta = Reflect.get(Object(question?.message?.["params"]), "_meta")
      assert.strictEqual(Reflect.get(meta, "io.modelcontextprotocol/protocolVersion"), "2026-07-28")
    }))

  it.effect("falls back on every answer but a modern one, not on one code alone (R91)", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<(seen: ScriptedWeb.Seen) => Response | Promise<Response>> = [
        ...[-32601, -32600, -32000, -32001, -32020, -32021, 1].map((code) => (seen: ScriptedWeb.Seen) =>
          ScriptedWeb.json(error(seen, code))
        ),
        (seen) => ScriptedWeb.json(error(seen, -32022, { supported: ["2025-11-25", "2027-01-01"] })),
        () => new Response(null, { status: 202 }),
        (seen) => ScriptedWeb.json(ScriptedWeb.result(seen, {})),
        (seen) => ScriptedWeb.json(ScriptedWeb.result(seen, { ...DISCOVER, supportedVersions: ["2025-11-25"] })),
        ...[400, 404, 405, 406, 415, 500, 501, 503].map((status) => () => new Response("what?", { status })),
        (seen) => new Response(JSON.stringify(error(seen, -32000)), { status: 400 }),
        () => new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
        () => new Response("{ broken", { headers: { "content-type": "application/json" } }),
        () => new Response("[1]", { headers: { "content-type": "application/json" } }),
        () => ScriptedWeb.json({ jsonrpc: "2.0", id: "another", result: DISCOVER }),
        () => ScriptedWeb.events([": nothing"]),
        () => Promise.reject(failed("ECONNRESET")),
        () => Promise.reject(failed("UND_ERR_SOCKET"))
      ]
      for (const answer of answers) {
        const { fetch, of } = yield* answering(answer)
        assert.strictEqual((yield* statusOf(fetch)).protocolVersion, "2025-11-25", String(answer))
        assert.lengthOf(of("server/discover"), 1)
        assert.lengthOf(of("initialize"), 1)
      }
    }))

  it.effect("asks once more, and no oftener, where a server refuses the revision that it says it speaks (R91)", () =>
    Effect.gen(function*() {
      const refusal = (seen: ScriptedWeb.Seen) =>
        new Response(JSON.stringify(error(seen, -32022, { supported: ["2026-07-28"] })), { status: 400 })
      let asked = 0
      const relents = yield* ScriptedWeb.server((seen, count) =>
        isQuestion(seen) && ++asked === 1 ? refusal(seen) : modern(seen, count)
      )
      assert.strictEqual((yield* statusOf(relents.fetch)).protocolVersion, "2026-07-28")
      assert.lengthOf(relents.of("initialize"), 0)
      const insists = yield* answering(refusal)
      assert.strictEqual((yield* statusOf(insists.fetch)).protocolVersion, "2025-11-25")
      assert.lengthOf(insists.of("server/discover"), 2)
    }))

  it.effect("falls back after five seconds of silence by the registry's own clock, not before (R91)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* answering(() => null)
      const status = yield* Effect.forkChild(statusOf(fetch))
      yield* ScriptedHost.drain
      yield* TestClock.adjust("4999 millis")
      yield* ScriptedHost.drain
      assert.lengthOf(of("initialize"), 0)
      yield* TestClock.adjust("1 millis")
      yield* ScriptedHost.drain
      assert.strictEqual((yield* Fiber.join(status)).state, "ready")
      // Nobody waits for that answer any more.
      assert.isTrue(of("server/discover")[0]?.signal?.aborted)
    }))

  it.effect.each([["an error", 200], ["HTTP", 400], ["an empty result", 200]] as const)(
    "takes the late answer of a server of 2026-07-28 only, which answers initialize with %s %i meanwhile (R91)",
    ([what, status]) =>
      Effect.gen(function*() {
        let answer = () => {}
        const { fetch, of } = yield* ScriptedWeb.server((seen, all) => {
          if (isQuestion(seen)) {
            return new Promise((resolve) => {
              answer = () => resolve(ScriptedWeb.json(ScriptedWeb.result(seen, DISCOVER)))
            })
          }
          if (seen.method !== "initialize") return modern(seen, all)
          const said = what === "an empty result" ? ScriptedWeb.result(seen, {}) : error(seen, -32601)
          return new Response(JSON.stringify(said), {
            status,
            headers: { "content-type": "application/json" }
          })
        })
        const served = yield* Effect.forkChild(
          ScriptedWeb.withRegistry(fetch, {}, (registry) =>
            Effect.andThen(registry.call("web_find", {}), registry.server("web")))
        )
        yield* ScriptedHost.advance(12)
        assert.lengthOf(of("initialize"), 1)
        assert.isUndefined(served.pollUnsafe())
        answer()
        yield* ScriptedHost.drain
        assert.strictEqual((yield* Fiber.join(served)).protocolVersion, "2026-07-28")
        assert.lengthOf(of("server/discover"), 1)
      })
  )

  it.effect("tells the refusal of initialize where the late answer does not come either", () =>
    Effect.gen(function*() {
      const { fetch } = yield* ScriptedWeb.server((seen, all) => isQuestion(seen) ? null : modern(seen, all))
      const status = yield* Effect.forkChild(statusOf(fetch))
      yield* ScriptedHost.advance(21)
      assert.match((yield* Fiber.join(status)).error?.message ?? "", /2025-11-25.*2026-07-28/)
    }))

  it.effect("takes a third of startupTimeout at most for the question, and names the step that was not answered", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(() => null)
      const status = yield* Effect.forkChild(statusOf(fetch, { startupTimeout: "6 seconds" }))
      yield* ScriptedHost.advance(2)
      assert.lengthOf(of("initialize"), 1)
      yield* ScriptedHost.advance(4)
      const { error } = yield* Fiber.join(status)
      assert.strictEqual(error?._tag, "HandshakeTimeout")
      assert.strictEqual(error?.method, "initialize")
    }))

  it.effect("does not greet in the old way whom it could not reach, nor who sent it elsewhere (R91)", () =>
    Effect.gen(function*() {
      const answers: ReadonlyArray<readonly [string, () => Response | Promise<Response>]> = [
        ["ConnectionLost", () => Promise.reject(failed("ECONNREFUSED"))],
        ["ConnectionLost", () => Promise.reject(failed("DEPTH_ZERO_SELF_SIGNED_CERT"))],
        ["ConnectionLost", () => Promise.reject(failed("CERT_HAS_EXPIRED"))],
        ["HttpStatus", () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } })]
      ]
      for (const [tag, answer] of answers) {
        const { fetch, of } = yield* answering(answer)
        assert.strictEqual((yield* statusOf(fetch)).error?._tag, tag)
        assert.lengthOf(of("initialize"), 0)
      }
    }))

  it.effect("says so when a server speaks later revisions only, as a body or with a status (R90, R91)", () =>
    Effect.gen(function*() {
      const answers = [
        (seen: ScriptedWeb.Seen) => ScriptedWeb.json(error(seen, -32022, { supported: ["2027-01-01"] })),
        // An error that was found before the message was read has no id.
        (seen: ScriptedWeb.Seen) =>
          new Response(JSON.stringify({ ...error(seen, -32022, { supported: ["2027-01-01"] }), id: null }), {
            status: 400
          })
      ]
      for (const answer of answers) {
        const { fetch, of } = yield* answering(answer)
        const { error: told } = yield* statusOf(fetch)
        assert.strictEqual(told?._tag, "ProtocolMismatch")
        assert.match(told?.message ?? "", /2026-07-28.*2025-11-25.*2027-01-01/)
        assert.lengthOf(of("initialize"), 0)
      }
    }))

  it.effect("never falls back when the entry asks for 2026-07-28, and tries a server that only stumbled again (R91)", () =>
    Effect.gen(function*() {
      const entry = { protocol: "2026-07-28" }
      const refusing = yield* answering(() => new Response(null, { status: 404 }))
      assert.strictEqual((yield* statusOf(refusing.fetch, entry)).error?._tag, "ProtocolMismatch")
      let isUp = false
      const stumbling = yield* ScriptedWeb.server((seen, all) =>
        isUp ? modern(seen, all) : new Response("starting", { status: 503 })
      )
      yield* ScriptedWeb.withRegistry(stumbling.fetch, entry, (registry) =>
        Effect.gen(function*() {
          const { error } = yield* registry.server("web")
          assert.strictEqual(error?._tag, "HandshakeFailed")
          assert.match(error?.message ?? "", /HTTP 503/)
          isUp = true
          yield* ScriptedHost.advance(2)
          assert.strictEqual((yield* registry.server("web")).protocolVersion, "2026-07-28")
        }))
      assert.lengthOf([...refusing.of("initialize"), ...stumbling.of("initialize")], 0)
    }))

  it.effect("does not ask over the transport that is older than the question, and says when that cannot be (R91)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(() => new Response(null, { status: 500 }))
      yield* statusOf(fetch, { type: "sse" })
      assert.lengthOf(of("server/discover"), 0)
      const { error } = yield* statusOf(fetch, { type: "sse", protocol: "2026-07-28" })
      assert.strictEqual(error?._tag, "ProtocolMismatch")
    }))
})
