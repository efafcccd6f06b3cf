/** Sends the requests of a conversation by undici's dispatcher itself: a fetch costs five times as much. */
import type { HttpReceiver, HttpRequest, HttpSend, ResponseHeaders } from "@boocode/mcp-client"
import type { Transform } from "node:stream"
import * as Zlib from "node:zlib"
import { type Dispatcher, Dispatcher1Wrapper } from "undici"
import type { Ways } from "./LazyHttp.ts"

/** Both ways through a dispatcher. */
export const ways = (dispatcher: Dispatcher, forFetch = dispatcher): Ways => {
  // An object without further type: Node's types describe its bundled undici, which is a major version behind.
  const extra: object = { dispatcher: new Dispatcher1Wrapper(forFetch) }
  return { fetch: (input, init) => globalThis.fetch(input, { ...init, ...extra }), send: over(dispatcher) }
}

/** One attempt to connect lasts so long at most. */
export const CONNECT_TIMEOUT_MILLIS = 30_000

/**
 * Sends through this dispatcher, over HTTP/1.1. Fails with what `fetch` fails with.
 *
 * The number of connections has no bound: calls that last for hours would keep a ping, or a cancellation, from leaving.
 * Undici looks at a connection for a turn before it uses it again, so there are up to twice as many as calls.
 */
export const over = (dispatcher: Dispatcher): HttpSend => {
  // A URL makes its parts anew each time.
  const places = new WeakMap<URL, Place>()
  const placeOf = (url: URL): Place => {
    const place = places.get(url) ?? { origin: url.origin, path: url.pathname + url.search }
    places.set(url, place)
    return place
  }
  return (request, receiver) => {
    const exchange = new Exchange(receiver)
    dispatcher.dispatch(optionsOf(request, placeOf(request.url)), exchange)
    return () => exchange.giveUp()
  }
}

type Place = Pick<Dispatcher.DispatchOptions, "origin" | "path">

const optionsOf = (
  { body, headers, method }: HttpRequest,
  place: Place
): Dispatcher.DispatchOptions & { readonly allowH2: false } => ({
  ...place,
  method,
  // Not "deflate", which is written in two ways.
  headers: { "accept-encoding": "gzip, br", ...headers },
  body,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false
})

/** One request until its response ends, or is given up: the receiver hears nothing from then on. */
class Exchange implements Dispatcher.DispatchHandler {
  #receiver: HttpReceiver | null
  #controller: Dispatcher.DispatchController | null = null
  #unpacking: Transform | null = null
  #isBegun = false
  #isComplete = false

  constructor(receiver: HttpReceiver) {
    this.#receiver = receiver
  }

  giveUp() {
    if (this.#receiver === null) return
    this.#receiver = null
    this.#stopUnpacking()
    this.#controller?.abort(GIVEN_UP)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#receiver === null) controller.abort(GIVEN_UP)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    // An informational response comes before the response itself.
    if (status < 200 || this.#receiver === null) return
    this.#isBegun = true
    this.#unpacking = unpackerOf(headers["content-encoding"])
    this.#unpacking
      ?.on("data", (chunk: Uint8Array) => this.#data(chunk, this.#unpacking))
      .on("end", () => this.#end())
      .on("error", (error) => this.#fail(error))
      .on("drain", () => controller.resume())
    this.#receiver.onHeaders(status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    if (this.#unpacking === null) this.#data(chunk, controller)
    // It comes faster than it can be unpacked.
    else if (!this.#unpacking.write(chunk)) controller.pause()
  }

  onResponseEnd() {
    this.#isComplete = true
    if (this.#unpacking === null) this.#end()
    else this.#unpacking.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.#isComplete = true
    // The dispatcher calls this before `dispatch` returns where it takes no request; the receiver expects a later turn.
    queueMicrotask(() => this.#fail(error))
  }

  #data(chunk: Uint8Array, source: Pick<Transform, "pause" | "resume"> | Dispatcher.DispatchController | null) {
    const pause = this.#receiver?.onData(chunk)
    if (!pause) return
    source?.pause()
    pause(() => void source?.resume())
  }

  /** Hangs up on a response that goes on behind the end of its packed body, or behind a fault in it. */
  #close(): HttpReceiver | null {
    const receiver = this.#receiver
    this.#receiver = null
    if (!this.#isComplete) this.#controller?.abort(GIVEN_UP)
    return receiver
  }

  #end() {
    this.#close()?.onEnd()
  }

  #fail(error: unknown) {
    const receiver = this.#close()
    this.#stopUnpacking()
    receiver?.onError(new TypeError(this.#isBegun ? "terminated" : "fetch failed", { cause: error }))
  }

  #stopUnpacking() {
    // It may fail after it was given up, when it still works on a piece.
    this.#unpacking?.removeAllListeners().on("error", () => {}).destroy()
  }
}

const GIVEN_UP = new Error("nobody waits for it any more")

/** Unpacks as bytes come, and as far as they go where a response breaks off: an event must not wait. */
const OPTIONS = { flush: Zlib.constants.Z_SYNC_FLUSH, finishFlush: Zlib.constants.Z_SYNC_FLUSH }
const BROTLI = {
  flush: Zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: Zlib.constants.BROTLI_OPERATION_FLUSH
}

/** Null for a response that is not packed, or in a way that nobody asked for. */
const unpackerOf = (encoding: string | ReadonlyArray<string> | undefined): Transform | null => {
  switch (typeof encoding === "string" ? encoding.trim().toLowerCase() : "") {
    case "gzip":
    case "x-gzip":
      return Zlib.createGunzip(OPTIONS)
    case "deflate":
      return Zlib.createInflate(OPTIONS)
    case "br":
      return Zlib.createBrotliDecompress(BROTLI)
    default:
      return null
  }
}
