/** JSON-RPC over HTTP, written by hand on undici's `dispatch`, answers in JSON or as one event. */
import { Pool } from "undici"
import type { Open } from "../support/Client.ts"
import { client, type RawServer } from "./RawStdio.ts"

const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25"
}

/** One address that texts are posted to. */
interface Poster {
  readonly post: (body: string) => Promise<string>
  readonly close: () => Promise<void>
}

type Posting = (origin: string, path: string, headers: Record<string, string>) => Poster

/** Of an event stream the first event's data: these servers send no other. */
const parsed = (text: string): { readonly result: never } =>
  JSON.parse(text.startsWith("{") ? text : text.slice(text.indexOf("data: ") + 6, text.indexOf("\n\n")))

const textOf = (chunks: ReadonlyArray<Buffer>): string =>
  (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString() ?? ""

const dispatching: Posting = (origin, path, headers) => {
  const pool = new Pool(origin, { connections: 64 })
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const chunks: Array<Buffer> = []
        pool.dispatch({ path, method: "POST", headers, body }, {
          onRequestStart: () => {},
          onResponseStart: () => {},
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(textOf(chunks)),
          onResponseError: (_, error) => reject(error)
        })
      }),
    close: () => pool.close()
  }
}

const connect = (url: string, posting: Posting): RawServer => {
  const { origin, pathname } = new URL(url)
  const { close, post } = posting(origin, pathname, HEADERS)
  let ids = 0
  return {
    request: async (method, params) =>
      parsed(await post(JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params }))).result,
    notify: (method) => void post(JSON.stringify({ jsonrpc: "2.0", method })),
    close
  }
}

export const openWith = (posting: Posting): Open => (servers) =>
  client(
    new Map(
      Object.entries(servers).map(([name, server]) => {
        if (!("url" in server)) throw new Error(`${name} has no address`)
        return [name, connect(server.url, posting)]
      })
    )
  )

export const open: Open = openWith(dispatching)
