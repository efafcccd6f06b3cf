/** What is counted of calls and connections, read as an operator would. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Scheduler from "effect/Scheduler"
import { TestClock } from "effect/testing"
import { McpRegistry, type RegistryOptions } from "../../src/index.ts"
import * as CallMetrics from "../../src/metrics/CallMetrics.ts"
import { at } from "../support/AskingServers.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

const SCRIPT: ScriptedHost.Script = {
  tools: ["echo", "fail", "refuse", "silent"].map((name) => ScriptedHost.tool(name)),
  answer: (message) => {
    const { id = null, method } = message
    if (method !== "tools/call") return undefined
    switch (at(message, "params")["name"]) {
      case "fail":
        return {
          jsonrpc: "2.0",
          id,
          result: { isError: true, content: [{ type: "text", text: "a secret of its own" }] }
        }
      case "refuse":
        return { jsonrpc: "2.0", id, error: { code: -32602, message: "a secret of its own" } }
      case "silent":
        return null
      default:
        return undefined
    }
  }
}

/** Runs with a registry whose metrics nobody else shares. */
const withRegistry = <A, E>(
  body: (registry: McpRegistry["Service"], samples: Effect.Effect<ReadonlyMap<string, number>>) => Effect.Effect<A, E>,
  options: RegistryOptions = {},
  tools: ScriptedHost.Script = SCRIPT,
  entry: Readonly<Record<string, unknown>> = {}
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: tools })
    const run = Effect.gen(function*() {
      const registry = yield* McpRegistry
      const settled = yield* Effect.forkChild(registry.settled)
      yield* ScriptedHost.drain
      yield* Fiber.join(settled)
      return yield* body(registry, samples)
    })
    const it = { command: "server", protocol: "legacy", ...entry }
    return yield* Effect.provide(run, host.layer({ it }, options))
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const samples = Effect.map(PrometheusMetrics.format(), (text) =>
  new Map(
    text.split("\n").filter((line) => /^\w.* \S+$/.test(line)).map((line) => {
      const at = line.lastIndexOf(" ")
      return [line.slice(0, at), Number(line.slice(at + 1))] as const
    })
  ))

const total = (tool: string, outcome: string) => `mcp_tool_calls_total{server="it",tool="${tool}",outcome="${outcome}"}`

const took = (tool: string, more = "") =>
  `mcp_client_operation_duration_count{boocode_server="it",mcp_method_name="tools/call",` +
  `gen_ai_operation_name="execute_tool",gen_ai_tool_name="${tool}"${more}}`

const IN_FLIGHT = `mcp_tool_calls_in_flight{server="it"}`

