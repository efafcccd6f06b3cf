/** A client of a gateway over HTTP, by hand: it listens as those of the SDK do, and takes answers as JSON or as events. */
import { Agent, Pool } from "undici"
import type { RawServer } from "./RawStdio.ts"

/** Where a gateway is, and what it calls the tool `echo`. */
export interface Endpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly tool: string
  /** Whether it has streamable HTTP, or the transport of 2024: an address for messages, and a stream with all answers. */
  readonly isStreamable: boolean
}

interface Message {
  readonly id?: number
  readonly result?: Awaited<ReturnType<RawServer["request"]>>
  readonly error?: { readonly message: string }
}

const headersOf = ({ headers }: Endpoint): Record<string, string> => ({
  ...headers,
  "content-type": "application/json",
  accept: "application/json, text/event-stream"
})

/** The events in a text that ends with one. */
const messagesIn = (text: string): ReadonlyArray<Message> =>
  text.split("\n").filter((line) => line.startsWith("data: {")).map((line) => JSON.parse(line.slice(6)))

const resultOf = ({ error, result }: Message) => {
  if (result === undefined) throw new Error(error?.message ?? "no result")
  return result
}

/** Posts texts from a connection of its own; `hear` is given what the answer says of the session. */
const poster = (origin: string, headers: Record<string, string>, hear: (session: string) => void) => {
  const pool = new Pool(origin, { connections: 8 })
  const post = (path: string, body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const chunks: Array<Buffer> = []
      let status = 0
      pool.dispatch({ path, method: "POST", headers, body }, {
        onRequestStart: () => {},
        onResponseStart: (_, code, answered) => {
          status = code
          const session = answered["mcp-session-id"]
          if (typeof session === "string") hear(session)
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => {
          const text = (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? ""
          if (status < 300) resolve(text)
          else reject(new Error(`HTTP ${status}: ${text.slice(0, 200)}`))
        },
        onResponseError: (_, error) => reject(error)
      })
    })
  return { post, close: () => pool.destroy() }
}

/** A stream of events that stays open. */
const opened = async (url: string, headers: Record<string, string>, hear: (text: string) => void) => {
  const agent = new Agent({ bodyTimeout: 0, headersTimeout: 0 })
  const { origin, pathname: path } = new URL(url)
  const answer = await agent.request({
    origin,
    path,
    method: "GET",
    headers: { ...headers, accept: "text/event-stream" }
  })
  // A gateway that starts may listen before it has this address, and nothing would come by the stream.
  if (answer.statusCode !== 200) throw new Error(`HTTP ${answer.statusCode} in place of a stream`)
  answer.body.setEncoding("utf8").on("data", hear).on("error", () => {})
  return () => agent.destroy()
}

const streamable = (endpoint: Endpoint): RawServer => {
  const { origin, pathname } = new URL(endpoint.url)
  const headers = headersOf(endpoint)
  const { close, post } = poster(origin, headers, (session) => headers["mcp-session-id"] = session)
  let ids = 0
  let ready: Promise<unknown> = Promise.resolve()
  let deaf = async () => {}
  return {
    request: async (method, params) => {
      await ready
      const id = ++ids
      const text = await post(pathname, JSON.stringify({ jsonrpc: "2.0", id, method, params }))
      if (method === "initialize") headers["mcp-protocol-version"] = "2025-11-25"
      const messages: ReadonlyArray<Message> = text.startsWith("{") ? [JSON.parse(text)] : messagesIn(text)
      return resultOf(messages.find((message) => message.id === id) ?? {})
    },
    // What comes after it waits, and a client that is ready listens.
    notify: (method) => {
      ready = post(pathname, JSON.stringify({ jsonrpc: "2.0", method })).then(async () => {
        deaf = await opened(endpoint.url, headers, () => {})
      })
    },
    close: async () => void await Promise.all([close(), deaf()])
  }
}

/** All answers come by the one stream. */
const byStream = (endpoint: Endpoint): RawServer => {
  const { origin } = new URL(endpoint.url)
  const headers = headersOf(endpoint)
  const { close, post } = poster(origin, headers, () => {})
  const waiting = new Map<number | undefined, (message: Message) => void>()
  const address = Promise.withResolvers<string>()
  let rest = ""
  const deaf = opened(endpoint.url, headers, (text) => {
    rest += text
    const end = rest.lastIndexOf("\n\n")
    if (end < 0) return
    const events = rest.slice(0, end)
    rest = rest.slice(end)
    const found = /event: endpoint\ndata: (\S+)/.exec(events)?.[1]
    if (found !== undefined) address.resolve(found)
    for (const message of messagesIn(events)) waiting.get(message.id)?.(message)
  })
  let ids = 0
  const sent = async (message: object) => post(await address.promise, JSON.stringify({ jsonrpc: "2.0", ...message }))
  return {
    request: async (method, params) => {
      const id = ++ids
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve))
      await deaf
      await sent({ id, method, params })
      const message = await answer
      waiting.delete(id)
      return resultOf(message)
    },
    notify: (method) => void sent({ method }),
    close: async () => void await Promise.all([close(), deaf.then((end) => end())])
  }
}

/** One client with connections of its own, which knows the tool as `echo`. */
export const connect = (endpoint: Endpoint): RawServer =>
  renamed(endpoint.isStreamable ? streamable(endpoint) : byStream(endpoint), endpoint.tool)

/** The same server, whose tool `echo` has another name. */
export const renamed = ({ request, ...rest }: RawServer, tool: string): RawServer => ({
  ...rest,
  request: (method, params) => request(method, method === "tools/call" ? { ...Object(params), name: tool } : params)
})
