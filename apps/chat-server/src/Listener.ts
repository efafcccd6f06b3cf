/** The HTTP server of Node, which answers from the moment it has its port. */
import { createServer, type Server } from "node:http"

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

/**
 * The port is taken before anything else is built. Node gives no answer at all to a request that comes while nobody
 * listens for requests, and its client would wait for ever: such a request is told to come again.
 */
export const make = (): Server => {
  const server = createServer(PATIENCE)
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
