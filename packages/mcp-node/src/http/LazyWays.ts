/**
 * Ways to servers whose machinery is loaded by the first request: most servers are programs, and undici takes its time to
 * load.
 */
import type { Post } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** @category models */
export interface Ways {
  readonly fetch: typeof globalThis.fetch
  readonly post: Post
}

/**
 * Makes them. What `load` makes belongs to the scope of whoever asked for them, and is made once.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  load: Effect.Effect<Ways, never, Scope.Scope>
): Effect.fn.Return<Ways, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let loading: Promise<Ways> | null = null
  let loaded: Ways | null = null
  const begin = () =>
    // oxlint-disable-next-line house/no-run -- a fetch is a promise
    loading ??= Effect.runPromise(
      Effect.tap(Scope.provide(load, scope), (ways) => Effect.sync(() => void (loaded = ways)))
    )
  return {
    fetch: (input, init) => begin().then(({ fetch }) => fetch(input, init)),
    post: (posting, receiving) => loaded === null ? later(begin(), posting, receiving) : loaded.post(posting, receiving)
  }
})

const later = (loading: Promise<Ways>, ...[posting, receiving]: Parameters<Post>): () => void => {
  let isGivenUp = false
  let abort = () => {}
  loading.then(
    ({ post }) => {
      if (!isGivenUp) abort = post(posting, receiving)
    },
    (error: unknown) => isGivenUp ? undefined : receiving.onError(error)
  )
  return () => {
    isGivenUp = true
    abort()
  }
}
