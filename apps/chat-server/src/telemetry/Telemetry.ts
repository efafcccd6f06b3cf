/**
 * Whether telemetry leaves this program. Without the variables of OpenTelemetry nothing of it is loaded.
 */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MetricsPace } from "./HostMetrics.ts"
import * as OtelVariables from "./OtelVariables.ts"

/** As the variables of the process and of `.env` say. What is wrong with them is a warning each, and costs no start. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { variables } = yield* Environment
  const { plan, problems } = OtelVariables.read(variables)
  for (const problem of problems) yield* Effect.logWarning(problem)
  if (plan === null) return Layer.empty
  const OtlpExport = yield* Effect.promise(() => import("./OtlpExport.ts"))
  const { metrics } = plan.exports
  const pace = metrics === undefined ? null : metrics.everyMillis ?? OtlpExport.METRICS_EVERY_MILLIS
  return Layer.merge(OtlpExport.layer(plan), Layer.succeed(MetricsPace, pace))
}))
