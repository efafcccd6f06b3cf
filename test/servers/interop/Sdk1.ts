/** A server of version 1 of the official SDK: over its pipes, or with `http` over streamable HTTP and HTTP+SSE. */
import { completable } from "@modelcontextprotocol/sdk/server/completable.js"
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema
} from "@modelcontextprotocol/sdk/types.js"
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { z } from "zod"
import { listen } from "./Listening.ts"
import * as Offers from "./Offers.ts"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

const make = () => {
  const server = new McpServer(
    { name: Offers.NAME, version: "1.0.0" },
    { instructions: Offers.INSTRUCTIONS, capabilities: { logging: {}, resources: { subscribe: true } } }
  )
  const watched = new Set<string>()
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    watched.add(params.uri)
    return {}
  })
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    watched.delete(params.uri)
    return {}
  })
  offer(server)
  call(server, () => watched.has(Offers.NOTES))
  ask(server)
  return server
}

const offer = (server: McpServer) => {
  server.registerPrompt(
    "review",
    { description: "Reviews a file", argsSchema: { path: completable(z.string(), Offers.paths) } },
    ({ path }) => ({ messages: [{ role: "user", content: { type: "text", text: Offers.review(path) } }] })
  )
  server.registerResource("notes", Offers.NOTES, { mimeType: "text/plain" }, ({ href }) => ({
    contents: [{ uri: href, text: Offers.notes() }]
  }))
  server.registerResource(
    "plan",
    new ResourceTemplate("memo://{day}/plan", { list: undefined }),
    {},
    ({ href }, { day }) => ({ contents: [{ uri: href, text: Offers.plan(day) }] })
  )
}

const call = (server: McpServer, isWatched: () => boolean) => {
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text: given }) => text(given))
  server.registerTool("count", {}, async ({ _meta, sendNotification }) => {
    const { progressToken } = _meta ?? {}
    if (progressToken === undefined) return text("nobody counts")
    for (const progress of Offers.STEPS) {
      await sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3, message: `step ${progress}` }
      })
    }
    return text("counted")
  })
  server.registerTool("wait", {}, ({ signal }) =>
    new Promise((resolve) => {
      Offers.counters.begun += 1
      const end = setTimeout(() => resolve(text("waited")), Offers.WAIT_MILLIS)
      const stop = () => {
        Offers.counters.cancelled += 1
        clearTimeout(end)
        resolve(text("cancelled"))
      }
      // The cancellation may have come with the call.
      if (signal.aborted) stop()
      else signal.addEventListener("abort", stop)
    }))
  server.registerTool("cancelled", {}, () => text(Offers.cancelled()))
  server.registerTool("grow", {}, () => {
    const name = Offers.nameOfNext()
    server.registerTool(name, {}, () => text("grown"))
    return text(name)
  })
  server.registerTool("touch", {}, async () => {
    Offers.counters.touched += 1
    if (isWatched()) await server.server.sendResourceUpdated({ uri: Offers.NOTES })
    return text("touched")
  })
  server.registerTool("log", {}, async ({ sessionId }) => {
    await server.sendLoggingMessage({ level: "debug", logger: "interop", data: "a whisper" }, sessionId)
    await server.sendLoggingMessage({ level: "warning", logger: "interop", data: "a word" }, sessionId)
    return text("logged")
  })
}

const ask = (server: McpServer) => {
  server.registerTool("ask", {}, async ({ sendRequest }) => {
    const params = { mode: "form" as const, ...Offers.FORM }
    const { action, content } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema)
    return text(JSON.stringify({ action, content }))
  })
  server.registerTool("visit", {}, async ({ sendRequest }) => {
    const params = { mode: "url" as const, message: "Sign in", url: Offers.PAGE, elicitationId: randomUUID() }
    const { action } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema)
    return text(JSON.stringify({ action }))
  })
  server.registerTool("sample", {}, async ({ sendRequest }) => {
    const params = { ...Offers.SAMPLING }
    const { content } = await sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema)
    return text(content.type === "text" ? content.text : content.type)
  })
  server.registerTool("roots", {}, async ({ sendRequest }) => {
    const { roots } = await sendRequest({ method: "roots/list" }, ListRootsResultSchema)
    return text(JSON.stringify(roots.map(({ uri }) => uri)))
  })
}

const sessions = new Map<string, StreamableHTTPServerTransport>()
const streams = new Map<string, SSEServerTransport>()

const streamable = async (request: IncomingMessage, response: ServerResponse) => {
  const known = sessions.get(String(request.headers["mcp-session-id"]))
  if (known !== undefined) return known.handleRequest(request, response)
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport)
  })
  await make().connect(transport)
  return transport.handleRequest(request, response)
}

const sse = async (response: ServerResponse) => {
  const transport = new SSEServerTransport("/messages", response)
  streams.set(transport.sessionId, transport)
  await make().connect(transport)
}

const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1")
  if (pathname === "/mcp") return streamable(request, response)
  if (pathname === "/sse" && request.method === "GET") return sse(response)
  const stream = streams.get(searchParams.get("sessionId") ?? "")
  return stream === undefined ? response.writeHead(404).end() : stream.handlePostMessage(request, response)
}

if (process.argv[2] === "http") listen((request, response) => void answer(request, response))
else await make().connect(new StdioServerTransport())
