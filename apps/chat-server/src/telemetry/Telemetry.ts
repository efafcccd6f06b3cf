/**
 * Whether telemetry leaves this program. Without the variables of OpenTelemetry nothing of it is loaded.
 */
import { Environment } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MetricsPace } from "./HostMetrics.ts"
import * as OtelVariables from "./OtelVariables.ts"

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
