/**
 * The POSTs of a conversation by undici's dispatcher itself: a fetch costs five times as much.
 */
import type { Post, Posting, Receiving } from "@boocode/mcp-registry"
import type { Dispatcher } from "undici"
import * as Unpacking from "./Unpacking.ts"

/**
 * Posts through this dispatcher, over HTTP/1.1. Fails with what `fetch` fails with.
 *
 * @category constructors
 */
export const of = (dispatcher: Dispatcher): Post => (posting, receiving) => {
  const response = begin(receiving)
  dispatcher.dispatch(optionsOf(posting), response.handler)
  return response.abort
}

const optionsOf = ({ body, headers, url }: Posting): Dispatcher.DispatchOptions & { readonly allowH2: false } => ({
  origin: url.origin,
  path: url.pathname + url.search,
  method: "POST",
  headers: { ...headers, "accept-encoding": Unpacking.KNOWN },
  body,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false
})

/** A response until it ends, or is given up: nothing is told from then on. */
const begin = (receiving: Receiving): { readonly handler: Dispatcher.DispatchHandler; readonly abort: () => void } => {
  let to: Receiving | null = receiving
  let isBegun = false
  let controller: Dispatcher.DispatchController | null = null
  let unpacking: Unpacking.Unpacking | null = null
  const fail = (error: unknown) => {
    const told = to
    to = null
    unpacking?.stop()
    told?.onError(new TypeError(isBegun ? "terminated" : "fetch failed", { cause: error }))
  }
  const end = () => {
    const told = to
    to = null
    told?.onEnd()
  }
  return {
    abort: () => {
      if (to === null) return
      to = null
      unpacking?.stop()
      controller?.abort(GIVEN_UP)
    },
    handler: {
      onRequestStart: (started) => {
        controller = started
        if (to === null) started.abort(GIVEN_UP)
      },
      onResponseStart: (_, status, headers) => {
        // What comes before the response itself.
        if (status < 200 || to === null) return
        isBegun = true
        unpacking = Unpacking.of(headers["content-encoding"], {
          onData: (chunk) => to?.onData(chunk),
          onEnd: end,
          onError: fail
        })
        to.onHeaders(status, headers)
      },
      onResponseData: (_, chunk) => unpacking === null ? to?.onData(chunk) : unpacking.push(chunk),
      onResponseEnd: () => unpacking === null ? end() : unpacking.end(),
      onResponseError: (_, error) => {
        if (to !== null) fail(error)
      }
    }
  }
}

const GIVEN_UP = new Error("nobody waits for it any more")
