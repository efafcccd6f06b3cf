/**
 * A server of version 2 of the official SDK, which serves 2026-07-28 and the revisions before with the same handlers:
 * over its pipes, or with `http` over streamable HTTP, with sessions for the revisions before.
 */
import {
  completable,
  createMcpHandler,
  inputRequired,
  inputResponse,
  isLegacyRequest,
  McpServer,
  ResourceTemplate,
  type ServerContext,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { randomUUID } from "node:crypto"
import { z } from "zod"
import { listenWeb } from "./Listening.ts"
import * as Offers from "./Offers.ts"

const text = (text: string) => ({ content: [{ type: "text" as const, text }] })

/** Tells clients that something changed; over HTTP in 2026-07-28 a server lives for one request, so it cannot by itself. */
interface News {
  readonly toolsChanged: () => void
  readonly resourceUpdated: (uri: string) => void
}

const make = (newsOf: (server: McpServer) => News) => {
  const server = new McpServer(
    { name: Offers.NAME, version: "2.0.0" },
    {
      instructions: Offers.INSTRUCTIONS,
      capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } }
    }
  )
  // Revisions before 2026-07-28 have requests for it. Here every client is told, whether or not it asked.
  server.server.setRequestHandler("resources/subscribe", () => ({}))
  server.server.setRequestHandler("resources/unsubscribe", () => ({}))
  const news = newsOf(server)
  offer(server)
  call(server, news)
  ask(server)
  return server
}

const offer = (server: McpServer) => {
  server.registerPrompt(
    "review",
    { description: "Reviews a file", argsSchema: z.object({ path: completable(z.string(), Offers.paths) }) },
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

const call = (server: McpServer, news: News) => {
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text: given }) => text(given))
  server.registerTool("count", {}, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {}
    if (progressToken === undefined) return text("nobody counts")
    for (const progress of Offers.STEPS) {
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 3, message: `step ${progress}` }
      })
    }
    return text("counted")
  })
  server.registerTool("wait", {}, ({ mcpReq }) =>
    new Promise((resolve) => {
      Offers.counters.begun += 1
      const end = setTimeout(() => resolve(text("waited")), Offers.WAIT_MILLIS)
      const stop = () => {
        Offers.counters.cancelled += 1
        clearTimeout(end)
        resolve(text("cancelled"))
      }
      // The cancellation may have come with the call.
      if (mcpReq.signal.aborted) stop()
      else mcpReq.signal.addEventListener("abort", stop)
    }))
  server.registerTool("cancelled", {}, () => text(Offers.cancelled()))
  const grow = (name: string) => server.registerTool(name, {}, () => text("grown"))
  for (const name of Offers.grown) grow(name)
  server.registerTool("grow", {}, () => {
    const name = Offers.nameOfNext()
    grow(name)
    news.toolsChanged()
    return text(name)
  })
  server.registerTool("touch", {}, () => {
    Offers.counters.touched += 1
    news.resourceUpdated(Offers.NOTES)
    return text("touched")
  })
  server.registerTool("log", {}, async ({ mcpReq }) => {
    await mcpReq.log("debug", "a whisper", "interop")
    await mcpReq.log("warning", "a word", "interop")
    return text("logged")
  })
}

/** What the client answered to this request, and the request where it was not asked yet. */
const answer = (
  { mcpReq }: ServerContext,
  request: Parameters<typeof inputRequired>[0]["inputRequests"],
  show: (view: ReturnType<typeof inputResponse>) => string
) => {
  const view = inputResponse(mcpReq.inputResponses, "it")
  return view.kind === "missing" ? inputRequired({ inputRequests: request ?? {} }) : text(show(view))
}

const ask = (server: McpServer) => {
  server.registerTool("ask", {}, (context) =>
    answer(
      context,
      { it: inputRequired.elicit(Offers.FORM) },
      (view) => JSON.stringify(view.kind === "elicit" ? { action: view.action, content: view.content } : view)
    ))
  server.registerTool("visit", {}, (context) =>
    answer(
      context,
      { it: inputRequired.elicitUrl({ message: "Sign in", url: Offers.PAGE }) },
      (view) => JSON.stringify(view.kind === "elicit" ? { action: view.action } : view)
    ))
  server.registerTool("sample", {}, (context) =>
    answer(
      context,
      { it: inputRequired.createMessage(Offers.SAMPLING) },
      (view) => {
        const content = view.kind === "sampling" ? view.result.content : []
        return "text" in content ? content.text : JSON.stringify(content)
      }
    ))
  server.registerTool("roots", {}, (context) =>
    answer(
      context,
      { it: inputRequired.listRoots() },
      (view) => JSON.stringify(view.kind === "roots" ? view.roots.map(({ uri }) => uri) : view)
    ))
}

/** Where one server lives as long as its client. */
const own = (server: McpServer): News => ({
  toolsChanged: () => server.sendToolListChanged(),
  resourceUpdated: (uri) => void server.server.sendResourceUpdated({ uri })
})

const overHttp = () => {
  const modern = createMcpHandler(() => make(() => modern.notify), { legacy: "reject" })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const legacy = async (request: Request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "")
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport)
    })
    await make(own).connect(transport)
    return transport.handleRequest(request)
  }
  listenWeb(async (request) => await isLegacyRequest(request) ? legacy(request) : modern.fetch(request))
}

if (process.argv[2] === "http") overHttp()
else serveStdio(() => make(own))
