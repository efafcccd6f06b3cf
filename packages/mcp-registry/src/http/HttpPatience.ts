/**
 * Waits when a server says that it takes no more requests at the moment, and says when it wants the next one.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { HttpStatus } from "../McpError.ts"

/** A request is sent again at most so often. @category constants */
export const MAX_RESENDS = 2
/** All waiting for one request together, in milliseconds. @category constants */
export const MAX_WAIT_MILLIS = 5000
/** The question for the era has a short limit, and running into it would pass for silence. */
const MAX_PROBE_WAIT_MILLIS = 2000
const FIRST_WAIT_MILLIS = 1000

const TOO_MANY = 429

/**
 * Sends, and after a 429 sends again as `Retry-After` asks: the server did not accept the request, so nothing happens
 * twice (Decision 8). A server that wants a longer pause than 5 s, or still refuses, fails the request with `HttpStatus`.
 *
 * @category combinators
 */
export const patiently = Effect.fnUntraced(function*<E>(
  send: Effect.Effect<Response, E>,
  method: string
): Effect.fn.Return<Response, E | HttpStatus> {
  let left = method === "server/discover" ? MAX_PROBE_WAIT_MILLIS : MAX_WAIT_MILLIS
  for (let resends = 0;; resends++) {
    const response = yield* send
    if (response.status !== TOO_MANY) return response
    yield* discard(response)
    const asked = retryAfter(response.headers.get("retry-after"), yield* Clock.currentTimeMillis)
    const wait = asked ?? FIRST_WAIT_MILLIS * 2 ** resends
    if (resends === MAX_RESENDS || wait > left) {
      return yield* new HttpStatus({ method, code: TOO_MANY, detail: words(asked) })
    }
    left -= wait
    yield* Effect.sleep(wait)
  }
})

const words = (asked: number | null): string =>
  asked === null
    ? "too many requests"
    : `too many requests; it wants the next one in ${Math.ceil(asked / 1000)} s (Retry-After)`

/** A number of seconds or a date (RFC 9110, 10.2.3), as milliseconds from now; null when it says neither. */
const retryAfter = (value: string | null, now: number): number | null => {
  if (value === null) return null
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  return Option.match(DateTime.make(value), {
    onNone: () => null,
    onSome: (date) => Math.max(0, DateTime.toEpochMillis(date) - now)
  })
}

/** Its words are of no use, and a connection is free again only when its response was read or given up. */
const discard = (response: Response): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => response.body?.cancel() ?? Promise.resolve()))
