/**
 * Keeps figures that are measured when somebody looks fresh for a collector, which does not look but is sent them.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { ProcessMetrics } from "../ProcessMetrics.ts"
import { ServerGauges } from "../ServerGauges.ts"
import { MetricsPace } from "./MetricsPace.ts"

/** Measures twice as often as metrics are sent, and never where they are not. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const pace = yield* MetricsPace
  if (pace === null) return
  const servers = yield* ServerGauges
  const process = yield* ProcessMetrics
  const measured = Effect.andThen(servers.measure, process.measure)
  yield* Effect.forkScoped(Effect.repeat(measured, Schedule.spaced(pace / 2)))
}))
