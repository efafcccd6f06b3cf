/**
 * What this process itself needs: memory, processor time, and how late its event loop is.
 */
import { McpRegistry, type ServerStatus } from "@boocode/mcp-registry"
import { ServerState } from "@boocode/mcp-registry/Schemas"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
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
  /** Brings the figures up to now. */
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
        // What is measured has the time between two looks in it.
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

// How the MCP servers stand, as metrics: by state, with how many tools, and how often their processes were started again.

const states = Metric.gauge("mcp_servers", { description: "MCP servers, by state" })

const tools = Metric.gauge("mcp_server_tools", { description: "Tools that a server offers, by server" })

const restarts = Metric.counter("mcp_server_restarts_total", {
  description: "How often the process of a server was started again after it had died, by server",
  incremental: true
})

/** Each label costs memory, and anybody may add servers. */
const MAX_SERVERS = 250

export class ServerGauges extends Context.Service<ServerGauges, {
  /** Brings the figures up to now. */
  readonly measure: Effect.Effect<void>
}>()("chat-server/ServerGauges") {
  static readonly layer = Layer.effect(
    ServerGauges,
    Effect.gen(function*() {
      const registry = yield* McpRegistry
      const before = new Map<string, number>()
      const told = Effect.fnUntraced(function*({ name, restarts: now, tools: count }: ServerStatus) {
        const last = before.get(name) ?? 0
        before.set(name, now)
        yield* Metric.update(Metric.withAttributes(tools, { server: name }), count)
        // A server whose entry changed counts anew.
        yield* Metric.update(Metric.withAttributes(restarts, { server: name }), now < last ? now : now - last)
      })
      const forgotten = (name: string) =>
        Effect.suspend(() => {
          before.delete(name)
          return Metric.remove(Metric.withAttributes(tools, { server: name }))
        })
      return ServerGauges.of({
        measure: Effect.gen(function*() {
          const all = yield* registry.servers
          const shown = all.slice(0, MAX_SERVERS)
          const names = new Set(shown.map(({ name }) => name))
          yield* Effect.forEach([...before.keys()].filter((name) => !names.has(name)), forgotten)
          yield* Effect.forEach(shown, told)
          yield* Effect.forEach(ServerState.literals, (state) =>
            Metric.update(
              Metric.withAttributes(states, { state }),
              all.filter((server) => server.state === state).length
            ))
        })
      })
    })
  )
}

// Keeps figures that are measured when somebody looks fresh for a collector, which does not look but is sent them.

/** Measures twice as often as metrics are sent, and never where they are not. */
export const freshLayer = Layer.effectDiscard(Effect.gen(function*() {
  const pace = yield* MetricsPace
  if (pace === null) return
  const servers = yield* ServerGauges
  const process = yield* HostMetrics
  const measured = Effect.andThen(servers.measure, process.measure)
  yield* Effect.forkScoped(Effect.repeat(measured, Schedule.spaced(pace / 2)))
}))

// How often metrics are sent to a collector.

/** In milliseconds; null where they are not. */
export class MetricsPace extends Context.Reference<number | null>("chat-server/MetricsPace", {
  defaultValue: () => null
}) {}
