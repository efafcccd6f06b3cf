/** Requests for an operator: figures by route, spans without secrets, and all figures at `GET /metrics`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import type { Guard } from "../access/HostGuard.ts"
import type { RequestHead } from "../access/RequestHead.ts"
import { FleetView } from "../telemetry/FleetView.ts"
import { HostMetrics } from "../telemetry/HostMetrics.ts"
import { ServerGauges } from "../telemetry/ServerGauges.ts"
import * as Routes from "./Routes.ts"

export const countRequests: Guard = (httpEffect) =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (began) =>
        Effect.tap(httpEffect, ({ status }) => counted(request, status, began)))
  )

/** Counts a request that was answered, and that came at a time in milliseconds since 1970. */
export const counted = (
  { method, url }: Pick<RequestHead, "method" | "url">,
  status: number,
  began: number
): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const { count, duration } = figuresOf(METHODS.has(method) ? method : "other", Routes.patternOf(url), String(status))
    count.updateUnsafe(1, fiber.context)
    duration.updateUnsafe((fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() - began) / 1000, fiber.context)
    return Effect.void
  })

const made = new Map<string, ReturnType<typeof figures>>()

const figures = (method: string, route: string, status: string) => ({
  count: Metric.counter("boocode_http_requests_total", {
    description: "Requests that were answered",
    incremental: true,
    attributes: { method, route, status }
  }),
  duration: Metric.histogram("boocode_http_request_duration_seconds", {
    description: "How long requests took until their answer began",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    attributes: { route }
  })
})

/** As many as there are labels, which are few: to make one takes longer than to count. */
const figuresOf = (method: string, route: string, status: string) => {
  const key = `${method} ${route} ${status}`
  const known = made.get(key) ?? figures(method, route, status)
  made.set(key, known)
  return known
}

/** Anything may stand there, and every label costs memory for ever. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/**
 * The API's alone: probes, scrapes, the page's files and logins that come back are left out. A request belongs to the trace
 * that its `traceparent` names.
 */
export const spansLayer = Layer.mergeAll(
  Layer.succeed(HttpMiddleware.SpanNameGenerator, ({ method, url }) => `${method} ${Routes.patternOf(url)}`),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, ({ url }: HttpServerRequest.HttpServerRequest) => !isTold(url)),
  // Parameters hold what people search for and what logins bring back.
  Layer.succeed(UrlParams.CurrentRedactedNames, [/(?:)/])
)

const isTold = (url: string): boolean => url.startsWith("/api/") && !/^\/api\/health(?![\w-])/.test(url)

export const metricsLayer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const servers = yield* ServerGauges
  const process = yield* HostMetrics
  const fleet = yield* FleetView
  yield* router.add(
    "GET",
    "/metrics",
    Effect.gen(function*() {
      yield* servers.measure
      yield* process.measure
      if (fleet !== null) yield* fleet.measure
      return HttpServerResponse.text(yield* PrometheusMetrics.format({ metricNameMapper: named }), {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store" }
      })
    })
  )
}))

/** Prometheus has the unit in the name, OpenTelemetry beside it. */
const named = (id: string): string => /^mcp\.client\..*duration$/.test(id) ? `${id}.seconds` : id
