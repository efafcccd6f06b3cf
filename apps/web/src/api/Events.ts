/** Follows server-sent events; after a lost connection it goes on by itself, where it was. */
import { needsLogin } from "./Client.ts"

/** "open", "lost" (trying again) or "gone" (the server refused: there is nothing to follow). */
export type Connection = "open" | "lost" | "gone"

export interface Following {
  readonly close: () => void
}

const FIRST_WAIT = 250
const LONGEST_WAIT = 3000
/** A connection that lasted so long was a good one. */
const LASTING = 5000
/** A server that is about to end, or a proxy before it, can take a request and never answer. */
const PATIENCE = 8000

/** Why there are no events: what another request for them is answered; 0 without an answer. */
const askWhy = (path: string): Promise<{ readonly status: number; readonly isOurs: boolean }> => {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), PATIENCE)
  return fetch(`/api/${path}`, { headers: { accept: "text/event-stream" }, signal: abort.signal })
    .then((response) => {
      abort.abort()
      // A proxy also says 404 while the server behind it is away.
      const isOurs = response.headers.get("content-type")?.includes("json") === true
      return { status: response.status, isOurs }
    }, () => ({ status: 0, isOurs: false }))
    .finally(() => clearTimeout(timer))
}

/**
 * `path` is asked anew at each attempt, so it can say after which part to go on. The browser's own EventSource gives up
 * when a proxy answers 502 while the server restarts; this asks again, slower each time, until `close`.
 */
export const follow = <A>(
  path: () => string,
  on: { readonly document: (document: A) => void; readonly state: (state: Connection) => void }
): Following => {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = FIRST_WAIT
  let openSince = Infinity
  let isClosed = false

  const again = async () => {
    source?.close()
    clearTimeout(timer)
    if (performance.now() - openSince > LASTING) wait = FIRST_WAIT
    openSince = Infinity
    on.state("lost")
    // An EventSource does not say why it failed; whether the thing is gone, or wants a login, another request does.
    const { isOurs, status } = await askWhy(path())
    if (isClosed) return
    if (status === 401) needsLogin.value = true
    if (status === 401 || (status === 404 && isOurs)) return on.state("gone")
    timer = setTimeout(open, wait)
    wait = Math.min(wait * 2, LONGEST_WAIT)
  }

  const open = () => {
    source = new EventSource(`/api/${path()}`)
    timer = setTimeout(() => void again(), PATIENCE)
    source.onopen = () => {
      clearTimeout(timer)
      openSince = performance.now()
      on.state("open")
    }
    source.onmessage = ({ data }) => on.document(JSON.parse(String(data)))
    source.onerror = () => void again()
  }

  open()
  return {
    close: () => {
      isClosed = true
      clearTimeout(timer)
      source?.close()
    }
  }
}
