/** A client that reads parts or events as they come, and leaves when it likes. */
import type { Part } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Deadline from "./Deadline.ts"

export interface Listener<A> {
  /** Everything that came so far, in the order in which it came. */
  readonly heard: ReadonlyArray<A>
  /** Closes the connection. */
  readonly leave: Effect.Effect<void>
  /** Waits for what was hoped for, and gives everything that came until then. */
  readonly until: (isThere: (heard: ReadonlyArray<A>) => boolean) => Effect.Effect<ReadonlyArray<A>>
  /** Waits for the end of the answer. */
  readonly end: Effect.Effect<ReadonlyArray<A>>
  /** When each of `heard` came, in milliseconds. */
  readonly times: ReadonlyArray<number>
}

/** Listens until the scope closes. */
export const open = <A = Part>(url: string, init: RequestInit = {}) =>
  Effect.acquireRelease(Effect.promise(() => listen<A>(url, init)), ({ leave }) => leave)

/** A message, and its parts as they come. */
export const send = (url: string, chat: string, body: object) =>
  open(`${url}/api/chats/${chat}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })

const listen = async <A>(url: string, init: RequestInit): Promise<Listener<A>> => {
  const abort = new AbortController()
  const response = await fetch(url, { ...init, signal: abort.signal })
  if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
  const heard: Array<A> = []
  const times: Array<number> = []
  const hopes = new Set<() => void>()
  const read = async (body: ReadableStream<Uint8Array>) => {
    let rest = ""
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (!line.startsWith("data: ")) continue
        heard.push(JSON.parse(line.slice(6)))
        times.push(performance.now())
      }
      for (const look of [...hopes]) look()
    }
  }
  // An aborted answer ends as any other does.
  const ended = read(response.body).catch(() => {})
  return {
    heard,
    times,
    leave: Effect.promise(() => {
      abort.abort()
      return ended
    }),
    end: Effect.promise(async () => {
      await ended
      return heard
    }),
    until: (isThere) =>
      Effect.promise(() =>
        new Promise<ReadonlyArray<A>>((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`not heard: ${JSON.stringify(heard).slice(-2000)}`)),
            Deadline.WAIT_MILLIS
          )
          const look = () => {
            if (!isThere(heard)) return
            clearTimeout(timer)
            hopes.delete(look)
            resolve(heard)
          }
          hopes.add(look)
          look()
        })
      )
  }
}
