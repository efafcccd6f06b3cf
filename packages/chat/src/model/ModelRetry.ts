/** How a request to a model fails, and when it is made again. */
import * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** How often one request is made at most. */
export const ATTEMPTS = 5

/** For how long one request is made again after it failed first. */
const WITHIN_MILLIS = 120_000

/** The attempts at one request so far. */
export interface Tried {
  /** How many requests failed, this one included. */
  readonly failed: number
  /** How long ago the first of them failed. */
  readonly sinceMillis: number
  /** From 0 to 1, so that many who failed together do not come back together. */
  readonly random: number
}

/**
 * The wait in milliseconds before the request is made again; null when it is not. Temporary failures are tried again:
 * rate limits, an overloaded or failing provider, a connection that cannot be made, breaks or falls silent. The wait
 * doubles from a second on, or is the one that the provider asks for, when that is longer. A request is not made again
 * when the wait would pass the time limit.
 */
export const delayMillis = (error: AiError.AiError, { failed, random, sinceMillis }: Tried): number | null => {
  if (!error.isRetryable || failed >= ATTEMPTS) return null
  const backoff = FIRST_MILLIS * 2 ** (failed - 1) * (1 + random / 2)
  const asked = error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter) + random * SPREAD_MILLIS
  const delay = Math.round(Math.max(backoff, asked))
  return sinceMillis + delay > WITHIN_MILLIS ? null : delay
}

const FIRST_MILLIS = 1000
const SPREAD_MILLIS = 500

/** Fails with what a stream of parts says went wrong. */
export const failure = (error: unknown): Effect.Effect<never, AiError.AiError> =>
  AiError.isAiError(error)
    ? Effect.fail(error)
    : broken(new AiError.UnknownError({ description: error instanceof Error ? error.message : String(error) }))

export const broken = (reason: AiError.AiErrorReason): Effect.Effect<never, AiError.AiError> =>
  Effect.fail(AiError.make({ module: "ModelAnswer", method: "ask", reason }))
