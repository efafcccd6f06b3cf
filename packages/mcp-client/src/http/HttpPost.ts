/**
 * Sends messages by POST: directly where nothing stands in the way, else the long way, which signs in and has patience.
 */
import * as Effect from "effect/Effect"
import type { Message } from "../base/JsonRpc.ts"
import type { Post, Receiving, ResponseHeaders } from "../host/McpFetch.ts"
import type { Exchange } from "./HttpExchanges.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { Headers, HttpHeaders } from "./HttpHeaders.ts"
import * as HttpRedirects from "./HttpRedirects.ts"
import * as HttpReply from "./HttpReply.ts"
import type { Body } from "./HttpReply.ts"
import * as HttpRetry from "./HttpRetry.ts"

/** The two ways to a server. @category models */
export interface Ways {
  /** The long way: it signs in, renews, and runs the headers helper. */
  readonly fetch: typeof globalThis.fetch
  readonly post: Post
  /**
   * What a request has to carry besides to go directly; the same object for as long as nothing changes. Null where the
   * long way has to find it out.
   */
  readonly headersNow: () => Headers | null
}

/** A message on its way. @category models */
export interface Request {
  readonly exchange: Exchange
  readonly message: Message
  /** Further headers. */
  readonly more: Headers | undefined
  readonly onAccepted: (() => void) | undefined
}

/** @category models */
export interface Options {
  readonly ways: Ways
  readonly headers: HttpHeaders
  /** Told of a success; gives who takes its body. */
  readonly onSuccess: (request: Request, status: number, headers: ResponseHeaders) => Body
  /** Told when there is none, or when it breaks before its headers have come. */
  readonly onFailure: (request: Request, failure: HttpFailure) => void
}

/** Sends a request to this address. It ends with its exchange. @category models */
export type Send = (url: URL, request: Request) => void

/** Makes it; what waits, waits by the clock of the current fiber. @category constructors */
export const make = Effect.fnUntraced(function*(
  { headers, onFailure, onSuccess, ways }: Options
): Effect.fn.Return<Send> {
  // oxlint-disable-next-line house/no-run -- sending is a plain call
  const fork = Effect.runForkWith(yield* Effect.context<never>())

  const goLongWay = (url: URL, request: Request, body: string, first: Response | null) => {
    const { exchange, message, more } = request
    const { signal, ...controller } = abortable()
    let stop = exchange.abort
    exchange.abort = () => {
      controller.abort()
      stop()
    }
    const sent = HttpRetry.post({
      fetch: ways.fetch,
      url,
      method: exchange.method,
      headers: headers.post(message, NOTHING, more),
      body,
      signal,
      first
    })
    const told = Effect.match(sent, {
      onFailure: (failure) => onFailure(request, failure),
      onSuccess: (response) => {
        const taker = onSuccess(request, response.status, HttpReply.headersOf(response))
        if (exchange.isOver) void response.body?.cancel().catch(() => {})
        else stop = HttpReply.readFetched(response.body, taker)
      }
    })
    fork(told, { signal })
  }
  const unusual = (
    url: URL,
    request: Request,
    body: string,
    signed: Headers,
    status: number,
    found: ResponseHeaders
  ) => {
    if (!HttpRetry.isOrdinary(status)) {
      const redirect = HttpRedirects.isHidden(status) ? HttpRedirects.HIDDEN : null
      onFailure(request, { _tag: "Refused", status, text: "", redirect })
      return IGNORED
    }
    const { abort } = request.exchange
    const isStale = (status === 401 || status === 403) && ways.headersNow() !== signed
    const first = isStale ? null : HttpRetry.responseOf(status, found, abort)
    goLongWay(url, request, body, first?.response ?? null)
    if (first !== null) return first.body
    abort()
    return IGNORED
  }
  const direct = (url: URL, request: Request, body: string, signed: Headers): Receiving => {
    let taker: Body | null = null
    return {
      onHeaders: (status, found) => {
        taker = status >= 200 && status < 300
          ? onSuccess(request, status, found)
          : unusual(url, request, body, signed, status, found)
      },
      onData: (chunk) => taker?.onData(chunk),
      onEnd: () => taker?.onEnd(),
      onError: (error) => taker === null ? onFailure(request, { _tag: "Thrown", error }) : taker.onError(error)
    }
  }
  return (url, request) => {
    const { exchange, message, more } = request
    const signed = ways.headersNow()
    const body = JSON.stringify(message)
    if (signed === null) return goLongWay(url, request, body, null)
    const posting = { url, headers: headers.post(message, signed, more), body }
    exchange.abort = ways.post(posting, direct(url, request, body, signed))
  }
})

const NOTHING: Headers = {}

const abortable = () => {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

/** Takes what nobody wants. @category constants */
export const IGNORED: Body = { onData: () => {}, onEnd: () => {}, onError: () => {} }
