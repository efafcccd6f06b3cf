/**
 * `GET /metrics`: everything counted so far, as Prometheus reads it.
 */
import { McpRegistry, ServerState } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { ProcessMetrics } from "./ProcessMetrics.ts"

const servers = Metric.gauge("mcp_servers", { description: "MCP servers, by state" })

export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const registry = yield* McpRegistry
  const { measure } = yield* ProcessMetrics
  const standing = Effect.flatMap(
    registry.servers,
    (all) =>
      Effect.forEach(ServerState.literals, (state) =>
        Metric.update(
          Metric.withAttributes(servers, { state }),
          all.filter((server) => server.state === state).length
        ), { discard: true })
  )
  yield* router.add(
    "GET",
    "/metrics",
    Effect.gen(function*() {
      yield* standing
      yield* measure
      return HttpServerResponse.text(yield* PrometheusMetrics.format(), {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store" }
      })
    })
  )
}))
