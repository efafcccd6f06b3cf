/** A port of this machine where a browser comes back to after a login, for as long as somebody waits for it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import * as LoginCallback from "./LoginCallback.ts"

export interface Loopback {
  readonly redirectUri: string
  /** The whole address that a browser came back to with this `state`, which nobody can guess. Taken once. */
  readonly arrival: (state: string) => Effect.Effect<string>
}

/** The port is another program's, or no address of this machine. */
export class NotListening extends Schema.TaggedError<NotListening>()("NotListening", {
  address: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `nothing can be waited for at ${this.address}: ${this.why}`
  }
  readonly hint: string = "end the program that has this port, or change \"callbackPort\" of the entry"
}

/** At 127.0.0.1 only, whatever name of this machine the address has. Port 0 takes a free one. Closed with the scope. */
export const listen = Effect.fnUntraced(function*(address: string) {
  const url = new URL(address)
  const waiting: Waiting = new Map()
  const { number } = yield* Effect.acquireRelease(
    Effect.mapError(open(url, waiting), (why) => new NotListening({ address, why })),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeIdleConnections()
      })
  )
  url.port = String(number)
  return {
    redirectUri: url.href,
    arrival: (state) =>
      Effect.callback((resume) => {
        waiting.set(state, (search) => resume(Effect.succeed(`${url.href}${search}`)))
        return Effect.sync(() => waiting.delete(state))
      })
  } satisfies Loopback
})

type Waiting = Map<string, (search: string) => void>

const open = (url: URL, waiting: Waiting) =>
  Effect.callback<{ readonly server: Server; readonly number: number }, string>((resume) => {
    const server = createServer((request, response) => answer(url.pathname, waiting, request, response))
    server.once("error", ({ message }) => resume(Effect.fail(message)))
    // An address without a port means that of http.
    server.listen(url.port === "" ? 80 : Number(url.port), HERE[url.hostname] ?? "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({ server, number: typeof address === "object" && address !== null ? address.port : 0 }))
    })
  })

const HERE: Readonly<Record<string, string>> = { "[::1]": "::1" }

const answer = (path: string, waiting: Waiting, request: IncomingMessage, response: ServerResponse) => {
  const [asked, search = ""] = (request.url ?? "").split(/\?(.*)/s)
  const state = new URLSearchParams(search).get("state") ?? ""
  const take = request.method === "GET" && asked === path ? waiting.get(state) : undefined
  const { body, headers, status } = take === undefined ? LoginCallback.unknown : LoginCallback.arrived
  if (take !== undefined) waiting.delete(state)
  // The program may end as soon as it has what it waits for; the page must be out by then.
  response.writeHead(status, { ...headers, connection: "close" }).end(body, () => take?.(`?${search}`))
}
