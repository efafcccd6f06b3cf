/**
 * The way to a collector of telemetry: each request has its time, few are on their way at once, and one that is away is one
 * warning, whatever it costs to try again.
 */
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type { Export, Signal } from "./OtelVariables.ts"

/** A collector that hangs must not keep batches without end. */
const MOST_AT_ONCE = 4

/** What exporters send with, watched. */
export const watched = (client: HttpClient.HttpClient, signal: Signal, { timeoutMillis, url }: Export) => {
  const { origin } = new URL(url)
  let onTheWay = 0
  let isAway = false
  const failed = (why: string) =>
    Effect.suspend(() => {
      if (isAway) return Effect.void
      isAway = true
      return Effect.logWarning(`${signal} cannot be exported to ${origin}: ${why}; it is tried again from time to time`)
    })
  const arrived = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo(`${signal} are exported to ${origin} again`)
  })
  return HttpClient.transform(client, (sent, request) =>
    Effect.suspend(() => {
      const gone = (description: string) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description })
        })
      if (onTheWay >= MOST_AT_ONCE) return Effect.fail(gone("too much waits for it"))
      onTheWay += 1
      return sent.pipe(
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          orElse: () => Effect.fail(gone(`no answer within ${timeoutMillis} ms`))
        }),
        Effect.tap(({ status }) => status < 400 ? arrived : failed(`HTTP ${status}`)),
        Effect.tapError(({ reason }) => failed(wordsOf(reason))),
        Effect.ensuring(Effect.sync(() => {
          onTheWay -= 1
        }))
      )
    }))
}

/** Not the words of the error, which name the whole address. */
const wordsOf = (reason: HttpClientError.HttpClientErrorReason): string =>
  reason._tag === "TransportError" ? reason.description ?? "it cannot be reached" : reason._tag
