/**
 * A `Post` for hosts that have a fetch and nothing faster.
 */
import type { Post, Receiving, ResponseHeaders } from "../McpFetch.ts"

/** Makes it. @category constructors */
export const of = (fetch: typeof globalThis.fetch): Post => ({ body, headers, url }, receiving) => {
  const controller = new AbortController()
  const { signal } = controller
  let stop = () => {}
  fetch(url, { method: "POST", headers, body, signal, redirect: "manual" }).then(
    (response) => {
      if (signal.aborted) return void response.body?.cancel().catch(() => {})
      receiving.onHeaders(response.status, headersOf(response))
      if (!signal.aborted) stop = read(response.body, receiving)
    },
    (error: unknown) => signal.aborted ? undefined : receiving.onError(error)
  )
  return () => {
    controller.abort()
    stop()
  }
}

/** The headers of a response in the form in which a `Post` tells them. @category getters */
export const headersOf = ({ headers }: Response): ResponseHeaders => Object.fromEntries(headers)

/**
 * Reads a body to its end, and gives what ends it before: nothing is told from then on.
 *
 * @category combinators
 */
export const read = (
  body: ReadableStream<Uint8Array> | null,
  { onData, onEnd, onError }: Omit<Receiving, "onHeaders">
): () => void => {
  let isOver = false
  const reader = body?.getReader()
  const told = (tell: () => void) => isOver ? undefined : tell()
  const next = (): void =>
    void reader?.read().then(
      ({ done, value }) =>
        told(() => {
          if (done) return onEnd()
          const pause = onData(value)
          const goOn = () => told(next)
          if (pause) pause(goOn)
          else goOn()
        }),
      (error: unknown) => told(() => onError(error))
    )
  if (reader === undefined) onEnd()
  else next()
  return () => {
    isOver = true
    // What a server still has to say about what nobody wants is nobody's concern.
    reader?.cancel().catch(() => {})
  }
}
