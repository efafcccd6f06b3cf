/**
 * A web without sockets: a scripted MCP server behind `fetch`, and everything it was asked, in order.
 */
import { Environment, McpConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import * as JsonRpc from "../../../mcp-client/src/base/JsonRpc.ts"
import { McpFetch, McpRegistry, ProcessTree, Programs } from "../../src/index.ts"
import * as ScriptedHost from "./ScriptedHost.ts"
import "../../../mcp-client/src/oauth/TokenRenewal.ts"
import "../../../mcp-client/src/oauth/SignIn.ts"
import "../../../mcp-client/src/connect/HttpConnect.ts"

export type Json = Schema.JsonObject

/** One request as the server saw it. */
export interface Seen {
  readonly url: string
  readonly verb: string
  readonly method: string | null
  readonly headers: Headers
  readonly signal: AbortSignal | null
  /** The whole message; null when the body is none. */
  readonly message: Json | null
  /** By the clock of the test. */
  readonly millis: number
}

/**
 * What replaces the usual answer to a request, given all that came so far: `undefined` is the usual one, null is silence
 * until the request is aborted.
 */
export type Answer = (seen: Seen, all: ReadonlyArray<Seen>) => Response | Promise<Response> | null | undefined

/** A scripted server. */
export interface Server {
  readonly seen: ReadonlyArray<Seen>
  /** The requests with this verb, or this method. */
  readonly of: (verbOrMethod: string) => ReadonlyArray<Seen>
  readonly fetch: typeof globalThis.fetch
}

/** A server of revision 2025-11-25 with sessions; `answer` replaces what it says. */
export const server = (answer: Answer = () => undefined): Effect.Effect<Server> =>
  Effect.map(Clock.Clock, (clock) => {
    const seen: Array<Seen> = []
    const fetch: typeof globalThis.fetch = (input, init) => {
      const message = typeof init?.body === "string" ? JsonRpc.parse(init.body) : null
      const method = message?.["method"]
      const entry: Seen = {
        url: input instanceof Request ? input.url : String(input),
        verb: init?.method ?? "GET",
        method: typeof method === "string" ? method : null,
        headers: new Headers(init?.headers),
        signal: init?.signal ?? null,
        message,
        millis: clock.currentTimeMillisUnsafe()
      }
      seen.push(entry)
      const given = answer(entry, seen)
      if (given === null) return silence(entry.signal)
      return Promise.resolve(given ?? usual(entry))
    }
    const of = (verbOrMethod: string) =>
      seen.filter(({ method, verb }) => verb === verbOrMethod || method === verbOrMethod)
    return { seen, of, fetch }
  })

export const json = (body: Json, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json", ...headers } })

/** A result for the request that was seen. */
export const result = ({ message }: Seen, value: Json): Json => ({
  jsonrpc: "2.0",
  id: message?.["id"] ?? null,
  result: value
})

export const text = (words: string): Json => ({ content: [{ type: "text", text: words }] })

/** A stream of events, each given as the text of its block; it stays open when `isOpen`. */
export const events = (blocks: ReadonlyArray<string>, isOpen = false) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const block of blocks) controller.enqueue(new TextEncoder().encode(`${block}\n\n`))
        if (!isOpen) controller.close()
      }
    }),
    { headers: { "content-type": "text/event-stream" } }
  )

/** A response that never comes, until the request is aborted. */
const silence = (signal: AbortSignal | null) =>
  new Promise<Response>((_, reject) => {
    signal?.addEventListener(
      "abort",
      () => reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"))
    )
  })

let sessions = 0

const usual = (seen: Seen): Response => {
  if (seen.verb !== "POST" || seen.message === null) {
    return new Response(null, { status: seen.verb === "DELETE" ? 200 : 405 })
  }
  if (seen.message["id"] === undefined) return new Response(null, { status: 202 })
  switch (seen.method) {
    case "initialize":
      return initialized(seen, "2025-11-25")
    case "tools/list":
      return json(result(seen, { tools: [ScriptedHost.tool("find")] }))
    case "tools/call":
      return json(result(seen, text("found")))
    default:
      return json({
        jsonrpc: "2.0",
        id: seen.message["id"] ?? null,
        error: { code: -32601, message: "Method not found" }
      })
  }
}

/** An answer to `initialize` with a session of its own. */
export const initialized = (seen: Seen, protocolVersion: string) =>
  json(
    result(seen, {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "web", version: "1" }
    }),
    { "mcp-session-id": `session-${++sessions}` }
  )

const noProcesses = Layer.merge(
  Layer.succeed(Programs, { start: () => Effect.die("no process here") }),
  Layer.succeed(
    ProcessTree,
    ProcessTree.of({
      mark: Effect.succeed("mark"),
      watch: () => Effect.void,
      note: () => Effect.void,
      alive: () => Effect.succeed(0),
      signal: () => Effect.void
    })
  )
)

/** Runs with a registry of one server called `web`. */
export const withRegistry = <A, E>(
  web: typeof globalThis.fetch | McpFetch["Service"],
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"]) => Effect.Effect<A, E>,
  processes: Layer.Layer<Programs | ProcessTree> = noProcesses
) => {
  const platform = Layer.mergeAll(
    typeof web === "function" ? McpFetch.layer(web) : Layer.succeed(McpFetch, McpFetch.of(web)),
    processes,
    Environment.layer({}),
    FileSystem.layerNoop({}),
    Path.layer
  )
  const config = McpConfig.layerEntries({ web: { url: "https://mcp.example/mcp", ...entry } })
  const layer = McpRegistry.layer().pipe(Layer.provide(config), Layer.provide(platform))
  return McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry))).pipe(Effect.provide(layer))
}
