/**
 * The way of a POST that is not simply answered: through the fetch that signs in and runs the headers helper, with
 * patience where a server takes no more requests, and with redirects followed where they may be.
 */
import * as Effect from "effect/Effect"
import type { ResponseHeaders } from "../McpFetch.ts"
import * as FirstAnswer from "./FirstAnswer.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { Headers } from "./HttpHeaders.ts"
import * as HttpLimits from "./HttpLimits.ts"
import * as HttpPatience from "./HttpPatience.ts"
import * as HttpRedirects from "./HttpRedirects.ts"
import type { Body } from "./HttpReply.ts"

/** @category models */
export interface Options {
  readonly fetch: typeof globalThis.fetch
  readonly url: URL
  /** Of JSON-RPC. */
  readonly method: string
  readonly headers: Headers
  readonly body: string
  readonly signal: AbortSignal
  /** What a faster way has brought for this very request; it took no effect. */
  readonly first: Response | null
}

/** Gives a success, whose body is still to be read. @category constructors */
export const post = ({ body, fetch, first, headers, method, signal, url }: Options) => {
  const init: RequestInit = { method: "POST", headers, body, signal, redirect: "manual" }
  const given = first === null ? init : FirstAnswer.holding(init, first)
  const send = HttpRedirects.within(url, "POST", (at) => thrown(() => fetch(at, given)))
  return HttpPatience.patiently(send, method).pipe(
    Effect.catchTag("HttpStatus", (reason) => Effect.fail<HttpFailure>({ _tag: "Known", reason })),
    Effect.flatMap((response) => response.ok ? Effect.succeed(response) : refused(url, response))
  )
}

/** @category constructors */
export const thrown = (ask: (signal: AbortSignal) => Promise<Response>): Effect.Effect<Response, HttpFailure> =>
  Effect.tryPromise({ try: ask, catch: (error): HttpFailure => ({ _tag: "Thrown", error }) })

const refused = (url: URL, response: Response): Effect.Effect<never, HttpFailure> =>
  Effect.flatMap(
    HttpLimits.words(response),
    (text) =>
      Effect.fail<HttpFailure>({
        _tag: "Refused",
        status: response.status,
        text,
        redirect: HttpRedirects.words(url, response)
      })
  )

/** Of a response that is no success nobody reads more. */
const MOST_BYTES = 64 * 1024

/** Whether a response can be made with such a status: some servers, and runtimes that hide a redirect, give others. @category predicates */
export const isOrdinary = (status: number): boolean => status >= 200 && status <= 599

/** A response made of what a `Post` tells, and who takes its body. @category constructors */
export const responseOf = (
  status: number,
  headers: ResponseHeaders,
  abort: () => void
): { readonly response: Response; readonly body: Body } => {
  const isEmpty = HAS_NO_BODY.has(status) || headers["content-length"] === "0"
  let bytes = 0
  let to: ReadableStreamDefaultController<Uint8Array> | null = null
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      to = controller
    },
    cancel: abort
  })
  const response = new Response(isEmpty ? null : stream, { status, headers: pairs(headers) })
  return {
    response,
    body: {
      onData: (chunk) => {
        if (bytes < MOST_BYTES) to?.enqueue(chunk)
        bytes += chunk.length
      },
      onEnd: () => to?.close(),
      onError: (error) => to?.error(error)
    }
  }
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

const pairs = (headers: ResponseHeaders): Array<[string, string]> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : typeof value === "string"
      ? [[name, value]]
      : value.map((one): [string, string] => [name, one])
  )
