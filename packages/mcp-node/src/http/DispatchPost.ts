/**
 * The POSTs of a conversation by undici's dispatcher itself: a fetch costs five times as much.
 */
import type { Post, Posting, Receiving, ResponseHeaders } from "@boocode/mcp-client"
import type { Dispatcher } from "undici"
import * as Unpacking from "./Unpacking.ts"

/**
 * Posts through this dispatcher, over HTTP/1.1. Fails with what `fetch` fails with.
 *
 * The number of connections has no bound: calls that last for hours would keep a ping, or a cancellation, from leaving.
 * Undici looks at a connection for a turn before it uses it again, so there are up to twice as many as calls.
 *
 * @category constructors
 */
export const of = (dispatcher: Dispatcher): Post => {
  const places = new WeakMap<URL, Place>()
  return (posting, receiving) => {
    const exchange = new Exchange(receiving)
    dispatcher.dispatch(optionsOf(posting, placeOf(posting.url, places)), exchange)
    return () => exchange.giveUp()
  }
}

/** What of an address is needed for each request; a URL makes it anew each time. */
interface Place {
  readonly origin: string
  readonly path: string
}

const placeOf = (url: URL, places: WeakMap<URL, Place>): Place => {
  const known = places.get(url)
  if (known !== undefined) return known
  const place = { origin: url.origin, path: url.pathname + url.search }
  places.set(url, place)
  return place
}

const optionsOf = (
  { body, headers }: Posting,
  { origin, path }: Place
): Dispatcher.DispatchOptions & { readonly allowH2: false } => ({
  origin,
  path,
  method: "POST",
  headers: { "accept-encoding": Unpacking.KNOWN, ...headers },
  body,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false
})

/** One POST until its response ends, or is given up: nothing is told from then on. */
class Exchange implements Dispatcher.DispatchHandler {
  #receiving: Receiving | null
  #controller: Dispatcher.DispatchController | null = null
  #unpacking: Unpacking.Unpacking | null = null
  #isBegun = false
  #isComplete = false

  constructor(receiving: Receiving) {
    this.#receiving = receiving
  }

  giveUp() {
    if (this.#receiving === null) return
    this.#receiving = null
    this.#unpacking?.stop()
    this.#controller?.abort(GIVEN_UP)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#receiving === null) controller.abort(GIVEN_UP)
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders) {
    // What comes before the response itself.
    if (status < 200 || this.#receiving === null) return
    this.#isBegun = true
    const unpack = Unpacking.of(headers["content-encoding"])
    if (unpack !== null) this.#unpacking = this.#through(unpack, controller)
    this.#receiving.onHeaders(status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array) {
    if (this.#unpacking !== null) return this.#unpacking.push(chunk)
    const pause = this.#receiving?.onData(chunk)
    if (!pause) return
    controller.pause()
    pause(() => controller.resume())
  }

  onResponseEnd() {
    this.#isComplete = true
    if (this.#unpacking === null) this.#end()
    else this.#unpacking.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error) {
    this.#isComplete = true
    this.#fail(error)
  }

  #through(unpack: Unpacking.Unpack, controller: Dispatcher.DispatchController): Unpacking.Unpacking {
    return unpack({
      onData: (chunk) => this.#receiving?.onData(chunk),
      onEnd: () => this.#end(),
      onError: (error) => this.#fail(error),
      pause: () => controller.pause(),
      resume: () => controller.resume()
    })
  }

  /** What goes on behind the end of what was packed, or behind a fault in it, is of no use to anybody. */
  #close(): Receiving | null {
    const receiving = this.#receiving
    this.#receiving = null
    if (!this.#isComplete) this.#controller?.abort(GIVEN_UP)
    return receiving
  }

  #end() {
    this.#close()?.onEnd()
  }

  #fail(error: unknown) {
    const receiving = this.#close()
    this.#unpacking?.stop()
    receiving?.onError(new TypeError(this.#isBegun ? "terminated" : "fetch failed", { cause: error }))
  }
}

const GIVEN_UP = new Error("nobody waits for it any more")
