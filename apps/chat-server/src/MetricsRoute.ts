/**
 * `GET /metrics`: everything counted so far, as Prometheus reads it.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { ProcessMetrics } from "./ProcessMetrics.ts"
import { ServerGauges } from "./ServerGauges.ts"

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const servers = yield* ServerGauges
  const process = yield* ProcessMetrics
  yield* router.add(
    "GET",
    "/metrics",
    Effect.gen(function*() {
      yield* servers.measure
      yield* process.measure
      return HttpServerResponse.text(yield* PrometheusMetrics.format({ metricNameMapper: named }), {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store" }
      })
    })
  )
}))

/** Prometheus has the unit in the name, OpenTelemetry beside it. */
const named = (id: string): string => /^mcp\.client\..*duration$/.test(id) ? `${id}.seconds` : id
