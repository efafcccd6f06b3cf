/** Errors of AI SDK providers as `AiError` with a reason that a program can act on. */
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  TypeValidationError,
  UnsupportedFunctionalityError
} from "@ai-sdk/provider"
import * as AiError from "effect/ai/AiError"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as ProviderFailure from "./ProviderFailure.ts"
import * as RetryAfter from "./RetryAfter.ts"
import * as Secrets from "./Secrets.ts"

export { hint } from "./ProviderHint.ts"

/** Where an error came from, for its message. */
export interface Origin {
  readonly method: "streamText" | "generateText"
  /** Named when the error itself does not say which address failed. */
  readonly model: string
  /** Hides the secrets of the provider in what it says. */
  readonly scrub: Secrets.Scrub
}

/**
 * The error for whatever a provider threw or sent inside a stream. Rate limits carry `retryAfter` when the provider
 * says it; an overloaded provider (503, 529) is an `InternalProviderError`, which is retryable; a connection that
 * cannot be made or that breaks is a `NetworkError`, which names the origin of the address alone. Nothing in it holds
 * the prompt or a key, also when the provider says the key back.
 */
export const fromUnknown = (cause: unknown, origin: Origin): AiError.AiError =>
  fromReason(AiError.isAiErrorReason(cause) ? cause : reason(cause, origin), origin)

export const fromReason = (reason: AiError.AiErrorReason, origin: Origin): AiError.AiError =>
  AiError.make({ module: "AiSdkModel", method: origin.method, reason })

/** The error for a stream that ended before the provider said that the answer is complete. */
export const dropped = (origin: Origin): AiError.AiError =>
  fromReason(networkError(origin.model, "the stream ended before the model had finished"), origin)

/** The error for a stream that says nothing any more. */
export const silent = (silence: Duration.Duration, origin: Origin): AiError.AiError =>
  fromReason(networkError(origin.model, `nothing came for ${Duration.toSeconds(silence)} seconds`), origin)

/** The error in words, without the advice that `hint` gives. */
export const message = ({ reason }: AiError.AiError): string => {
  switch (reason._tag) {
    case "NetworkError":
      return `${reason.description ?? "the connection failed"} (${reason.url})`
    case "AuthenticationError":
      return reason.description ?? (reason.kind === "MissingKey" ? "there is no key" : "the key is refused")
    case "QuotaExhaustedError":
      return "the quota is exhausted"
    default:
      return reason.message
  }
}

const reason = (cause: unknown, origin: Origin): AiError.AiErrorReason => {
  const { scrub } = origin
  if (UnsupportedFunctionalityError.isInstance(cause)) {
    return new AiError.InvalidRequestError({ description: scrub(cause.message) })
  }
  if (LoadAPIKeyError.isInstance(cause)) return new AiError.AuthenticationError({ kind: "MissingKey" })
  if (isCutShort(cause)) return networkError(origin.model, scrub(cause.message))
  if (isBadResponse(cause)) return new AiError.InvalidResponseError({ description: scrub(cause.message) })
  if (isBrokenResponse(cause)) return networkError(cause.url, scrub(describe(cause.cause)))
  const failure = ProviderFailure.fromUnknown(cause, scrub)
  if (failure === undefined) {
    const description = scrub(describe(cause))
    return isNetworkTrouble(cause) ? networkError(origin.model, description) : new AiError.UnknownError({ description })
  }
  if (failure.status === undefined) return networkError(failure.url ?? origin.model, failure.message)
  return fromStatus(failure, failure.status)
}

// The OpenAI-compatible provider says it this way when a stream ends early; other invalid data comes with the data.
const isCutShort = (cause: unknown): cause is InvalidResponseDataError =>
  InvalidResponseDataError.isInstance(cause) && cause.data === undefined

const isBadResponse = (cause: unknown): cause is Error =>
  JSONParseError.isInstance(cause) || TypeValidationError.isInstance(cause) ||
  InvalidResponseDataError.isInstance(cause) || EmptyResponseBodyError.isInstance(cause) ||
  (isSuccessful(cause) && (cause.cause === undefined || isBadResponse(cause.cause)))

// A connection that breaks after the headers comes as a failed call with the status of success.
const isBrokenResponse = (cause: unknown): cause is APICallError => isSuccessful(cause) && !isBadResponse(cause)

const isSuccessful = (cause: unknown): cause is APICallError =>
  APICallError.isInstance(cause) && cause.statusCode !== undefined && cause.statusCode < 300

// A fetch throws TypeErrors, sockets throw errors with a code, and an aborted request throws a DOMException.
const isNetworkTrouble = (cause: unknown): boolean =>
  cause instanceof TypeError || cause instanceof DOMException || Predicate.hasProperty(cause, "code")

const fromStatus = (failure: ProviderFailure.ProviderFailure, status: number): AiError.AiErrorReason => {
  const http = ProviderFailure.httpContext(failure, status)
  const description = failure.message
  if (status === 402 || NO_CREDIT.test(`${failure.kind} ${description}`)) {
    return new AiError.QuotaExhaustedError({ http })
  }
  if (status === 429) return new AiError.RateLimitError({ http, ...RetryAfter.read(failure) })
  if (status === 401) return new AiError.AuthenticationError({ kind: "InvalidKey", description, http })
  if (status === 403) return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description, http })
  if (/content_filter|content_policy/.test(failure.kind)) return new AiError.ContentPolicyError({ description, http })
  if (status >= 400 && status < 500 && status !== 408) return new AiError.InvalidRequestError({ description, http })
  const overloaded = status === 503 || status === 529
  return new AiError.InternalProviderError({
    description: `${overloaded ? "overloaded" : "failed"} (${status}): ${description}`,
    http
  })
}

/** OpenAI says it with 429, Anthropic with 400, others with 402. */
const NO_CREDIT = /insufficient_quota|billing|credit balance is too low|insufficient (balance|credits)/i

const networkError = (url: string, description: string) =>
  new AiError.NetworkError({ reason: "TransportError", method: "POST", url: Secrets.place(url), description })

const describe = (cause: unknown): string => {
  if (!Predicate.isError(cause)) return String(cause)
  return Predicate.isError(cause.cause) ? `${cause.message}: ${cause.cause.message}` : cause.message
}
