/**
 * How often metrics are sent to a collector.
 */
import * as Context from "effect/Context"

/** In milliseconds; null where they are not. */
export class MetricsPace extends Context.Reference<number | null>("chat-server/MetricsPace", {
  defaultValue: () => null
}) {}
