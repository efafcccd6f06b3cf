/**
 * Chooses how an entry's server is reached, and adapts a plain `fetch` for hosts that have nothing faster.
 */
import type { Http } from "@boocode/mcp-config"
import * as HttpPorts from "./HttpPorts.ts"
import type { HttpReceiver, HttpSend, McpFetch } from "./McpFetch.ts"

/** The fetch for an entry. An entry with `publicOnly` cannot be reached where the host has no guarded fetch. */
export const fetchFor = ({ publicOnly }: Http, { fetch, publicFetch }: McpFetch["Service"]): typeof globalThis.fetch =>
  publicOnly === true ? publicFetch ?? unguarded : fetch

/** What carries the conversation of an entry: the host's own `send`, else its fetch. */
export const sendFor = (http: Http, url: URL, web: McpFetch["Service"]): HttpSend => {
  const own = http.publicOnly === true ? web.publicSend : web.send
  // A fetch refuses such a URL, and says why.
  const isRefused = url.username !== "" || url.password !== "" || HttpPorts.isBlocked(url)
  return own === undefined || isRefused ? over(fetchFor(http, web)) : own
}

const unguarded = () => Promise.reject(new Error("this program cannot tell private addresses from public ones"))

/** Adapts a fetch. */
export const over = (fetch: typeof globalThis.fetch): HttpSend => ({ body, headers, method, url }, receiver) => {
  const controller = new AbortController()
  const { signal } = controller
  let stop = () => {}
  fetch(url, { method, headers, body, signal, redirect: "manual" }).then(
    (response) => {
      const reader = response.body?.getReader()
      stop = () => void reader?.cancel().catch(() => {})
      if (signal.aborted) return stop()
      receiver.onHeaders(response.status, Object.fromEntries(response.headers))
      if (signal.aborted) return
      if (reader === undefined) receiver.onEnd()
      else read(reader, receiver, signal)
    },
    (error: unknown) => signal.aborted ? undefined : receiver.onError(error)
  )
  return () => {
    controller.abort()
    stop()
  }
}

/** Reads a body to its end. */
const read = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { onData, onEnd, onError }: HttpReceiver,
  signal: AbortSignal
) => {
  const told = (tell: () => void) => signal.aborted ? undefined : tell()
  const next = (): void =>
    void reader.read().then(
      ({ done, value }) =>
        told(() => {
          if (done) return onEnd()
          const pause = onData(value)
          if (pause) pause(() => told(next))
          else told(next)
        }),
      (error: unknown) => told(() => onError(error))
    )
  next()
}
