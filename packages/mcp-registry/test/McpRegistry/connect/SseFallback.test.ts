import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { Verdict } from "../../../../mcp-client/src/host/ProtocolMemory.ts"
import { type McpRegistry, ProtocolMemory } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const encoder = new TextEncoder()

/** A server of revision 2024-11-05: a POST to its address is refused, a GET opens the stream that has every answer. */
const oldServer = (refuse: () => Response) => {
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null
  const say = (text: string) => stream?.enqueue(encoder.encode(text))
  const drop = () => {
    stream?.close()
    stream = null
  }
  const answer: ScriptedWeb.Answer = (seen) => {
    if (seen.verb === "GET") {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          stream = controller
          say("event: endpoint\ndata: /messages\n\n")
        }
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    if (!seen.url.endsWith("/messages")) return refuse()
    if (seen.message?.["id"] === undefined) return new Response(null, { status: 202 })
    const result = seen.method === "initialize"
      ? { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } }
      : seen.method === "tools/list"
      ? { tools: [ScriptedHost.tool("find")] }
      : ScriptedWeb.text("found")
    say(`data: ${JSON.stringify(ScriptedWeb.result(seen, result))}\n\n`)
    return new Response(null, { status: 202 })
  }
  return Effect.map(ScriptedWeb.server(answer), (web) => ({ ...web, drop }))
}

/** A memory of one server. */
const memory = (first: Omit<Verdict, "at"> | null = null) => {
  let kept = first
  const layer = Layer.succeed(ProtocolMemory, {
    recall: () => Effect.map(DateTime.now, (at) => kept === null ? null : { ...kept, at }),
    remember: (_, verdict) => Effect.sync(() => void (kept = verdict)),
    forget: () => Effect.sync(() => void (kept = null))
  })
  return { kept: () => kept, layer }
}

const SSE = { era: "sse", reason: "it said so", discover: null } as const

const requests = (web: ScriptedWeb.Server) =>
  web.seen.map(({ method, verb }) => verb === "POST" ? String(method) : verb)

/** An attempt at a server, as long as it takes. */
const start = <A>(
  web: ScriptedWeb.Server,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, unknown>,
  more: { readonly entry?: Readonly<Record<string, unknown>>; readonly memory?: Layer.Layer<never> } = {}
) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(
      Effect.provide(ScriptedWeb.withRegistry(web.fetch, more.entry ?? {}, body), more.memory ?? Layer.empty)
    )
    yield* ScriptedHost.advance(12)
    return yield* Fiber.join(fiber)
  })

const status = (registry: McpRegistry["Service"]) => registry.server("web")
const with405 = () => new Response("Method Not Allowed", { status: 405 })

