/** Loads the machinery of HTTP with the first request: most servers are programs, and undici takes its time to load. */
import type { HttpSend } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

export interface Ways {
  readonly fetch: typeof globalThis.fetch
  readonly send: HttpSend
}

/** Loads once, in the current scope. */
export const make = Effect.fnUntraced(function*(
  load: Effect.Effect<Ways, never, Scope.Scope>
): Effect.fn.Return<Ways, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let loading: Promise<Ways> | null = null
  let loaded: Ways | null = null
  const begin = () =>
    // oxlint-disable-next-line house/no-run -- a fetch is a promise
    loading ??= Effect.runPromise(Effect.map(Scope.provide(load, scope), (ways) => loaded = ways))
  const later: HttpSend = (request, receiver) => {
    let isGivenUp = false
    let abort = () => {}
    begin().then(
      ({ send }) => isGivenUp ? undefined : abort = send(request, receiver),
      (error: unknown) => isGivenUp ? undefined : receiver.onError(error)
    )
    return () => {
      isGivenUp = true
      abort()
    }
  }
  return {
    fetch: (input, init) => begin().then(({ fetch }) => fetch(input, init)),
    send: (request, receiver) => (loaded?.send ?? later)(request, receiver)
  }
})
