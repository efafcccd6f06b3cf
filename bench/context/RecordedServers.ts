/** Recorded servers, all at one loopback port in this process: each is an address that lists what the real one listed. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

export interface Recorded {
  readonly name: string
  readonly instructions?: string
  readonly tools: ReadonlyArray<{ readonly name: string }>
}

export interface RecordedServers extends AsyncDisposable {
  readonly url: (name: string) => string
  /** From now on the servers answer that were not to answer yet. */
  readonly open: () => void
}

interface Request {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly protocolVersion?: string }
}

/** A call is answered with this much text. */
const RESULT_CHARACTERS = 2000

const called = ({ arguments: args = {}, name = "" }: NonNullable<Request["params"]>) => {
  const line = `${name} with ${JSON.stringify(args)} found an entry. `
  return { content: [{ type: "text", text: line.repeat(Math.ceil(RESULT_CHARACTERS / line.length)) }] }
}

const result = ({ instructions, name, tools }: Recorded, { method, params = {} }: Request) => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name, version: "1" },
        ...instructions === undefined ? {} : { instructions }
      }
    case "tools/list":
      return { tools }
    case "tools/call":
      return called(params)
    default:
      return null
  }
}

const read = async (request: IncomingMessage): Promise<Request> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

/** Those named in `late` answer nothing before `open`. */
export const start = async (servers: ReadonlyArray<Recorded>, late: ReadonlySet<string>): Promise<RecordedServers> => {
  const opened = Promise.withResolvers<void>()
  const byPath = new Map(servers.map((server) => [`/${encodeURIComponent(server.name)}`, server]))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const server = byPath.get(request.url ?? "")
    // Nothing to listen to, and no session to end.
    if (server === undefined || request.method !== "POST") return response.writeHead(405).end()
    const message = await read(request)
    if (late.has(server.name)) await opened.promise
    if (message.id === undefined) return response.writeHead(202).end()
    const found = result(server, message)
    const said = found === null
      ? { error: { code: -32601, message: `Method not found: ${message.method}` } }
      : { result: found }
    return response.writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...said }))
  }
  const http = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const address = http.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: (name) => `http://127.0.0.1:${port}/${encodeURIComponent(name)}`,
    open: () => opened.resolve(),
    [Symbol.asyncDispose]: async () => {
      opened.resolve()
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await closed
    }
  }
}
