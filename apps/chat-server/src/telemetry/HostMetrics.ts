/** The figures of this process: memory, processor time, and how late its event loop is. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { cpuUsage, memoryUsage, uptime } from "node:process"

const GAUGES = {
  resident: Metric.gauge("process_resident_memory_bytes", { description: "Memory of this process" }),
  heap: Metric.gauge("nodejs_heap_used_bytes", { description: "Memory that JavaScript uses" }),
  uptime: Metric.gauge("process_uptime_seconds", { description: "Time since the start" }),
  delay: Metric.gauge("nodejs_eventloop_delay_seconds", {
    description: "How late the event loop was, by quantile, since the last look"
  })
}

const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time since the start",
  incremental: true
})

const EVERY_MILLIS = 20

export class HostMetrics extends Context.Service<HostMetrics, {
  readonly measure: Effect.Effect<void>
}>()("chat-server/ProcessMetrics") {
  /** Watches the event loop for as long as the scope is open. */
  static readonly layer = Layer.effect(
    HostMetrics,
    Effect.gen(function*() {
      const delay = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const histogram = monitorEventLoopDelay({ resolution: EVERY_MILLIS })
          histogram.enable()
          return histogram
        }),
        (histogram) => Effect.sync(() => histogram.disable())
      )
      let counted = 0
      const quantile = (of: string, nanos: number) =>
        // The histogram counts the interval between two looks as delay.
        Metric.update(
          Metric.withAttributes(GAUGES.delay, { quantile: of }),
          Number.isFinite(nanos) ? Math.max(0, nanos / 1e9 - EVERY_MILLIS / 1000) : 0
        )
      return HostMetrics.of({
        measure: Effect.gen(function*() {
          const { heapUsed, rss } = memoryUsage()
          const { system, user } = cpuUsage()
          yield* Metric.update(GAUGES.resident, rss)
          yield* Metric.update(GAUGES.heap, heapUsed)
          const used = (system + user) / 1e6
          yield* Metric.update(cpu, used - counted)
          counted = used
          yield* Metric.update(GAUGES.uptime, uptime())
          yield* quantile("0.5", delay.percentile(50))
          yield* quantile("0.99", delay.percentile(99))
          yield* quantile("1", delay.max)
          delay.reset()
        })
      })
    })
  )
}
