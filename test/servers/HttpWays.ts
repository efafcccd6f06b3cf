/**
 * Speaks over HTTP in one of the ways there are, at `/mcp`, and counts: `HttpWays.ts PORT WAY`. Prints its port. The ways:
 * `sessions` and `uninitialized` (2025-11-25, they differ in what they say of a session they do not know), `stateless`
 * (2025-11-25), `modern` (2026-07-28), `sse` (2024-11-05).
 */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name?: string; readonly arguments?: { readonly text?: unknown } }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: Message
}

const [, , port = "0", way = "sessions"] = process.argv
const JSON_TYPE = { "content-type": "application/json" }
const EVENTS = { "content-type": "text/event-stream" }
const TOOLS = ["echo", "wait"].map((name) => ({ name, inputSchema: { type: "object" } }))

/** How often each method came, how many calls were run, and how many sockets and sessions are open. */
const counters: Record<string, number> = { sockets: 0, sessions: 0, ran: 0, GET: 0 }
const count = (what: string, by = 1) => counters[what] = (counters[what] ?? 0) + by

const sessions = new Set<string>()
/** The streams of revision 2024-11-05, by session. */
const streams = new Map<string, ServerResponse>()

const refusal = (code: number, message: string, data?: object) => ({ error: { code, message, data } })

const DISCOVERED = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }

/** What is answered, but for the id; undefined is no answer at all. */
const reply = ({ method, params }: Message): object | undefined => {
  const complete = way === "modern" ? { resultType: "complete" } : {}
  switch (method) {
    case "server/discover":
      return way === "modern" ? { result: { ...DISCOVERED, ...complete } } : refusal(-32601, "Method not found")
    case "initialize":
      return way === "modern"
        ? refusal(-32022, "Unsupported protocol version", { supported: ["2026-07-28"] })
        : { result: initialized() }
    case "ping":
      return { result: {} }
    case "tools/list":
      return { result: { ...complete, tools: TOOLS } }
    case "tools/call": {
      count("ran")
      const text = String(params?.arguments?.text ?? "")
      return params?.name === "wait" ? undefined : { result: { ...complete, content: [{ type: "text", text }] } }
    }
    default:
      return refusal(-32601, "Method not found")
  }
}

const initialized = () => ({
  protocolVersion: way === "sse" ? "2024-11-05" : "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: way, version: "1" }
})

const hasSessions = way === "sessions" || way === "uninitialized"

const post = ({ message, request, response }: Exchange) => {
  const { id, method } = message
  count(method ?? "none")
  if (hasSessions && method !== "initialize" && method !== "server/discover") {
    if (!sessions.has(String(request.headers["mcp-session-id"]))) return stranger(response)
  }
  if (id === undefined) return response.writeHead(202).end()
  const answer = reply(message)
  if (answer === undefined) return wait(response)
  const status = way === "modern" && "error" in answer ? 400 : 200
  const session = hasSessions && method === "initialize" ? { "mcp-session-id": open() } : {}
  return response.writeHead(status, { ...JSON_TYPE, ...session }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
}

/** Begins a stream that never ends by itself, so that its end is the client's doing. */
const wait = (response: ServerResponse) => {
  count("waiting")
  response.once("close", () => count("waiting", -1))
  response.writeHead(200, EVENTS).write(": working\n\n")
}

const open = (): string => {
  const session = randomUUID()
  sessions.add(session)
  return session
}

const stranger = (response: ServerResponse) =>
  way === "sessions"
    ? response.writeHead(404, JSON_TYPE).end(
      JSON.stringify({ jsonrpc: "2.0", ...refusal(-32001, "Session not found") })
    )
    : response.writeHead(400, JSON_TYPE)
      .end(JSON.stringify({ jsonrpc: "2.0", ...refusal(-32000, "Bad Request: Server not initialized"), id: null }))

const listen = ({ request, response }: Exchange) => {
  count("GET")
  if (way === "sse") {
    const session = open()
    streams.set(session, response)
    return void response.writeHead(200, EVENTS).write(`event: endpoint\ndata: /mcp?session=${session}\n\n`)
  }
  if (!hasSessions) return void response.writeHead(405).end()
  if (!sessions.has(String(request.headers["mcp-session-id"]))) return void stranger(response)
  return void response.writeHead(200, EVENTS).write(": listening\n\n")
}

const postToStream = ({ message, request, response }: Exchange) => {
  count(message.method ?? "none")
  const stream = streams.get(new URL(request.url ?? "", "http://x").searchParams.get("session") ?? "")
  if (stream === undefined) return void response.writeHead(404).end("no such session")
  response.writeHead(202).end()
  const answer = message.id === undefined ? undefined : reply(message)
  if (answer === undefined) return
  stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer })}\n\n`)
}

const serve = (exchange: Exchange) => {
  const { request, response } = exchange
  if (request.method === "GET") return listen(exchange)
  if (request.method === "DELETE") {
    sessions.delete(String(request.headers["mcp-session-id"]))
    return void response.writeHead(200).end()
  }
  return void (way === "sse" ? postToStream(exchange) : post(exchange))
}

const read = async (request: IncomingMessage): Promise<Message> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body === "" ? {} : JSON.parse(body)
}

const told = (request: IncomingMessage, response: ServerResponse) => {
  const { pathname } = new URL(request.url ?? "", "http://x")
  if (pathname === "/counters") {
    // The one who asks is not counted.
    const seen = { ...counters, sockets: (counters["sockets"] ?? 0) - 1, sessions: sessions.size }
    return void response.writeHead(200, { ...JSON_TYPE, connection: "close" }).end(JSON.stringify(seen))
  }
  // Every session, without or with the end of its stream.
  if (pathname === "/forget" || pathname === "/drop") {
    if (pathname === "/drop") { for (const stream of streams.values()) stream.end() }
    streams.clear()
    sessions.clear()
    return void response.writeHead(200, { connection: "close" }).end()
  }
  return void read(request).then((message) => serve({ request, response, message }), () => response.destroy())
}

const server = createServer(told)
server.on("connection", (socket) => {
  count("sockets")
  socket.on("close", () => count("sockets", -1))
})
server.listen(Number(port), "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : ""}\n`)
})
