/** The fetch of the OAuth flows: over TLS or to this machine only, with small answers and a short limit. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SecureAddress from "../base/SecureAddress.ts"
import { AuthorizationFailed, MessageTooLarge } from "../errors/McpError.ts"
import * as NetworkFailure from "../errors/NetworkFailure.ts"

/** How long one request may last: less than others wait for the turn to renew tokens. */
const LIMIT = Duration.seconds(10)
/** How much an answer may hold, in bytes: metadata and tokens are small. */
const MAX_BYTES = 1024 * 1024

/**
 * Makes a fetch that rejects with `AuthorizationFailed`: for an address that would show secrets on the way (R79), or that is on
 * this machine where the entry says nothing of this machine, for an answer that is too large or too late, and, as
 * transient, for a server that is not there or says that it cannot answer now.
 */
export const make = Effect.fnUntraced(function*(
  options: Options
): Effect.fn.Return<typeof globalThis.fetch> {
  // oxlint-disable-next-line house/no-run -- a fetch is a promise
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  return (input, init) => run(answer(options, input, init ?? {}))
})

export interface Options {
  readonly fetch: typeof globalThis.fetch
  readonly scrub: (text: string) => string
  /** URLs that the entry itself names. A server elsewhere must not have us ask the programs of this machine. */
  readonly named: ReadonlyArray<string | URL>
}

const answer = (
  { fetch, named, scrub }: Options,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit
): Effect.Effect<Response, AuthorizationFailed> => {
  const url = input instanceof Request ? input.url : String(input)
  const host = (URL.parse(url)?.host ?? "an address").slice(0, MOST_OF_HOST)
  if (!SecureAddress.isSecure(url)) return Effect.fail(insecure(host))
  if (isHere(url) && !named.some(isHere)) return Effect.fail(notYours(host))
  const failed = (error: unknown) =>
    new AuthorizationFailed({
      detail: `${host}: ${NetworkFailure.reasonOf(error, scrub).message}`,
      isTransient: true
    })
  // The signal of the fetch, which its body outlives.
  const gone = new AbortController()
  return Effect.tryPromise({
    try: () => fetch(input, { ...init, redirect: "manual", signal: gone.signal }),
    catch: failed
  }).pipe(
    Effect.flatMap((response) => read(response, failed)),
    Effect.onInterrupt(() => Effect.sync(() => gone.abort())),
    Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.fail(late(host)) }),
    Effect.flatMap((response) =>
      isDown(response.status) ? Effect.fail(down(host, response.status)) : Effect.succeed(response)
    )
  )
}

/** Reads the whole answer, so that reading it later waits for nobody. */
const read = ({ body, headers, status, statusText }: Response, failed: (error: unknown) => AuthorizationFailed) => {
  let bytes = 0
  const cap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES) controller.error(new MessageTooLarge({ bytes, limitBytes: MAX_BYTES }))
      else controller.enqueue(chunk)
    }
  })
  const text = body === null
    ? Effect.succeed(null)
    : Effect.tryPromise({ try: () => new Response(body.pipeThrough(cap)).text(), catch: failed })
  const withText = (words: string | null) =>
    new Response(HAS_NO_BODY.has(status) ? null : words, { headers, status, statusText })
  return Effect.map(text, withText)
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

/** A gateway that finds nobody behind a path says 502, which for metadata means that it is not there. */
const isDown = (status: number): boolean => status === 429 || (status >= 500 && status !== 501 && status !== 502)

const MOST_OF_HOST = 255

const isHere = (address: string | URL): boolean => SecureAddress.isLoopback(URL.parse(String(address))?.hostname ?? "")

const notYours = (host: string) =>
  new AuthorizationFailed({
    detail: `the server would have you sign in at ${host}, which is this machine`,
    try: "if that is right, name it: \"oauth\": { \"issuer\": \"…\" }"
  })

const insecure = (host: string) =>
  new AuthorizationFailed({
    detail: `${host} is not reached over https, so others on the way could read the tokens`,
    try: "only https:// and addresses of this machine are used to sign in"
  })

const late = (host: string) =>
  new AuthorizationFailed({ detail: `${host} did not answer within ${Duration.format(LIMIT)}`, isTransient: true })

const down = (host: string, status: number) =>
  new AuthorizationFailed({ detail: `${host} cannot answer now (HTTP ${status})`, isTransient: true })
