/**
 * Goes on with an answer whose stream broke off: asked for again where it ended, after the pause that the server wants (R86).
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as HttpGet from "./HttpGet.ts"
import * as HttpLimits from "./HttpLimits.ts"
import type * as HttpListening from "./HttpListening.ts"
import type { Place } from "./HttpReply.ts"

/** A stream that broke off is asked for again no sooner than this, whatever the server says, in milliseconds. */
const MIN_MILLIS = 100
/** What that grows to while streams bring nothing. */
const IDLE_MILLIS = 1000
/** The pause where the server says nothing, the first time. */
const FIRST_MILLIS = 1000
/** In vain it is asked for so often in a row. */
const MOST = 2

/** @category models */
export interface Options extends HttpListening.Options {
  /** Whether the answer has come. */
  readonly isDone: () => boolean
}

/** Ends when the answer has come, or when it is not to be had. @category constructors */
export const run = Effect.fnUntraced(function*({ get, isDone, read }: Options, from: Place): Effect.fn.Return<void> {
  let lastEventId = from.lastEventId()
  let retryMillis = from.retryMillis()
  let least = MIN_MILLIS
  for (let failures = 0; failures < MOST && !isDone();) {
    yield* Effect.sleep(Math.max(retryMillis ?? FIRST_MILLIS * 1.5 ** failures, least))
    const heard = yield* Effect.scoped(Effect.gen(function*() {
      const result = yield* Effect.result(get(lastEventId))
      if (Result.isFailure(result)) return null
      if (HttpGet.isStream(result.success)) return yield* read(result.success)
      yield* HttpLimits.discard(result.success)
      return result.success.status === NO_STREAM ? NEVER : null
    }))
    if (heard === NEVER) return
    failures = heard === null ? failures + 1 : 0
    const isNews = heard !== null && heard.lastEventId() !== null && heard.lastEventId() !== lastEventId
    least = isNews ? MIN_MILLIS : Math.min(2 * least, IDLE_MILLIS)
    lastEventId = heard?.lastEventId() ?? lastEventId
    retryMillis = heard?.retryMillis() ?? retryMillis
  }
})

const NO_STREAM = 405
const NEVER: Place = { lastEventId: () => null, retryMillis: () => null }
