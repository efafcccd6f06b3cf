/** The HTTP server of Node, which answers from the moment it has its port. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { IncomingMessage, Server, ServerResponse } from "node:http"
import * as ShortWay from "./http/ShortWay.ts"

/**
 * A client that is slow to ask holds a connection no longer than this, in milliseconds; an answer may go on for ever. A
 * connection that rests is kept longer than proxies keep theirs, so that they never send into one that closes.
 */
const PATIENCE = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 2000,
  keepAliveTimeout: 65_000
}

const NOT_YET = JSON.stringify({
  type: "about:blank",
  title: "Service Unavailable",
  status: 503,
  detail: "the server is starting",
  _tag: "NotReady",
  hint: "ask again in a moment",
  state: "starting",
  why: null
})

/** For a person who opened the page too early: the browser asks again by itself. */
const WAITING = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<meta name="color-scheme" content="light dark"><title>BooCode</title></head><body><p>BooCode is starting …</p></body></html>`

/** The program is alive: who looks after it must not kill it while it starts. */
const STARTING = JSON.stringify({ status: "starting", ready: false, servers: null, proof: null })

/** Asks the short way before all who listen for requests, once the router does. */
class ShortServer extends Server {
  way: ShortWay.Way | null = null
  override emit(event: string, ...given: ReadonlyArray<unknown>): boolean {
    const [request, response] = given
    const isTaken = event === "request" && this.way !== null && this.listenerCount("request") > 1 &&
      request instanceof IncomingMessage && response instanceof ServerResponse && this.way(request, response)
    return isTaken || super.emit(event, ...given)
  }
}

/**
 * The port is taken before anything else is built. Node gives no answer at all to a request that comes while nobody
 * listens for requests, and its client would wait for ever: such a request is told to come again.
 */
export const make = (): ShortServer => {
  const server = new ShortServer(PATIENCE)
  return server.on("request", ({ headers, url }, response) => {
    if (server.listenerCount("request") > 1) return
    const isPage = headers.accept?.includes("text/html") === true
    const [status, type, body] = url === "/api/health"
      ? [200, "application/json", STARTING] as const
      : isPage
      ? [503, "text/html; charset=utf-8", WAITING] as const
      : [503, PROBLEM, NOT_YET] as const
    response.writeHead(status, { "content-type": type, "retry-after": "1", connection: "close" })
    response.end(body)
  })
}

const PROBLEM = "application/problem+json"

/** The server of Node, and the way past the router that it knows. */
export class Listener extends Context.Service<Listener, Server>()("chat-server/Listener") {
  static readonly layer = Layer.effectContext(Effect.sync(() => {
    const server = make()
    return Context.make(Listener, server).pipe(Context.add(ShortWay.ShortWay, {
      take: (way) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            server.way = way
          }),
          () =>
            Effect.sync(() => {
              server.way = null
            })
        )
    }))
  }))
}
