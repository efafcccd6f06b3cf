import { Environment, McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import type * as Schema from "effect/Schema"
import { McpFetch, McpRegistry, ProcessTree } from "../src/index.ts"
import * as JsonRpc from "../src/transport/JsonRpc.ts"
import * as ScriptedHost from "./ScriptedHost.ts"

type Json = Schema.JsonObject

interface Seen {
  readonly verb: string
  readonly method: string | null
  readonly headers: Headers
}

/** A server of revision 2025-11-25 with sessions; `answer` replaces what it says. */
const scripted = (answer: (seen: Seen, message: Json | null) => Response | undefined = () => undefined) => {
  const seen: Array<Seen> = []
  const fetch: typeof globalThis.fetch = (_input, init) => {
    const message = typeof init?.body === "string" ? JsonRpc.parse(init.body) : null
    const method = message?.["method"]
    const entry: Seen = {
      verb: init?.method ?? "GET",
      method: typeof method === "string" ? method : null,
      headers: new Headers(init?.headers)
    }
    seen.push(entry)
    return Promise.resolve(answer(entry, message) ?? usual(entry, message))
  }
  return { seen, fetch }
}

const json = (body: Json, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json", ...headers } })

const usual = ({ verb }: Seen, message: Json | null): Response => {
  if (verb !== "POST" || message === null) return new Response(null, { status: verb === "DELETE" ? 200 : 405 })
  const { id, method } = message
  if (id === undefined) return new Response(null, { status: 202 })
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "web", version: "1" }
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo }
      return json({ jsonrpc: "2.0", id, result }, { "mcp-session-id": "session-1" })
    }
    case "tools/list":
      return json({ jsonrpc: "2.0", id, result: { tools: [ScriptedHost.tool("find")] } })
    case "tools/call":
      return json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "found" }] } })
    default:
      return json({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })
  }
}

const withRegistry = <A, E>(
  fetch: typeof globalThis.fetch,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E>
) => {
  const platform = Layer.mergeAll(
    McpFetch.layer(fetch),
    Layer.succeed(
      ChildProcessSpawner.ChildProcessSpawner,
      ChildProcessSpawner.make(() => Effect.die("no process here"))
    ),
    Layer.succeed(ProcessTree, ProcessTree.of({ alive: () => Effect.succeed(0), signal: () => Effect.void })),
    Environment.layer({}),
    FileSystem.layerNoop({}),
    Path.layer
  )
  const config = McpConfig.layerEntries({ web: { url: "https://mcp.example/mcp", ...entry } })
  const layer = McpRegistry.layer().pipe(Layer.provide(config), Layer.provide(platform))
  return McpRegistry.use(body).pipe(Effect.provide(layer))
}

describe("HttpTransport", () => {
  it.effect("connects, lists, calls with the configured headers, and ends the session with one DELETE (R44, R90)", () => {
    const { fetch, seen } = scripted()
    return Effect.gen(function*() {
      yield* withRegistry(
        fetch,
        { headers: { "X-API-Key": "key-123456", Empty: "" } },
        (registry) =>
          Effect.gen(function*() {
            yield* registry.settled
            const status = yield* registry.server("web")
            assert.strictEqual(status.state, "ready")
            assert.strictEqual(status.protocolVersion, "2025-11-25")
            assert.isNull(status.pid)
            const { content } = yield* registry.call("web_find", {})
            assert.deepStrictEqual(content, [{ type: "text", text: "found" }])
          })
      )
      assert.isTrue(seen.every(({ headers }) => headers.get("x-api-key") === "key-123456" && !headers.has("empty")))
      const call = seen.find(({ method }) => method === "tools/call")
      assert.strictEqual(call?.headers.get("mcp-protocol-version"), "2025-11-25")
      assert.strictEqual(call?.headers.get("mcp-session-id"), "session-1")
      const deletes = seen.filter(({ verb }) => verb === "DELETE")
      assert.deepStrictEqual(deletes.map(({ headers }) => headers.get("mcp-session-id")), ["session-1"])
    })
  })

  it.effect("says that a server asks for authorization, without trying again or asking in the old way (R81, R91)", () => {
    const { fetch, seen } = scripted(() => new Response("who are you?", { status: 401 }))
    return withRegistry(fetch, {}, (registry) =>
      Effect.gen(function*() {
        const { failed } = yield* registry.settled
        assert.strictEqual(failed[0]?.state, "needs-auth")
        assert.strictEqual(failed[0]?.error?._tag, "AuthRequired")
        assert.strictEqual(failed[0]?.error?.code, 401)
        const before = seen.length
        yield* ScriptedHost.advance(60)
        assert.strictEqual(seen.length, before)
        assert.isTrue(seen.every(({ method }) => method !== "initialize"))
      }))
  })

  it.effect("says that configured credentials were refused, and never shows them (R75, R81)", () => {
    const { fetch } = scripted(() => new Response("Bearer canary-token is no good", { status: 401 }))
    return withRegistry(
      fetch,
      { headers: { Authorization: "Bearer canary-token" } },
      (registry) =>
        Effect.gen(function*() {
          const { failed } = yield* registry.settled
          assert.strictEqual(failed[0]?.error?._tag, "AuthRejected")
          assert.notInclude(JSON.stringify(yield* registry.servers), "canary-token")
        })
    )
  })

  it.effect("falls back to initialize when the question for the era makes a server stumble (R91)", () => {
    const { fetch } = scripted(({ method }) =>
      method === "server/discover" ? new Response("<h1>oops</h1>", { status: 500 }) : undefined
    )
    return withRegistry(fetch, {}, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        assert.strictEqual((yield* registry.server("web")).state, "ready")
      }))
  })

  it.effect("fails a call at once when its response stream ends before the answer, and serves the next (R28)", () => {
    let isBroken = true
    const { fetch } = scripted(({ method }) =>
      method === "tools/call" && isBroken
        ? new Response("", { headers: { "content-type": "text/event-stream" } })
        : undefined
    )
    return withRegistry(fetch, {}, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        const error = yield* Effect.flip(registry.call("web_find", {}))
        assert.strictEqual(error.reason._tag, "OutcomeUnknown")
        isBroken = false
        assert.isFalse((yield* registry.call("web_find", {})).isError)
      }))
  })

  it.effect("names the status when a server answers with one that the protocol does not know", () => {
    const { fetch } = scripted(() => new Response("no such page", { status: 404 }))
    return withRegistry(fetch, {}, (registry) =>
      Effect.gen(function*() {
        const { failed } = yield* registry.settled
        assert.strictEqual(failed[0]?.error?._tag, "HttpStatus")
        assert.strictEqual(failed[0]?.error?.code, 404)
        assert.match(failed[0]?.error?.hint ?? "", /path/)
      }))
  })
})
