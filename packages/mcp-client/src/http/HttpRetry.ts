/**
 * The way of a POST that is not simply answered: through the fetch that signs in and runs the headers helper, with
 * patience where a server takes no more requests, and with redirects followed where they may be.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { HttpStatus } from "../errors/McpError.ts"
import type { ResponseHeaders } from "../host/McpFetch.ts"
import * as HttpBody from "./HttpBody.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { Headers } from "./HttpHeaders.ts"
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
  const given = first === null ? init : holdingFirstAnswer(init, first)
  const send = HttpRedirects.within(url, "POST", (at) => thrown(() => fetch(at, given)))
  return patiently(send, method).pipe(
    Effect.catchTag("HttpStatus", (reason) => Effect.fail<HttpFailure>({ _tag: "Known", reason })),
    Effect.flatMap((response) => response.ok ? Effect.succeed(response) : refused(url, response))
  )
}

/** @category constructors */
export const thrown = (ask: (signal: AbortSignal) => Promise<Response>): Effect.Effect<Response, HttpFailure> =>
  Effect.tryPromise({ try: ask, catch: (error): HttpFailure => ({ _tag: "Thrown", error }) })

const refused = (url: URL, response: Response): Effect.Effect<never, HttpFailure> =>
  Effect.flatMap(
    HttpBody.words(response),
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

// A request that was sent already by faster means: what it brought goes the way that the answers of a fetch go.

const FIRST = Symbol("mcp-client/FirstAnswer")

/** What a fetch made by `around` is to be given, so that it answers with this once in place of asking. @category combinators */
export const holdingFirstAnswer = (init: RequestInit, first: Response): RequestInit => {
  const extra: object = { [FIRST]: [first] }
  return { ...init, ...extra }
}

/** A fetch that knows such requests, however often what it is given was copied. @category combinators */
export const aroundFirstAnswer = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) => {
  const held: unknown = Reflect.get(init ?? {}, FIRST)
  const first: unknown = Array.isArray(held) ? held.pop() : undefined
  return first instanceof Response ? Promise.resolve(first) : fetch(input, init)
}

// Waits when a server says that it takes no more requests at the moment, and says when it wants the next one.

/** A request is sent again at most so often. @category constants */
export const MAX_RESENDS = 2
/** All waiting for one request together, in milliseconds. @category constants */
export const MAX_WAIT_MILLIS = 5000
/** The question for the era has a short limit, and running into it would pass for silence. */
const MAX_PROBE_WAIT_MILLIS = 2000
const FIRST_WAIT_MILLIS = 1000

const TOO_MANY = 429

/**
 * Sends, and after a 429 sends again as `Retry-After` asks: the server did not accept the request, so nothing happens
 * twice (Decision 8). A server that wants a longer pause than 5 s, or still refuses, fails the request with `HttpStatus`.
 *
 * @category combinators
 */
export const patiently = Effect.fnUntraced(function*<E>(
  send: Effect.Effect<Response, E>,
  method: string
): Effect.fn.Return<Response, E | HttpStatus> {
  let left = method === "server/discover" ? MAX_PROBE_WAIT_MILLIS : MAX_WAIT_MILLIS
  for (let resends = 0;; resends++) {
    const response = yield* send
    if (response.status !== TOO_MANY) return response
    yield* discard(response)
    const asked = retryAfter(response.headers.get("retry-after"), yield* Clock.currentTimeMillis)
    const wait = asked ?? FIRST_WAIT_MILLIS * 2 ** resends
    if (resends === MAX_RESENDS || wait > left) {
      return yield* new HttpStatus({ method, code: TOO_MANY, detail: words(asked) })
    }
    left -= wait
    yield* Effect.sleep(wait)
  }
})

const words = (asked: number | null): string =>
  asked === null
    ? "too many requests"
    : `too many requests; it wants the next one in ${Math.ceil(asked / 1000)} s (Retry-After)`

/** A number of seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; null when it says neither. */
const retryAfter = (value: string | null, now: number): number | null => {
  if (value === null) return null
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  return Option.match(DateTime.make(value), {
    onNone: () => null,
    onSome: (date) => Math.max(0, DateTime.toEpochMillis(date) - now)
  })
}

/** Its words are of no use, and a connection is free again only when its response was read or given up. */
const discard = (response: Response): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => response.body?.cancel() ?? Promise.resolve()))
