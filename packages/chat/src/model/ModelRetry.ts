/** How a request to a model fails, and when it is made again. */
import * as AiError from "effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** How often one request is made at most. */
export const ATTEMPTS = 5

/** For how long one request is made again after it failed first. */
const WITHIN_MILLIS = 120_000

export interface Tried {
  readonly failed: number
  /** When the first of them failed, in milliseconds. */
  readonly firstAt: number
}

/** No attempt yet. */
export const NONE: Tried = { failed: 0, firstAt: 0 }

/**
 * The attempts after one more failure, and the wait in milliseconds before the next one. Fails with the error when the
 * request is not made again. Temporary failures are tried again: rate limits, an overloaded or failing provider, a
 * connection that cannot be made, breaks or falls silent. The wait doubles from a second on, with a random part, so that
 * many who failed together do not come back together; or it is the one that the provider asks for, when that is longer.
 * A request is not made again when the wait would pass the time limit.
 */
export const next = Effect.fnUntraced(function*(
  error: AiError.AiError,
  tried: Tried
): Effect.fn.Return<Tried & { readonly delayMillis: number }, AiError.AiError> {
  const now = yield* Clock.currentTimeMillis
  const random = yield* Random.next
  const failed = tried.failed + 1
  const firstAt = failed === 1 ? now : tried.firstAt
  if (!error.isRetryable || failed >= ATTEMPTS) return yield* Effect.fail(error)
  const backoff = FIRST_MILLIS * 2 ** (failed - 1) * (1 + random / 2)
  const asked = error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter) + random * SPREAD_MILLIS
  const delayMillis = Math.round(Math.max(backoff, asked))
  return now - firstAt + delayMillis > WITHIN_MILLIS ? yield* Effect.fail(error) : { failed, firstAt, delayMillis }
})

const FIRST_MILLIS = 1000
const SPREAD_MILLIS = 500

/** Fails with what a stream of parts says went wrong. */
export const failure = (error: unknown): Effect.Effect<never, AiError.AiError> =>
  AiError.isAiError(error)
    ? Effect.fail(error)
    : broken(new AiError.UnknownError({ description: error instanceof Error ? error.message : String(error) }))

export const broken = (reason: AiError.AiErrorReason): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(AiError.make({ module: "ModelAnswer", method: "ask", reason }))