describe("What is counted of calls", () => {
  it.effect("is how each ended and how long it took, by server, tool and type of error", () =>
    withRegistry((registry, samples) =>
      Effect.gen(function*() {
        yield* registry.call("it_echo", {})
        yield* registry.call("it_echo", {})
        yield* registry.call("it_fail", {})
        yield* registry.call("it_refuse", {})
        const stopped = yield* Effect.forkChild(registry.call("it_silent", {}))
        yield* ScriptedHost.drain
        assert.strictEqual((yield* samples).get(IN_FLIGHT), 1)
        yield* Fiber.interrupt(stopped)
        yield* Effect.exit(registry.call("it_echo", "not an object"))
        const now = yield* samples
        const expected = {
          [total("echo", "ok")]: 2,
          [total("echo", "failed")]: 1,
          [total("fail", "tool-error")]: 1,
          [total("refuse", "tool-error")]: 1,
          [total("silent", "stopped")]: 1,
          [took("echo")]: 2,
          [took("echo", ",error_type=\"InvalidArguments\"")]: 1,
          [took("fail", ",error_type=\"tool_error\"")]: 1,
          [took("refuse", ",error_type=\"-32602\",rpc_response_status_code=\"-32602\"")]: 1,
          [took("silent", ",error_type=\"cancelled\"")]: 1,
          [IN_FLIGHT]: 0
        }
        for (const [name, count] of Object.entries(expected)) assert.strictEqual(now.get(name), count, name)
      })
    ))

  it.effect("counts the calls of a server that one caller has for itself", () =>
    withRegistry(
      (registry, samples) =>
        Effect.gen(function*() {
          const alone = yield* registry.own("it")
          yield* alone?.call("echo", {}) ?? assert.fail("it is shared")
          assert.strictEqual((yield* samples).get(total("echo", "ok")), 1)
        }).pipe(Effect.scoped),
      {},
      SCRIPT,
      { session: "client" }
    ))

  it.effect("stays exact wherever between two steps a call is interrupted", () =>
    Effect.gen(function*() {
      const counted = yield* CallMetrics.make({ metrics: true })
      const result = { isError: false, content: [], structuredContent: null, millis: 0 }
      const call = counted(() => Effect.as(Effect.yieldNow, result), { server: "it", tool: "echo" })
      let ended = 0
      for (let round = 0; round < 60; round++) {
        // Others run after two to six steps of it, and it is interrupted after some of these.
        const often = 2 + (round % 5)
        const steps = Math.floor(round / 5)
        const fiber = yield* Effect.forkChild(Effect.provideService(call, Scheduler.MaxOpsBeforeYield, often))
        yield* Effect.repeat(Effect.yieldNow, { times: steps })
        yield* Fiber.interrupt(fiber)
        const now = yield* samples
        assert.strictEqual(now.get(IN_FLIGHT) ?? 0, 0, `${steps} times ${often} steps`)
        const count = (now.get(total("echo", "ok")) ?? 0) + (now.get(total("echo", "stopped")) ?? 0)
        assert.isTrue(count === ended || count === ended + 1, `${steps} times ${often} steps`)
        assert.strictEqual(
          (now.get(took("echo")) ?? 0) + (now.get(took("echo", ",error_type=\"cancelled\"")) ?? 0),
          count
        )
        ended = count
      }
      const now = yield* samples
      assert.isAbove(now.get(total("echo", "ok")) ?? 0, 0)
      assert.isAbove(now.get(total("echo", "stopped")) ?? 0, 0)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("never becomes less, also when the clock is set back meanwhile", () =>
    withRegistry((registry, samples) =>
      Effect.gen(function*() {
        yield* TestClock.adjust("1 hour")
        const call = yield* Effect.forkChild(registry.call("it_silent", {}))
        yield* ScriptedHost.drain
        yield* TestClock.setTime(1000)
        yield* Fiber.interrupt(call)
        const sum = [...yield* samples].find(([name]) => name.startsWith("mcp_client_operation_duration_sum"))
        assert.strictEqual(sum?.[1], 0)
      })
    ))

  it.effect("is an effect's own each time it is run, also when it is run twice at once", () =>
    withRegistry((registry, samples) =>
      Effect.gen(function*() {
        const call = registry.call("it_silent", {})
        const running = yield* Effect.forEach([0, 1], () => Effect.forkChild(call))
        yield* ScriptedHost.drain
        assert.strictEqual((yield* samples).get(IN_FLIGHT), 2)
        yield* Fiber.interruptAll(running)
        const now = yield* samples
        assert.strictEqual(now.get(IN_FLIGHT), 0)
        assert.strictEqual(now.get(total("silent", "stopped")), 2)
      })
    ))

  it.effect("has a bound: beyond 500 tools the rest is one", () => {
    const names = Array.from({ length: 510 }, (_, at) => `t${at}`)
    const many = { tools: names.map((name) => ScriptedHost.tool(name)) }
    return withRegistry(
      (registry, samples) =>
        Effect.gen(function*() {
          for (const name of names) yield* registry.call(`it_${name}`, {})
          const now = yield* samples
          const counters = [...now.keys()].filter((key) => key.startsWith("mcp_tool_calls_total"))
          assert.lengthOf(counters, 501)
          assert.strictEqual(now.get(`mcp_tool_calls_total{server="other",tool="other",outcome="ok"}`), 10)
        }),
      {},
      many
    )
  })

  it.effect("holds nothing that a caller or a server said", () =>
    withRegistry((registry) =>
      Effect.gen(function*() {
        yield* registry.call("it_echo", { text: "a-secret-argument" })
        yield* registry.call("it_fail", {})
        yield* registry.call("it_refuse", {})
        const text = yield* PrometheusMetrics.format()
        assert.include(text, "it")
        for (const said of ["a-secret-argument", "a secret of its own"]) assert.notInclude(text, said)
      })
    ))

  it.effect("is nothing where metrics are off", () =>
    withRegistry((registry, samples) =>
      Effect.gen(function*() {
        yield* registry.call("it_echo", {})
        yield* registry.stop("it")
        assert.deepStrictEqual([...(yield* samples).keys()], [])
      }), { metrics: false }))
})

describe("What is counted of connections", () => {
  it.effect("is how long each lasted, and what it was lost by", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const lasted = (more: string) =>
        `{boocode_server="it",mcp_protocol_version="2025-11-25",network_transport="pipe"${more}}`
      const run = Effect.gen(function*() {
        const registry = yield* McpRegistry
        yield* ScriptedHost.drain
        yield* ScriptedHost.advance(5)
        host.running[0]?.exit(1)
        yield* ScriptedHost.advance(3)
        const stopping = yield* Effect.forkChild(registry.stop("it"))
        yield* ScriptedHost.advance(2)
        yield* Fiber.join(stopping)
        const now = yield* samples
        assert.strictEqual(now.get(`mcp_client_session_duration_sum${lasted(",error_type=\"Exited\"")}`), 5)
        assert.strictEqual(now.get(`mcp_client_session_duration_count${lasted("")}`), 1)
      })
      yield* Effect.provide(run, host.layer({ it: { command: "server", protocol: "legacy", restart: "on-failure" } }))
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
})
