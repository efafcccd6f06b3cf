/**
 * Streams of events that a GET opens: where a server sends what nobody asked for, and where it goes on with an answer that
 * broke off.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Backoff from "../base/Backoff.ts"
import type { HttpFailure } from "./HttpFailure.ts"
import type { HeaderRecord } from "./HttpHeaders.ts"
import * as HttpResponse from "./HttpResponse.ts"
import { type HttpSender, IGNORED } from "./HttpSender.ts"

export interface Options {
  readonly sender: HttpSender
  readonly url: URL
  readonly headers: HeaderRecord
  /** Where the last stream ended; null for a new one. */
  readonly lastEventId: string | null
  readonly reading: Omit<HttpResponse.Reading, "onOver">
  /** Called when the stream is open. */
  readonly onOpen?: () => void
}

/** Opens a stream and reads it until it ends, in whatever way. Fails when the server offers none. */
export const read = ({ headers, lastEventId, onOpen, reading, sender, url }: Options) =>
  Effect.callback<HttpResponse.Place, HttpFailure>((resume) => {
    const abort = sender({
      method: "GET",
      url,
      rpcMethod: "the stream of events",
      headers: (signed) => ({
        ...headers,
        accept: HttpResponse.EVENTS_TYPE,
        ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
        ...signed
      }),
      body: null,
      onFailure: (failure) => resume(Effect.fail(failure)),
      onSuccess: (_, found) => {
        if (HttpResponse.contentType(found) !== HttpResponse.EVENTS_TYPE) {
          abort()
          resume(Effect.fail({ _tag: "OtherContent", type: HttpResponse.header(found, "content-type") }))
          return IGNORED
        }
        onOpen?.()
        const body = HttpResponse.events({
          ...reading,
          onOver: () => {
            abort()
            resume(Effect.succeed(body.place))
          }
        })
        return body
      }
    })
    return Effect.sync(abort)
  })

export type Read = (lastEventId: string | null) => Effect.Effect<HttpResponse.Place, HttpFailure>

/** A server may ask for a longer pause than ours, up to here. */
const MAX_RETRY_MILLIS = 300_000

/**
 * Listens until the server says that it has no such stream: it is asked once then (R83). A server that keeps closing the
 * stream is asked less and less often, once a minute in the end (R85).
 */
export const runListening = Effect.fnUntraced(function*(read: Read): Effect.fn.Return<void> {
  const place: Mutable<HttpResponse.Place> = { lastEventId: null, retryMillis: null }
  for (let failures = 0;; failures++) {
    const since = yield* Clock.currentTimeMillis
    const ended = yield* Effect.result(read(place.lastEventId))
    if (Result.isFailure(ended) && !isPassing(ended.failure)) return
    if (Result.isSuccess(ended)) {
      follow(place, ended.success)
      if ((yield* Clock.currentTimeMillis) - since >= Backoff.HEALTHY_MILLIS) failures = 0
    }
    const ours = Backoff.delayMillis(failures, yield* Random.next)
    const theirs = Math.min(place.retryMillis ?? 0, MAX_RETRY_MILLIS)
    yield* Effect.sleep(Math.max(ours, theirs))
  }
})

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

const follow = (place: Mutable<HttpResponse.Place>, { lastEventId, retryMillis }: HttpResponse.Place) => {
  place.lastEventId = lastEventId ?? place.lastEventId
  place.retryMillis = retryMillis ?? place.retryMillis
}

/** Whether the next attempt may succeed: a server that cannot be reached may be starting again. */
const isPassing = (failure: HttpFailure): boolean => {
  if (failure._tag === "Thrown" || failure._tag === "Known") return true
  if (failure._tag !== "Refused") return false
  const { status } = failure
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/** A stream that broke off is asked for again no sooner than this, whatever the server says, in milliseconds. */
const MIN_MILLIS = 100
/** The pause grows to this while streams bring nothing. */
const IDLE_MILLIS = 1000
/** The pause where the server says nothing, the first time. */
const FIRST_MILLIS = 1000
/** So many failures in a row end it. */
const MOST = 2
const NO_STREAM = 405

/**
 * Goes on with an answer whose stream broke off: asks for it where it ended, after the pause that the server wants (R86).
 * Ends when the answer has come, or cannot be had.
 */
export const runResumption = Effect.fnUntraced(
  function*(read: Read, from: HttpResponse.Place, isDone: () => boolean): Effect.fn.Return<void> {
    const place: Mutable<HttpResponse.Place> = { lastEventId: from.lastEventId, retryMillis: from.retryMillis }
    let least = MIN_MILLIS
    for (let failures = 0; failures < MOST && !isDone();) {
      yield* Effect.sleep(Math.max(place.retryMillis ?? FIRST_MILLIS * 1.5 ** failures, least))
      const ended = yield* Effect.result(read(place.lastEventId))
      if (Result.isFailure(ended)) {
        if (ended.failure._tag === "Refused" && ended.failure.status === NO_STREAM) return
        failures++
      } else failures = 0
      const heard = Result.isSuccess(ended) ? ended.success.lastEventId : null
      least = heard !== null && heard !== place.lastEventId ? MIN_MILLIS : Math.min(2 * least, IDLE_MILLIS)
      if (Result.isSuccess(ended)) follow(place, ended.success)
    }
  }
)
