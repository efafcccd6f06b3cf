/** How long a provider asks to wait after a rate limit. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ProviderFailure } from "./ProviderFailure.ts"

/**
 * The wait from the headers `retry-after-ms` and `retry-after` (seconds, or a date beside a `date` header), or from
 * Google's `RetryInfo` in the body. The key is absent when the provider does not say.
 */
export const read = (
  failure: Pick<ProviderFailure, "headers" | "body">
): { readonly retryAfter?: Duration.Duration } => {
  const millis = headerMillis(failure.headers) ?? bodyMillis(failure.body)
  return millis === undefined ? {} : { retryAfter: Duration.millis(millis) }
}

const headerMillis = (headers: ProviderFailure["headers"]): number | undefined => {
  const millis = numberOf(headers["retry-after-ms"])
  if (millis !== undefined) return millis
  const seconds = numberOf(headers["retry-after"])
  if (seconds !== undefined) return seconds * 1000
  const [until, now] = [epochMillis(headers["retry-after"]), epochMillis(headers["date"])]
  return until === undefined || now === undefined ? undefined : Math.max(0, until - now)
}

const epochMillis = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))

const numberOf = (text: string | undefined): number | undefined => {
  const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

const RetryInfo = Schema.fromJsonString(Schema.Struct({
  error: Schema.Struct({ details: Schema.Array(Schema.Struct({ retryDelay: Schema.optional(Schema.String) })) })
}))
const decodeRetryInfo = Schema.decodeUnknownOption(RetryInfo)

const bodyMillis = (body: string | undefined): number | undefined => {
  const details = Option.match(decodeRetryInfo(body), { onNone: () => [], onSome: ({ error }) => error.details })
  const delay = details.find((detail) => detail.retryDelay !== undefined)?.retryDelay
  const seconds = numberOf(delay?.replace(/s$/, ""))
  return seconds === undefined ? undefined : seconds * 1000
}
