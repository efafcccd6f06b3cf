/**
 * Traces, metrics and logs on their way to a collector. Loaded only where the variables of OpenTelemetry ask for it.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as Collector from "./Collector.ts"
import { type Export, type Plan, type Signal } from "./OtelVariables.ts"
import * as ProtobufSpans from "./ProtobufSpans.ts"
import * as Sampling from "./Sampling.ts"

/** What the end of the program waits for telemetry that is still here; a collector that is away must not hold it up. */
const SHUTDOWN_MILLIS = 1000

/** Metrics are sent as often as OpenTelemetry says where nobody says otherwise. */
export const METRICS_EVERY_MILLIS = 60_000

/** Exports what the plan says for as long as the scope is open. */
export const layer = (plan: Plan) =>
  Layer.mergeAll(
    signal(plan, "traces", (options) =>
      Layer.effect(
        Tracer.Tracer,
        Effect.map(OtlpTracer.make(options), (tracer) => Sampling.sampled(tracer, plan.sampler))
      )),
    signal(plan, "metrics", (options) =>
      OtlpMetrics.layer({
        ...options,
        exportInterval: options.exportInterval ?? METRICS_EVERY_MILLIS,
        temporality: plan.temporality
      })),
    signal(plan, "logs", OtlpLogger.layer)
  ).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    // The variables are read already, with words for what is wrong with them.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))),
    Layer.provide(FetchHttpClient.layer)
  )

type Options = Parameters<typeof OtlpTracer.make>[0]

type Needs = HttpClient.HttpClient | OtlpSerialization.OtlpSerialization | OtlpExporter.Flusher

const signal = <A, R extends Needs>(
  { attributes, exports, serviceName }: Plan,
  name: Signal,
  make: (options: Options) => Layer.Layer<A, never, R>
) => {
  const to = exports[name]
  if (to === undefined) return Layer.empty
  return make({
    url: to.url,
    headers: Redacted.value(to.headers),
    compression: to.compression,
    resource: { serviceName, attributes },
    exportInterval: to.everyMillis ?? undefined,
    shutdownTimeout: Math.min(SHUTDOWN_MILLIS, to.timeoutMillis)
  }).pipe(
    Layer.provide(to.protocol === "http/json" ? OtlpSerialization.layerJson : protobuf),
    Layer.provide(collector(name, to))
  )
}

/** Effect's own, but for spans, of which there may be thousands a second. */
const protobuf = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, (own) => ({
    ...own,
    traces: (data: OtlpTracer.TraceData) => HttpBody.uint8Array(ProtobufSpans.encode(data), "application/x-protobuf")
  }))
).pipe(Layer.provide(OtlpSerialization.layerProtobuf))

const collector = (name: Signal, to: Export) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) => Collector.watched(client, name, to))
  )
