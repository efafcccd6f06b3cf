/**
 * Traces, metrics and logs on their way to a collector. Loaded only where the variables of OpenTelemetry ask for it.
 */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as OtelVariables from "./OtelVariables.ts"
import type { Export, Plan, Signal } from "./OtelVariables.ts"
import * as ProtobufSpans from "./ProtobufSpans.ts"

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
        Effect.map(OtlpTracer.make(options), (tracer) => OtelVariables.sampled(tracer, plan.sampler))
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
    Effect.map(HttpClient.HttpClient, (client) => watched(client, name, to))
  )

// The way to a collector of telemetry: each request has its time, few are on their way at once, and one that is away is one
// warning, whatever it costs to try again.

/** A collector that hangs must not keep batches without end. */
const MOST_AT_ONCE = 4

/** What exporters send with, watched. */
export const watched = (client: HttpClient.HttpClient, signal: Signal, { timeoutMillis, url }: Export) => {
  const { origin } = new URL(url)
  let onTheWay = 0
  let isAway = false
  const failed = (why: string) =>
    Effect.suspend(() => {
      if (isAway) return Effect.void
      isAway = true
      return Effect.logWarning(`${signal} cannot be exported to ${origin}: ${why}; it is tried again from time to time`)
    })
  const arrived = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo(`${signal} are exported to ${origin} again`)
  })
  return HttpClient.transform(client, (sent, request) =>
    Effect.suspend(() => {
      const gone = (description: string) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, description })
        })
      if (onTheWay >= MOST_AT_ONCE) return Effect.fail(gone("too much waits for it"))
      onTheWay += 1
      return sent.pipe(
        Effect.timeoutOrElse({
          duration: timeoutMillis,
          orElse: () => Effect.fail(gone(`no answer within ${timeoutMillis} ms`))
        }),
        Effect.tap(({ status }) => status < 400 ? arrived : failed(`HTTP ${status}`)),
        Effect.tapError(({ reason }) => failed(wordsOf(reason))),
        Effect.ensuring(Effect.sync(() => {
          onTheWay -= 1
        }))
      )
    }))
}

/** Not the words of the error, which name the whole address. */
const wordsOf = (reason: HttpClientError.HttpClientErrorReason): string =>
  reason._tag === "TransportError" ? reason.description ?? "it cannot be reached" : reason._tag
