/**
 * Where a redirect may lead: within the origin, and with the method kept. A header or a body goes nowhere else (R76).
 */
import * as Effect from "effect/Effect"
import * as HttpBody from "./HttpBody.ts"

/** A request goes on at most so often. */
const MOST = 5

/**
 * Sends, and follows such a redirect. Any other comes back as it is.
 *
 * @category combinators
 */
export const within = Effect.fnUntraced(function*<E>(
  url: URL,
  method: string,
  send: (url: URL) => Effect.Effect<Response, E>
): Effect.fn.Return<Response, E> {
  let at = url
  for (let followed = 0;; followed++) {
    const response = yield* send(at)
    const target = targetOf(at, response)
    if (target === null || followed === MOST || !isOpen(at, target, response.status, method)) return response
    yield* HttpBody.discard(response)
    at = target
  }
})

/** Says where a response leads that was not followed; null when it leads nowhere. @category getters */
export const words = (url: URL, response: Response): string | null => {
  if (response.type === "opaqueredirect") return HIDDEN
  const from = URL.parse(response.url) ?? url
  const target = targetOf(from, response)
  if (target === null) return null
  const place = target.origin + target.pathname
  return target.protocol === "http:" && from.protocol === "https:"
    ? `Redirect from https to plain http not followed; try ${place.replace(/^http:/, "https:")} as the endpoint`
    : `Redirect to ${place} not followed`
}

/** Whether a status stands for a redirect that the runtime keeps to itself. @category predicates */
export const isHidden = (status: number): boolean => status === 0

/** What is told of such a redirect. @category constants */
export const HIDDEN = "Redirect not followed: this runtime does not expose where it points"

const CODES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const targetOf = (from: URL, { headers, status }: Response): URL | null => {
  const location = CODES.has(status) ? headers.get("location") : null
  return location === null ? null : URL.parse(location, from.href)
}

/** From http to https on their usual ports it is the same server. */
const isSame = (from: URL, target: URL): boolean =>
  target.origin === from.origin ||
  (from.protocol === "http:" && target.protocol === "https:" && from.hostname === target.hostname &&
    from.port === "" && target.port === "")

const isOpen = (from: URL, target: URL, status: number, method: string): boolean =>
  isSame(from, target) &&
  (method === "GET" || status === 307 || status === 308) &&
  target.username === from.username && target.password === from.password
