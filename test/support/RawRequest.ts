/** An HTTP request with whatever headers a test wants, `Host` included, which fetch does not let anybody choose. */
import * as Effect from "effect/Effect"
import { request } from "node:http"

export interface Options {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** As it stands: an address would lose its dots. */
  readonly path?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  /** The text as JSON; empty where it is none. */
  readonly body: Record<string, unknown>
}

/** Asks, and reads the whole answer. */
export const ask = (url: string, options: Options = {}): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const { body, headers = {}, method = body === undefined ? "GET" : "POST", path } = options
    const type = body === undefined ? {} : { "content-type": "application/json" }
    const asked = request(url, {
      method,
      headers: { ...type, ...headers },
      agent: false,
      ...path === undefined ? {} : { path }
    }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
      }).on("end", () =>
        resume(Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: text.startsWith("{") ? JSON.parse(text) : {}
        })))
    })
    asked.on("error", (error) => resume(Effect.die(error)))
    asked.end(body)
  })

/** Opens a stream of events and gives what came so far, whether it has ended, and how to close it. */
export const listen = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.callback<Listening>((resume) => {
      const state = { status: 0, text: "", isOver: false }
      const asked = request(url, { headers, agent: false }, (response) => {
        state.status = response.statusCode ?? 0
        response.setEncoding("utf8").on("data", (chunk: string) => {
          state.text += chunk
        }).on("close", () => {
          state.isOver = true
        })
        resume(Effect.succeed({ state, close: () => asked.destroy() }))
      })
      asked.on("error", () => {
        state.isOver = true
      })
      asked.end()
    }),
    ({ close }) => Effect.sync(close)
  )

export interface Listening {
  readonly state: { readonly status: number; readonly text: string; readonly isOver: boolean }
  readonly close: () => void
}
