/**
 * The stream on which a server tells what nobody asked for: opened by GET, and again when it ends, at a falling pace.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HttpGet from "./HttpGet.ts"
import * as HttpLimits from "./HttpLimits.ts"
import type { Place } from "./HttpReply.ts"

/** A stream that lasted so long, in milliseconds, begins again with a clean record. @category constants */
export const HEALTHY_MILLIS = 60_000
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000
/** A server may ask for a longer pause than ours, up to here. */
const MAX_RETRY_MILLIS = 300_000

/** @category models */
export interface Options {
  /** Sends the GET; `lastEventId` is what the last stream ended at. */
  readonly get: (lastEventId: string | null) => Effect.Effect<Response, unknown, Scope.Scope>
  readonly read: (response: Response) => Effect.Effect<Place>
}

/**
 * Listens until the server says that it has no such stream: it is asked once then (R83). One that keeps closing it is
 * asked less and less often, once a minute in the end (R85).
 *
 * @category constructors
 */
export const run = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<void> {
  const record: Record = { lastEventId: null, retryMillis: null, failures: 0, openedAt: 0 }
  while (yield* Effect.scoped(once(options, record))) yield* pause(record)
})

/** What is remembered from one stream to the next. */
interface Record {
  lastEventId: string | null
  retryMillis: number | null
  failures: number
  openedAt: number
}

/** Whether it is worth asking again. */
const once = Effect.fnUntraced(function*({ get, read }: Options, record: Record) {
  const result = yield* Effect.result(get(record.lastEventId))
  // A server that cannot be reached may be starting again.
  if (Result.isFailure(result)) return true
  const response = result.success
  if (!HttpGet.isStream(response)) {
    yield* HttpLimits.discard(response)
    // A page for people is a way of having no such stream.
    return !response.ok && isPassing(response.status)
  }
  record.openedAt = yield* Clock.currentTimeMillis
  const place = yield* read(response)
  record.lastEventId = place.lastEventId() ?? record.lastEventId
  record.retryMillis = place.retryMillis() ?? record.retryMillis
  return true
})

/** Whether a refusal may be over the next time; every other one is for good. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || (status >= 500 && status !== 501)

const pause = Effect.fnUntraced(function*(record: Record) {
  const now = yield* Clock.currentTimeMillis
  if (record.openedAt > 0 && now - record.openedAt >= HEALTHY_MILLIS) record.failures = 0
  const ours = Math.min(FIRST_DELAY_MILLIS * 2 ** record.failures, MAX_DELAY_MILLIS)
  const theirs = Math.min(record.retryMillis ?? 0, MAX_RETRY_MILLIS)
  record.failures++
  record.openedAt = 0
  yield* Effect.sleep(Math.max(ours * (0.75 + (yield* Random.next) / 4), theirs))
})
