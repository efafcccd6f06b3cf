/** Has one bad habit per path over streamable HTTP, and counts. Prints its ports; takes the first as an argument. */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Record<string, unknown>
    readonly requestId?: number
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly message: Message
}

/** What a habit replaces; whatever it leaves out is done as it should be. */
interface Habit {
  readonly call?: (exchange: Exchange) => void
  readonly listen?: (exchange: Exchange) => void
  readonly end?: (exchange: Exchange) => void
}

const MEGABYTE = "x".repeat(1024 * 1024)
const EVENTS = { "content-type": "text/event-stream" }
const JSON_TYPE = { "content-type": "application/json" }

const habits: Readonly<Record<string, Habit>> = {
  /** Has none. */
  none: {},
  /** Sends its headers 2.5 s after a call. */
  "late-headers": { call: (exchange) => void setTimeout(() => answer(exchange, "late"), 2500) },
  /** Sends the next byte of a stream 2.5 s after the last one. */
  "late-bytes": {
    call: ({ message, response }) => {
      response.writeHead(200, EVENTS).write(": soon\n\n")
      setTimeout(() => response.end(`data: ${JSON.stringify(called(message, "late"))}\n\n`), 2500)
    }
  },
  /** Answers a call with so many megabytes of JSON, as no length tells. */
  "huge-json": {
    call: ({ message, response }) => {
      response.writeHead(200, JSON_TYPE)
      void pour(response, Number(message.params?.arguments?.["megabytes"]), ...around(message))
    }
  },
  /** Answers a call with so many megabytes in one event. */
  "huge-event": {
    call: ({ message, response }) => {
      const [before, after] = around(message)
      response.writeHead(200, EVENTS)
      void pour(response, Number(message.params?.arguments?.["megabytes"]), `data: ${before}`, `${after}\n\n`)
    }
  },
  /** Never stops answering a call. */
  "endless-json": {
    call: ({ message, response }) => {
      response.writeHead(200, JSON_TYPE)
      void pour(response, Infinity, ...around(message))
    }
  },
  /** Closes its listening stream after 10 ms and asks for the next one after 10 ms. */
  "closes-listening": {
    listen: ({ response }) => {
      response.writeHead(200, EVENTS).write("retry: 10\ndata:\n\n")
      setTimeout(() => response.end(), 10)
    }
  },
  /** Pings on its listening stream, 100,000 times within two seconds. */
  "ping-flood": {
    listen: ({ response }) => {
      response.writeHead(200, EVENTS)
      void pingFlood(response)
    }
  },
  /** Never answers DELETE. */
  "never-ends": { end: () => {} },
  /** Hangs up on a call after it took effect. */
  "hangs-up": { call: ({ request }) => void request.socket.destroy() },
  /** Ends the stream of a call before the answer. */
  "ends-early": { call: ({ response }) => void response.writeHead(200, EVENTS).end(": hello\n\n") },
  /** Breaks the stream of a call behind an event id, and gives the answer to the client that resumes it. */
  "breaks-off": {
    call: ({ message, request, response }) => {
      broken = message
      response.writeHead(200, EVENTS).write("id: 7\nretry: 200\ndata:\n\n", () => request.socket.destroy())
    },
    listen: ({ request, response }) => {
      if (request.headers["last-event-id"] !== "7" || broken === null) return void response.writeHead(405).end()
      response.writeHead(200, EVENTS).end(`data: ${JSON.stringify(called(broken, "resumed"))}\n\n`)
    }
  },
  /** Never answers a call. */
  "never-answers": { call: () => {} },
  /** Sends calls elsewhere: to the second port. */
  moves: {
    call: ({ response }) => void response.writeHead(307, { location: `http://127.0.0.1:${ports[1]}/none` }).end()
  }
}

let broken: Message | null = null
const ports: Array<number> = []
const counters = {
  initialize: 0,
  calls: 0,
  lists: 0,
  gets: 0,
  deletes: 0,
  cancelled: 0,
  sessions: 0,
  sockets: 0,
  mostSockets: 0,
  strangers: 0
}
const sessions = new Set<string>()

const around = (message: Message): readonly [string, string] => {
  const [before = "", after = ""] = JSON.stringify(called(message, "HERE")).split("HERE")
  return [before, after]
}

