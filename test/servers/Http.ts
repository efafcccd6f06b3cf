/**
 * Echoes over streamable HTTP with sessions, and counts. Prints its port. `GET /counters` reads the counts; `POST
 * /forget` drops every session, as a restarted server does.
 */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"

const counters = { requests: 0, posts: 0, gets: 0, deletes: 0, sessionsOpened: 0, sessionsClosed: 0, calls: 0 }
const sessions = new Map<string, StreamableHTTPServerTransport>()

const makeServer = () => {
  const server = new McpServer({ name: "http-echo", version: "1.0.0" })
  const config = { description: "Gives the text back", inputSchema: { text: z.string() } }
  server.registerTool("echo", config, ({ text }) => {
    counters.calls += 1
    return { content: [{ type: "text", text }] }
  })
  return server
}

const openSession = async () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      counters.sessionsOpened += 1
      sessions.set(id, transport)
    },
    onsessionclosed: (id) => {
      counters.sessionsClosed += 1
      sessions.delete(id)
    }
  })
  await makeServer().connect(transport)
  return transport
}

const count = (method: string | undefined) => {
  counters.requests += 1
  if (method === "POST") counters.posts += 1
  if (method === "GET") counters.gets += 1
  if (method === "DELETE") counters.deletes += 1
}

const mcp = async (request: IncomingMessage, response: ServerResponse) => {
  count(request.method)
  const id = request.headers["mcp-session-id"]
  const known = typeof id === "string" ? sessions.get(id) : undefined
  if (id !== undefined && known === undefined) {
    const error = { code: -32001, message: "Session not found" }
    return response.writeHead(404, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", error, id: null }))
  }
  return (known ?? await openSession()).handleRequest(request, response)
}

const answer = (request: IncomingMessage, response: ServerResponse) => {
  if (request.url === "/mcp") return mcp(request, response)
  if (request.url === "/forget") sessions.clear()
  else if (request.url !== "/counters") return response.writeHead(404).end()
  return response.writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ ...counters, sessionsOpen: sessions.size }))
}

const server = createServer((request, response) => {
  Promise.resolve(answer(request, response)).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    response.destroy()
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : ""}\n`)
})
