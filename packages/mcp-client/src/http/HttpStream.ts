/**
 * Streams of events that are asked for by GET: where a server tells what nobody asked for, and where it goes on with an
 * answer that broke off.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HttpBody from "./HttpBody.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { Headers } from "./HttpHeaders.ts"
import * as HttpRedirects from "./HttpRedirects.ts"
import * as HttpReply from "./HttpReply.ts"
import type { Place } from "./HttpReply.ts"
import * as HttpRetry from "./HttpRetry.ts"

/** @category models */
export interface Options {
  readonly fetch: typeof globalThis.fetch
  readonly url: URL
  readonly headers: Headers
  /** Where the last stream ended; null for a new one. */
  readonly lastEventId: string | null
}

/** Asks. The response is given up when the scope closes. @category constructors */
export const get = Effect.fnUntraced(function*(
  { fetch, headers, lastEventId, url }: Options
): Effect.fn.Return<Response, HttpFailure, Scope.Scope> {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  const asked = { ...headers, accept: HttpReply.EVENTS_TYPE, ...(lastEventId === null ? {} : { [LAST]: lastEventId }) }
  const init: RequestInit = { method: "GET", headers: asked, signal, redirect: "manual" }
  return yield* HttpRedirects.within(url, "GET", (at) => HttpRetry.thrown(() => fetch(at, init)))
})

const LAST = "last-event-id"

/** Whether a response is a stream of events. @category predicates */
export const isStream = (response: Response): boolean =>
  response.ok && HttpReply.contentType(HttpReply.headersOf(response)) === HttpReply.EVENTS_TYPE

/** Reads a stream to its end, however that comes, and gives where that was. @category combinators */
export const read = (response: Response, reading: Omit<HttpReply.Reading, "onOver">): Effect.Effect<HttpReply.Place> =>
  Effect.callback((resume) => {
    let stop = () => {}
    const body = HttpReply.events({
      ...reading,
      onOver: () => {
        stop()
        resume(Effect.succeed(body))
      }
    })
    stop = HttpReply.readFetched(response.body, body)
    return Effect.sync(() => stop())
  })

// The stream on which a server tells what nobody asked for: opened by GET, and again when it ends, at a falling pace.

/** A stream that lasted so long, in milliseconds, begins again with a clean record. @category constants */
export const HEALTHY_MILLIS = 60_000
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000
/** A server may ask for a longer pause than ours, up to here. */
const MAX_RETRY_MILLIS = 300_000

/** @category models */
export interface ListeningOptions {
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
export const runListening = Effect.fnUntraced(function*(options: ListeningOptions): Effect.fn.Return<void> {
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
const once = Effect.fnUntraced(function*({ get, read }: ListeningOptions, record: Record) {
  const result = yield* Effect.result(get(record.lastEventId))
  // A server that cannot be reached may be starting again.
  if (Result.isFailure(result)) return true
  const response = result.success
  if (!isStream(response)) {
    yield* HttpBody.discard(response)
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

// Goes on with an answer whose stream broke off: asked for again where it ended, after the pause that the server wants (R86).

/** A stream that broke off is asked for again no sooner than this, whatever the server says, in milliseconds. */
const MIN_MILLIS = 100
/** What that grows to while streams bring nothing. */
const IDLE_MILLIS = 1000
/** The pause where the server says nothing, the first time. */
const FIRST_MILLIS = 1000
/** In vain it is asked for so often in a row. */
const MOST = 2

/** @category models */
export interface ResumptionOptions extends ListeningOptions {
  /** Whether the answer has come. */
  readonly isDone: () => boolean
}

/** Ends when the answer has come, or when it is not to be had. @category constructors */
export const runResumption = Effect.fnUntraced(
  function*({ get, isDone, read }: ResumptionOptions, from: Place): Effect.fn.Return<void> {
    let lastEventId = from.lastEventId()
    let retryMillis = from.retryMillis()
    let least = MIN_MILLIS
    for (let failures = 0; failures < MOST && !isDone();) {
      yield* Effect.sleep(Math.max(retryMillis ?? FIRST_MILLIS * 1.5 ** failures, least))
      const heard = yield* Effect.scoped(Effect.gen(function*() {
        const result = yield* Effect.result(get(lastEventId))
        if (Result.isFailure(result)) return null
        if (isStream(result.success)) return yield* read(result.success)
        yield* HttpBody.discard(result.success)
        return result.success.status === NO_STREAM ? NEVER : null
      }))
      if (heard === NEVER) return
      failures = heard === null ? failures + 1 : 0
      const isNews = heard !== null && heard.lastEventId() !== null && heard.lastEventId() !== lastEventId
      least = isNews ? MIN_MILLIS : Math.min(2 * least, IDLE_MILLIS)
      lastEventId = heard?.lastEventId() ?? lastEventId
      retryMillis = heard?.retryMillis() ?? retryMillis
    }
  }
)

const NO_STREAM = 405
const NEVER: Place = { lastEventId: () => null, retryMillis: () => null }
