/**
 * A way past the router, for small requests of programs that send many. The router and what goes through it take longer than a call of a
 * tool: services for each request, a response that is made three times, a stream for the body.
 */
import type { PlainAnswer } from "@boocode/mcp-gateway"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import * as Page from "./Page.ts"

/** Answers a request of Node's, or says false and leaves it as it is. */
export type Way = (request: IncomingMessage, response: ServerResponse) => boolean

/** The server's own way past its router. Without one all requests go through it. */
export class ShortWay extends Context.Reference<{
  /** Asks this way first, until the scope closes. */
  readonly take: (way: Way) => Effect.Effect<void, never, Scope.Scope>
}>("chat-server/ShortWay", { defaultValue: () => ({ take: () => Effect.void }) }) {}

/** The router stops reading the body of a request that it refuses after as many bytes. */
const MOST_BODY = 256 * 1024

/** Whether Node reads the whole of a request soon, and no more. */
export const isSmall = ({ headers }: IncomingMessage): boolean => Number(headers["content-length"]) <= MOST_BODY

const decoder = new TextDecoder()
const NOTHING = new Uint8Array()

/** Gives the text of a small request once all of it is there; never where its client goes before. */
export const onText = (request: IncomingMessage, take: (text: string) => void): void => {
  const chunks = new Array<Uint8Array>()
  request.on("data", (chunk: Uint8Array) => void chunks.push(chunk))
  request.on("end", () => {
    const [first = NOTHING] = chunks
    take(decoder.decode(chunks.length > 1 ? Buffer.concat(chunks) : first))
  })
}

/** Writes an answer; a text at once and in one piece, a stream until it ends. */
export const write = (response: ServerResponse, { body, headers, status }: PlainAnswer): Effect.Effect<void> => {
  if (response.destroyed) return Effect.void
  if (body === null || typeof body === "string") {
    const text = body ?? ""
    return Effect.sync(() => {
      response.writeHead(status, { ...Page.SECURITY, ...headers, "content-length": Buffer.byteLength(text) }).end(text)
    })
  }
  return Effect.ignore(Effect.tryPromise((signal) => {
    response.writeHead(status, { ...Page.SECURITY, ...headers, "x-accel-buffering": "no" })
    return pipeline(Readable.fromWeb(body), response, { signal })
  }))
}
