/**
 * A fetch whose machinery is loaded by the first request: most servers are programs, and undici takes its time to load.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/**
 * Makes it. What `load` makes belongs to the scope of whoever asked for the fetch, and is made once.
 *
 * @category constructors
 */
export const make = Effect.fnUntraced(function*(
  load: Effect.Effect<typeof globalThis.fetch, never, Scope.Scope>
): Effect.fn.Return<typeof globalThis.fetch, never, Scope.Scope> {
  const scope = yield* Effect.scope
  let loaded: Promise<typeof globalThis.fetch> | null = null
  // oxlint-disable-next-line house/no-run -- a fetch is a promise
  const begin = () => loaded ??= Effect.runPromise(Scope.provide(load, scope))
  return (input, init) => begin().then((fetch) => fetch(input, init))
})
