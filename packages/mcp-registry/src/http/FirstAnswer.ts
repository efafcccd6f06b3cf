/**
 * A request that was sent already by faster means: what it brought goes the way that the answers of a fetch go.
 */

const FIRST = Symbol("mcp-registry/FirstAnswer")

/** What a fetch made by `around` is to be given, so that it answers with this once in place of asking. @category combinators */
export const holding = (init: RequestInit, first: Response): RequestInit => {
  const extra: object = { [FIRST]: [first] }
  return { ...init, ...extra }
}

/** A fetch that knows such requests, however often what it is given was copied. @category combinators */
export const around = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) => {
  const held: unknown = Reflect.get(init ?? {}, FIRST)
  const first: unknown = Array.isArray(held) ? held.pop() : undefined
  return first instanceof Response ? Promise.resolve(first) : fetch(input, init)
}
