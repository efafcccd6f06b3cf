/** A failure as providers report it, read from the several shapes it comes in. */
import { APICallError } from "@ai-sdk/provider"
import type * as AiError from "effect/ai/AiError"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Scrub } from "./Secrets.ts"

/** One failure as a provider tells it, in an HTTP response or inside a stream. */
export interface ProviderFailure {
  /** Undefined when there was no answer at all. */
  readonly status: number | undefined
  readonly message: string
  /** The provider's `type` and `code`, in small letters. */
  readonly kind: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly url: string | undefined
}

/** How much of a response's body an error keeps, in characters. */
const BODY_LIMIT = 2000

/**
 * The failure in an `APICallError` or in an error frame of a stream, without the secrets that `scrub` knows; undefined
 * for anything else.
 */
export const fromUnknown = (cause: unknown, scrub: Scrub): ProviderFailure | undefined => {
  if (APICallError.isInstance(cause)) return scrubbed(fromCall(cause), scrub)
  if (Predicate.isError(cause)) return undefined
  return Option.getOrUndefined(Option.map(decodeFrame(cause), (frame) => scrubbed(fromFrame(frame), scrub)))
}

const scrubbed = (failure: ProviderFailure, scrub: Scrub): ProviderFailure => ({
  ...failure,
  message: scrub(failure.message),
  headers: Object.fromEntries(Object.entries(failure.headers).map(([name, value]) => [name, scrub(value)])),
  body: failure.body === undefined ? undefined : scrub(failure.body)
})

/**
 * The parts of a response that help to find the trouble: status, the body's beginning, and headers that name the
 * request or a limit. Cookies and the like stay out.
 */
export const httpContext = (failure: ProviderFailure, status: number): typeof AiError.HttpContext.Type => ({
  response: {
    status,
    headers: Object.fromEntries(
      Object.entries(failure.headers).filter(([name]) => /request-id|retry-after|ratelimit/.test(name))
    )
  },
  ...(failure.body === undefined ? {} : { body: failure.body.slice(0, BODY_LIMIT) })
})

const Frame = Schema.Struct({
  message: Schema.String,
  type: Schema.optional(Schema.NullOr(Schema.String)),
  code: Schema.optional(Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))),
  status: Schema.optional(Schema.Unknown),
  statusCode: Schema.optional(Schema.Finite)
})
const decodeFrame = Schema.decodeUnknownOption(Frame)
const decodeBody = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ error: Frame })))

const kindOf = (frame: typeof Frame.Type): string =>
  [frame.type, frame.code, frame.status].filter((word) => typeof word === "string").join(" ").toLowerCase()

const fromCall = (cause: APICallError): ProviderFailure => ({
  status: cause.statusCode,
  message: cause.message,
  kind: Option.match(decodeBody(cause.responseBody), { onNone: () => "", onSome: ({ error }) => kindOf(error) }),
  headers: cause.responseHeaders ?? {},
  body: cause.responseBody,
  url: cause.url
})

const fromFrame = (frame: typeof Frame.Type): ProviderFailure => ({
  status: frame.statusCode ?? statusOf(frame),
  message: frame.message,
  kind: kindOf(frame),
  headers: {},
  body: undefined,
  url: undefined
})

const KINDS: ReadonlyArray<readonly [RegExp, number]> = [
  [/rate_limit|too_many|insufficient_quota|resource_exhausted/, 429],
  [/overloaded|unavailable/, 529],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/invalid|bad_request|context_length|content_filter/, 400]
]

const statusOf = (frame: typeof Frame.Type): number => {
  const code = Number(frame.code)
  if (Number.isInteger(code) && code >= 400 && code < 600) return code
  return KINDS.find(([pattern]) => pattern.test(kindOf(frame)))?.[1] ?? 500
}
