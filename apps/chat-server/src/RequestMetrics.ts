/**
 * Counts requests by route and status, and how long they took to be answered.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Metric from "effect/Metric"
import type { Guard } from "./Guards.ts"
import * as Routes from "./Routes.ts"

const requests = Metric.counter("boocode_http_requests_total", {
  description: "Requests that were answered",
  incremental: true
})

const seconds = Metric.histogram("boocode_http_request_duration_seconds", {
  description: "How long requests took until their answer began",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

export const guard: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (began) =>
        Effect.tap(httpEffect, ({ status }) => counted(request, status, began)))
  )

const counted = Effect.fnUntraced(
  function*({ method, url }: HttpServerRequest.HttpServerRequest, status: number, began: number) {
    const route = Routes.patternOf(url)
    const taken = ((yield* Clock.currentTimeMillis) - began) / 1000
    const attributes = { method: METHODS.has(method) ? method : "other", route, status: String(status) }
    yield* Metric.update(Metric.withAttributes(requests, attributes), 1)
    yield* Metric.update(Metric.withAttributes(seconds, { route }), taken)
  }
)

/** Anything may stand there, and every label costs memory for ever. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