describe("SseFallback", () => {
  it.effect("reaches a server of revision 2024-11-05 by one GET after 400, 404 or 405 to initialize (R84)", () =>
    Effect.gen(function*() {
      for (const code of [400, 404, 405]) {
        for (const protocol of ["auto", "legacy"]) {
          const web = yield* oldServer(() => new Response("what?", { status: code }))
          const found = yield* start(
            web,
            (registry) => Effect.andThen(registry.call("web_find", {}), status(registry)),
            { entry: { protocol } }
          )
          assert.deepStrictEqual([found.state, found.protocolVersion, found.tools], ["ready", "2024-11-05", 1])
          assert.deepStrictEqual(requests(web), [
            ...(protocol === "auto" ? ["server/discover"] : []),
            "initialize",
            "GET",
            "initialize",
            "notifications/initialized",
            "tools/list",
            "tools/call"
          ])
        }
      }
    }))

  it.effect("remembers it, so that the next start asks nothing else (R84)", () =>
    Effect.gen(function*() {
      const { kept, layer } = memory()
      yield* start(yield* oldServer(with405), status, { memory: layer })
      assert.strictEqual(kept()?.era, "sse")
      const again = yield* oldServer(with405)
      yield* start(again, status, { memory: layer })
      assert.deepStrictEqual(requests(again), ["GET", "initialize", "notifications/initialized", "tools/list"])
    }))

  it.effect("forgets it when the server has been replaced by a newer one, within the same start (R84, R91)", () =>
    Effect.gen(function*() {
      const { kept, layer } = memory(SSE)
      const web = yield* ScriptedWeb.server()
      assert.strictEqual((yield* start(web, status, { memory: layer })).protocolVersion, "2025-11-25")
      assert.deepStrictEqual(requests(web).slice(0, 3), ["GET", "server/discover", "initialize"])
      assert.strictEqual(kept()?.era, "legacy")
    }))

  it.effect("opens the next session the same way when the stream has ended (R22)", () =>
    Effect.gen(function*() {
      const web = yield* oldServer(with405)
      yield* start(web, (registry) =>
        Effect.gen(function*() {
          web.drop()
          yield* Effect.sleep("1 second")
          assert.isFalse((yield* registry.call("web_find", {})).isError)
        }))
      assert.lengthOf(web.of("GET"), 2)
      assert.lengthOf(web.seen.filter(({ url }) => !url.endsWith("/messages")), 4)
    }))

  it.effect("reaches a server that tells of changed tools before it has answered initialize", () =>
    Effect.gen(function*() {
      const changed = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
      const web = yield* ScriptedWeb.server((seen) => {
        if (seen.method !== "initialize") return undefined
        const capabilities = { tools: { listChanged: true } }
        const serverInfo = { name: "eager", version: "1" }
        const result = ScriptedWeb.result(seen, { protocolVersion: "2025-11-25", capabilities, serverInfo })
        return ScriptedWeb.events([`data: ${changed}`, `data: ${JSON.stringify(result)}`])
      })
      const { error, state } = yield* start(web, status)
      assert.strictEqual(state, "ready", error?.message)
    }))

  it.effect("tries nothing else where credentials, a redirect, the server or the network are the trouble (R84)", () =>
    Effect.gen(function*() {
      const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
        AuthRequired: () => new Response("who are you", { status: 401 }),
        "AuthRequired ": () => new Response("not you", { status: 403 }),
        HttpStatus: () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } }),
        "HttpStatus ": () => new Response("busy", { status: 503 }),
        ConnectionLost: () =>
          Promise.reject(
            new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" }) })
          )
      }
      for (const [tag, answer] of Object.entries(answers)) {
        const web = yield* ScriptedWeb.server(answer)
        const { error } = yield* start(web, status)
        assert.strictEqual(error?._tag, tag.trim())
        assert.isEmpty(web.of("GET"), tag)
      }
    }))

  it.effect("tries nothing else for an entry that names its type, or asks for a newer revision (R84)", () =>
    Effect.gen(function*() {
      for (const entry of [{ type: "streamableHttp" }, { type: "http" }, { protocol: "2026-07-28" }]) {
        const web = yield* oldServer(with405)
        const { state } = yield* start(web, status, { entry })
        assert.strictEqual(state, "failed")
        assert.isEmpty(web.of("GET"))
        const remembered = yield* oldServer(with405)
        yield* start(remembered, status, { entry, memory: memory(SSE).layer })
        assert.isEmpty(remembered.of("GET"))
      }
    }))

  it.effect("tells the first refusal when a GET opens no stream, or one that says nothing (R84)", () =>
    Effect.gen(function*() {
      const ways: ReadonlyArray<readonly [isOpen: boolean, way: () => Response | null]> = [
        [false, with405],
        [false, () => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } })],
        [true, () => ScriptedWeb.events([": nothing yet"], true)],
        [true, () => null]
      ]
      for (const [isOpen, way] of ways) {
        const web = yield* ScriptedWeb.server(({ verb }) => verb === "POST" ? with405() : way())
        const { error, state } = yield* start(web, status)
        assert.deepStrictEqual([state, error?.message], ["failed", "HTTP 405 to initialize: Method Not Allowed"])
        assert.notInclude(error?.hint, "sse")
        if (isOpen) assert.isTrue(web.of("GET").every(({ signal }) => signal?.aborted))
      }
    }))

  it.effect("tells what a GET was asked for, when that is credentials", () =>
    Effect.gen(function*() {
      const web = yield* ScriptedWeb.server(({ verb }) =>
        verb === "POST" ? with405() : new Response("no", { status: 401 })
      )
      assert.strictEqual((yield* start(web, status)).state, "needs-auth")
    }))
})
