/** Traces, metrics and logs on their way to a collector: Effect's exporters, and a warning when their collector is away. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpLogger from "effect/observability/OtlpLogger"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Tracer from "effect/Tracer"
import type { Export, Plan, Signal } from "./OtelVariables.ts"
import * as TraceSampling from "./TraceSampling.ts"

/** How long the end of the program waits for what was not sent yet. */
const SHUTDOWN_MILLIS = 1000

export const layer = (plan: Plan) =>
  Layer.mergeAll(
    signal(plan, "traces", (options) =>
      Layer.effect(
        Tracer.Tracer,
        Effect.map(OtlpTracer.make(options), (tracer) => TraceSampling.sampled(tracer, plan.sampler))
      )),
    signal(plan, "metrics", (options) => OtlpMetrics.layer({ ...options, temporality: plan.temporality })),
    signal(plan, "logs", OtlpLogger.layer)
  ).pipe(
    Layer.provide(OtlpExporter.layerFlusher),
    // The exporters would read the variables once more, and fail where they cannot.
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} }))),
    Layer.provide(FetchHttpClient.layer)
  )

const signal = <A, R extends HttpClient.HttpClient | OtlpSerialization.OtlpSerialization | OtlpExporter.Flusher>(
  { exports, resource }: Plan,
  name: Signal,
  make: (options: Parameters<typeof OtlpTracer.make>[0]) => Layer.Layer<A, never, R>
) => {
  const to = exports[name]
  if (to === undefined) return Layer.empty
  const { compression, everyMillis, headers, protocol, timeoutMillis, url } = to
  const shutdownTimeout = Math.min(SHUTDOWN_MILLIS, timeoutMillis)
  return make({ url, headers, compression, resource, exportInterval: everyMillis, shutdownTimeout }).pipe(
    Layer.provide(protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf),
    Layer.provide(
      Layer.effect(HttpClient.HttpClient, Effect.flatMap(HttpClient.HttpClient, (client) => watched(client, name, to)))
    )
  )
}

/** Batches wait for a collector that hangs, so only a few may. */
const MOST_AT_ONCE = 4

/** Ends each request in its time, and warns once while the collector is away. */
const watched = Effect.fnUntraced(function*(
  client: HttpClient.HttpClient,
  signal: Signal,
  { timeoutMillis, url }: Export
) {
  const { origin } = new URL(url)
  const places = yield* Semaphore.make(MOST_AT_ONCE)
  const collector = { isAway: false }
  const failed = (why: string) =>
    Effect.suspend(() => {
      if (collector.isAway) return Effect.void
      collector.isAway = true
      return Effect.logWarning(`${signal} cannot be exported to ${origin}: ${why}; it is tried again from time to time`)
    })
  const arrived = Effect.suspend(() => {
    if (!collector.isAway) return Effect.void
    collector.isAway = false
    return Effect.logInfo(`${signal} are exported to ${origin} again`)
  })
  return HttpClient.transform(client, (sent, request) => {
    const gone = (description: string) =>
      Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })
      )
    return sent.pipe(
      Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => gone(`no answer within ${timeoutMillis} ms`) }),
      Effect.tap(({ status }) => status < 400 ? arrived : failed(`HTTP ${status}`)),
      Effect.tapError(({ reason }) => failed(wordsOf(reason))),
      places.withPermitsIfAvailable(1),
      Effect.flatMap(Option.match({ onNone: () => gone("too much waits for it"), onSome: Effect.succeed }))
    )
  })
})

/** Not the message of the error, which names the whole address. */
const wordsOf = (reason: HttpClientError.HttpClientErrorReason): string =>
  reason._tag === "TransportError" ? reason.description ?? "it cannot be reached" : reason._tag
