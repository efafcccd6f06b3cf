/**
 * The stream on which a server tells what nobody asked for: opened by GET, and again when it ends, at a falling pace.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as SseEvents from "../transport/SseEvents.ts"
import * as HttpLimits from "./HttpLimits.ts"

/** A stream that lasted so long, in milliseconds, begins again with a clean record. @category constants */
export const HEALTHY_MILLIS = 60_000
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000
/** A server may ask for a longer pause than ours, up to here. */
const MAX_RETRY_MILLIS = 300_000

/** @category models */
export interface Options {
  /** Sends the GET; `lastEventId` is what the last stream ended at. */
  readonly get: (lastEventId: string | null) => Effect.Effect<Response, unknown>
  readonly limits: SseEvents.Options
  readonly signal: AbortSignal | null
}

/**
 * Gives what the SDK takes for one response that never ends. A server that has no such stream is asked once; its refusal
 * is what comes back then (R83). One that keeps closing it is asked less and less often, once a minute in the end (R85).
 *
 * @category constructors
 */
export const open = Effect.fnUntraced(function*(
  { get, limits, signal }: Options
): Effect.fn.Return<globalThis.Response, unknown> {
  const first = yield* Effect.result(get(null))
  if (Result.isSuccess(first) && !isStream(first.success)) {
    const { ok, status } = first.success
    if (!ok && !isPassing(status)) return yield* HttpLimits.refusal(first.success)
    yield* discard(first.success)
    // A page for people is a way of having no such stream.
    if (ok) return new Response(null, { status: 405 })
  }
  const context = yield* Effect.context<never>()
  const record: Record = { lastEventId: null, retryMillis: null, failures: 0, openedAt: 0 }
  const again = Stream.flatMap(Stream.fromEffectRepeat(next(get, record)), (body) => read(body, limits, record))
  const begun = Result.isSuccess(first) && isStream(first.success)
  const all = begun ? Stream.concat(read(first.success, limits, record), again) : again
  const body = Stream.toReadableStreamWith(all, context, signal === null ? {} : { signal })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
})

/** What is remembered from one stream to the next. */
interface Record {
  lastEventId: string | null
  retryMillis: number | null
  failures: number
  openedAt: number
}

const isStream = (response: Response): boolean => response.ok && HttpLimits.isEventStream(response)

/** Whether a refusal may be over the next time; every other one is for good. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || (status >= 500 && status !== 501)

/** The next stream, after a pause. Waits for ever when the server turned out to have none any more. */
const next = Effect.fnUntraced(function*(get: Options["get"], record: Record) {
  for (;;) {
    yield* pause(record)
    const result = yield* Effect.result(get(record.lastEventId))
    // A server that cannot be reached may be starting again.
    if (Result.isFailure(result)) continue
    const response = result.success
    if (isStream(response)) return response
    yield* discard(response)
    if (!isPassing(response.status)) return yield* Effect.never
  }
})

const pause = Effect.fnUntraced(function*(record: Record) {
  const now = yield* Clock.currentTimeMillis
  if (record.openedAt > 0 && now - record.openedAt >= HEALTHY_MILLIS) record.failures = 0
  const ours = Math.min(FIRST_DELAY_MILLIS * 2 ** record.failures, MAX_DELAY_MILLIS)
  const theirs = Math.min(record.retryMillis ?? 0, MAX_RETRY_MILLIS)
  record.failures++
  record.openedAt = 0
  yield* Effect.sleep(Math.max(ours * (0.75 + (yield* Random.next) / 4), theirs))
})

const read = (response: Response, limits: SseEvents.Options, record: Record): Stream.Stream<Uint8Array> =>
  Stream.unwrap(Effect.gen(function*() {
    record.openedAt = yield* Clock.currentTimeMillis
    const limited = HttpLimits.events(response, limits)
    const { body } = limited.response
    if (body === null) return Stream.empty
    const remember = Stream.suspend(() => {
      record.lastEventId = limited.events.lastEventId() ?? record.lastEventId
      record.retryMillis = limited.events.retryMillis() ?? record.retryMillis
      return Stream.fromIterable(limited.events.abandon())
    })
    const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: () => "ended" as const })
    // A stream that breaks and one that ends are the same to us: it is opened again.
    return Stream.concat(Stream.catch(bytes, () => Stream.empty), remember)
  }))

/** A connection is free again only when its response was read or given up. */
const discard = (response: Response) =>
  Effect.ignore(Effect.tryPromise(() => response.body?.cancel() ?? Promise.resolve()))
