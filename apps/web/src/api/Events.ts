/** Follows server-sent events; after a lost connection it goes on by itself, where it was. */
import { needsLogin } from "./Client.ts"

/** "open", "lost" (trying again) or "gone" (the server refused: there is nothing to follow). */
export type Connection = "open" | "lost" | "gone"

export interface Following {
  readonly close: () => void
}

const FIRST_WAIT = 500
const LONGEST_WAIT = 4000

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
  let isClosed = false

  const again = async () => {
    source?.close()
    on.state("lost")
    // An EventSource does not say why it failed; whether the thing is gone, or wants a login, another request does.
    const status = await fetch(`/api/${path()}`, { headers: { accept: "text/event-stream" } })
      .then((response) => {
        void response.body?.cancel()
        return response.status
      }, () => 0)
    if (isClosed) return
    if (status === 401) needsLogin.value = true
    if (status === 401 || status === 404) return on.state("gone")
    timer = setTimeout(open, status === 200 ? 0 : wait)
    wait = Math.min(wait * 2, LONGEST_WAIT)
  }

  const open = () => {
    source = new EventSource(`/api/${path()}`)
    source.onopen = () => {
      wait = FIRST_WAIT
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
