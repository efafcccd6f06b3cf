/** Chooses how an entry's server is reached, and adapts a plain `fetch` for hosts that have nothing faster. */
import type { Http } from "@boocode/mcp-config"
import type { HttpReceiver, HttpSend, McpFetch } from "./McpFetch.ts"

/** The fetch for an entry. An entry with `publicOnly` cannot be reached where the host has no guarded fetch. */
export const fetchFor = ({ publicOnly }: Http, { fetch, publicFetch }: McpFetch["Service"]): typeof globalThis.fetch =>
  publicOnly === true ? publicFetch ?? unguarded : fetch

/** The function that carries the conversation of an entry: the host's own `send`, else its fetch. */
export const sendFor = (http: Http, url: URL, web: McpFetch["Service"]): HttpSend => {
  const own = http.publicOnly === true ? web.publicSend : web.send
  // A fetch refuses such a URL, and says why.
  const isRefused = url.username !== "" || url.password !== "" || isBlocked(url)
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

/** Whether a fetch would refuse the address for its port. */
const isBlocked = ({ port }: URL): boolean => port !== "" && BLOCKED.has(Number(port))

/**
 * Ports that belong to other protocols, of which some take an HTTP request for something of their own. A fetch goes to none
 * of them (Fetch, 2.9), so what is faster than it must not either; private addresses are another matter.
 */
// dprint-ignore
const BLOCKED: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])
