/** Whether telemetry leaves this program. Without the variables of OpenTelemetry nothing of it is loaded. */
import { Environment } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { HostMetrics } from "./HostMetrics.ts"
import * as OtelVariables from "./OtelVariables.ts"
import { ServerGauges } from "./ServerGauges.ts"

/** Milliseconds between two exports of metrics; null where they are not exported. */
class MetricsPace extends Context.Reference<number | null>("chat-server/MetricsPace", { defaultValue: () => null }) {}

/** Does what the variables of the process and of `.env` say. A variable that cannot be read is a warning. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { variables } = yield* Environment
  const { plan, problems } = OtelVariables.read(variables)
  for (const problem of problems) yield* Effect.logWarning(problem)
  if (plan === null) return Layer.empty
  const OtlpExport = yield* Effect.promise(() => import("./OtlpExport.ts"))
  const pace = plan.exports.metrics?.everyMillis ?? null
  return Layer.merge(OtlpExport.layer(plan), Layer.succeed(MetricsPace, pace))
}))

/** Measures the gauges twice between two exports: an exporter reads figures and measures none. */
export const freshLayer = Layer.effectDiscard(Effect.gen(function*() {
  const pace = yield* MetricsPace
  if (pace === null) return
  const servers = yield* ServerGauges
  const host = yield* HostMetrics
  const measured = Effect.andThen(servers.measure, host.measure)
  yield* Effect.forkScoped(Effect.repeat(measured, Schedule.spaced(pace / 2)))
}))
