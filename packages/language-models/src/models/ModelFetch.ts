/** The fetches that providers are reached through, so that tests script the network and hosts choose their own. */
import * as Context from "effect/Context"

/**
 * A `fetch`; `globalThis.fetch` unless a layer gives another. Give one without time limits of its own where models may
 * think for longer than five minutes before their first word: the global one gives up then.
 */
export const ModelFetch: Context.Reference<typeof globalThis.fetch> = Context.Reference("language-models/ModelFetch", {
  defaultValue: () => globalThis.fetch
})

/**
 * The fetch for providers with `publicOnly`, which must connect to no private address. Without a layer it refuses every
 * request.
 */
export const PublicModelFetch: Context.Reference<typeof globalThis.fetch> = Context.Reference<
  typeof globalThis.fetch
>("language-models/PublicModelFetch", {
  defaultValue: () => () => Promise.reject(new TypeError("there is no way to public addresses alone"))
})

/**
 * The fetch with its requests kept at the origin that they are for, as they carry a key: a redirect within the origin is
 * followed, one that leads elsewhere is a `TypeError` that names the other origin.
 */
export const atOrigin = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) =>
  followed(fetch, input, init, MOST_REDIRECTS)

const MOST_REDIRECTS = 5

const followed = (
  fetch: typeof globalThis.fetch,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
  left: number
): Promise<Response> =>
  fetch(input, { ...init, redirect: "manual" }).then((response) => {
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null
    if (location === null) return response
    const from = new URL(input instanceof Request ? input.url : String(input))
    const target = URL.canParse(location, from.href) ? new URL(location, from) : from
    const isKept = KEPT.has(response.status) || (init?.method ?? "GET") === "GET"
    return Promise.resolve(response.body?.cancel()).then(() =>
      target.origin === from.origin && isKept && left > 0
        ? followed(fetch, target.href, init, left - 1)
        : Promise.reject(new TypeError(`it redirects to ${target.origin}, where the key is not sent`))
    )
  })

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** After any other a request may come without its body. */
const KEPT = new Set([307, 308])