/** Writes as fast as it is read. */
const pour = async (response: ServerResponse, megabytes: number, before: string, after: string) => {
  response.write(before)
  for (let written = 0; written < megabytes && !response.destroyed; written++) {
    if (response.write(MEGABYTE)) continue
    await room(response)
  }
  response.end(after)
}

const pingFlood = async (response: ServerResponse) => {
  for (let block = 0; block < 100 && !response.destroyed; block++) {
    const pings = Array.from({ length: 1000 }, (_, at) => ({ jsonrpc: "2.0", id: `${block}-${at}`, method: "ping" }))
    if (!response.write(pings.map((ping) => `data: ${JSON.stringify(ping)}\n\n`).join(""))) await room(response)
    await sleep(20)
  }
}

/** Settles when there is room to write, or nobody to read. */
const room = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done)
      resolve()
    }
    response.on("drain", done).on("close", done)
  })

const called = ({ id }: Message, text: string) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] }
})

const answer = ({ message, response }: Exchange, text: string) =>
  void response.writeHead(200, JSON_TYPE).end(JSON.stringify(called(message, text)))

const initialize = ({ message, response }: Exchange) => {
  counters.initialize += 1
  const session = randomUUID()
  sessions.add(session)
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "zoo", version: "1" }
  }
  response.writeHead(200, { ...JSON_TYPE, "mcp-session-id": session })
    .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
}

const post = (habit: Habit, exchange: Exchange) => {
  const { message, request, response } = exchange
  if (message.method === "initialize") return initialize(exchange)
  if (message.method === "server/discover") {
    const error = { code: -32601, message: "Method not found" }
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }))
  }
  if (!sessions.has(String(request.headers["mcp-session-id"]))) return response.writeHead(404).end("no such session")
  if (message.method === "notifications/cancelled") counters.cancelled += 1
  if (message.id === undefined) return response.writeHead(202).end()
  if (message.method === "tools/list") {
    counters.lists += 1
    const tools = [{ name: "echo", inputSchema: { type: "object" } }]
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { tools } }))
  }
  if (message.method === "ping") {
    return response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} }))
  }
  counters.calls += 1
  return (habit.call ?? ((own) => answer(own, String(message.params?.arguments?.["text"] ?? ""))))(exchange)
}

const listen = ({ response }: Exchange) => void response.writeHead(200, EVENTS).write(": listening\n\n")

const end = ({ request, response }: Exchange) => {
  sessions.delete(String(request.headers["mcp-session-id"]))
  response.writeHead(200).end()
}

const serve = (habit: Habit, exchange: Exchange) => {
  const { request, response } = exchange
  if (request.method === "POST") return post(habit, exchange)
  if (request.method === "GET") {
    counters.gets += 1
    return (habit.listen ?? listen)(exchange)
  }
  if (request.method !== "DELETE") return response.writeHead(405).end()
  counters.deletes += 1
  return (habit.end ?? end)(exchange)
}

const read = async (request: IncomingMessage): Promise<Message> => {
  let body = ""
  for await (const chunk of request) body += String(chunk)
  return body === "" ? {} : JSON.parse(body)
}

const zoo = createServer((request, response) => {
  const name = (request.url ?? "/").slice(1)
  if (name === "counters") {
    // The one who asks is not counted.
    const seen = { ...counters, sockets: counters.sockets - 1, sessions: sessions.size }
    return response.writeHead(200, { ...JSON_TYPE, connection: "close" }).end(JSON.stringify(seen))
  }
  const habit = habits[name]
  if (habit === undefined) return response.writeHead(404).end()
  return void read(request).then((message) => serve(habit, { request, response, message }), () => response.destroy())
})
zoo.on("connection", (socket) => {
  counters.sockets += 1
  counters.mostSockets = Math.max(counters.mostSockets, counters.sockets)
  socket.on("close", () => counters.sockets -= 1)
})

/** Where nobody should ever be sent with a secret. */
const elsewhere = createServer((request, response) => {
  counters.strangers += 1
  request.resume()
  response.writeHead(200).end()
})

const listening = (server: typeof zoo, port: number) =>
  new Promise<number>((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

ports.push(await listening(zoo, Number(process.argv[2] ?? 0)), await listening(elsewhere, 0))
process.stdout.write(`${ports.join(" ")}\n`)
