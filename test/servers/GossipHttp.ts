/**
 * Tells all it was sent wherever it can, at any path: `GossipHttp.ts`. Prints its port. The first part of the path says how
 * it ends a start (`unauthorized`, `forbidden`, `broken`, `page`, `refuses`, `elsewhere`); with any other it serves, and
 * its tools tell it in every way but in a good result.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly name?: string }
}

const SESSION = "k4n4ry-session-0123456789"

const everything = ({ rawHeaders, url = "" }: IncomingMessage): string =>
  [url, decodeURIComponent(url), ...rawHeaders, JSON.stringify(rawHeaders)].join("\n")

const JSON_TYPE = { "content-type": "application/json" }
const reply = (response: ServerResponse, body: object, headers: Readonly<Record<string, string>> = {}) =>
  response.writeHead(200, { ...JSON_TYPE, ...headers }).end(JSON.stringify({ jsonrpc: "2.0", ...body }))

const oneLine = (text: string) => text.replaceAll("\n", " ").replaceAll("\"", "'")

const ends: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse, id: unknown) => void>> = {
  unauthorized: (request, response) =>
    response.writeHead(401, { "www-authenticate": `Bearer realm="${oneLine(everything(request))}"` })
      .end(everything(request)),
  forbidden: (request, response) => response.writeHead(403).end(JSON.stringify({ error: everything(request) })),
  broken: (request, response) => response.writeHead(500).end(`<pre>${everything(request)}</pre>`),
  page: (request, response) => response.writeHead(200, { "content-type": "text/html" }).end(everything(request)),
  noise: (request, response) => response.writeHead(200, JSON_TYPE).end(everything(request)),
  refuses: (request, response, id) => reply(response, { id, error: { code: -32603, message: everything(request) } }),
  fails: (request, response, id) =>
    reply(response, { id, result: { isError: true, content: [{ type: "text", text: everything(request) }] } }),
  elsewhere: (request, response) =>
    response.writeHead(302, { location: `http://127.0.0.2:9/${encodeURIComponent(everything(request))}` }).end(),
  hangs_up: (request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(`event: ${oneLine(everything(request))}\n`)
    setTimeout(() => response.destroy(), 50)
  }
}

const tools = Object.keys(ends).map((name) => ({ name, inputSchema: { type: "object" } }))

const answer = (request: IncomingMessage, response: ServerResponse, { id, method, params }: Message) => {
  const manner = request.url?.split("/")[1] ?? ""
  if (manner in ends) return ends[manner]?.(request, response, id)
  if (id === undefined) return response.writeHead(202).end()
  switch (method) {
    case "initialize": {
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "g", version: "1" }
      }
      return reply(response, { id, result }, { "mcp-session-id": SESSION })
    }
    case "tools/list":
      return reply(response, { id, result: { tools } })
    case "tools/call":
      return ends[params?.name ?? ""]?.(request, response, id)
    default:
      return reply(response, { id, error: { code: -32601, message: `Method not found: ${everything(request)}` } })
  }
}

const server = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (text: string) => body += text).on("end", () => {
    if (request.method === "POST") answer(request, response, JSON.parse(body))
    else response.writeHead(request.method === "DELETE" ? 200 : 405).end(everything(request))
  })
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${address !== null && typeof address === "object" ? address.port : 0}\n`)
})
