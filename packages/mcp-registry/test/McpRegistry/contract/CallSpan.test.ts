/** The span of a call, as a tracer sees it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Scheduler from "effect/Scheduler"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as CallSpan from "../../../../mcp-client/src/contract/CallSpan.ts"
import * as ServerConfigs from "../../../../mcp-client/test/support/ServerConfigs.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as CallMetrics from "../../../src/metrics/CallMetrics.ts"
import { at } from "../../support/AskingServers.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const SAID = "a secret of the server's"

const SCRIPT: ScriptedHost.Script = {
  tools: ["echo", "fail", "refuse", "silent"].map((name) => ScriptedHost.tool(name)),
  answer: (message) => {
    const { id = null, method } = message
    if (method !== "tools/call") return undefined
    switch (at(message, "params")["name"]) {
      case "fail":
        return { jsonrpc: "2.0", id, result: { isError: true, content: [{ type: "text", text: SAID }] } }
      case "refuse":
        return { jsonrpc: "2.0", id, error: { code: -32602, message: SAID } }
      case "silent":
        return null
      default:
        return undefined
    }
  }
}

/** A tracer that keeps its spans in memory. */
const keeping = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const withRegistry = <A, E>(
  body: (registry: McpRegistry["Service"], calls: () => ReadonlyArray<Schema.JsonObject>) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: SCRIPT })
    const calls = () => (host.running[0]?.received ?? []).filter(({ method }) => method === "tools/call")
    const run = Effect.gen(function*() {
      const registry = yield* McpRegistry
      yield* ScriptedHost.drain
      return yield* body(registry, calls)
    })
    return yield* Effect.provide(run, host.layer({ it: { command: "server", protocol: "legacy" } }))
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

describe("A call where the host keeps traces", () => {
  it.effect("is one span with the names of OpenTelemetry's conventions, and its server is told which", () =>
    withRegistry((registry, calls) =>
      Effect.gen(function*() {
        const { spans, tracer } = keeping()
        yield* Effect.withTracer(registry.call("it_echo", { text: "a-secret-argument" }), tracer)
        assert.deepStrictEqual(spans.map(({ kind, name }) => [name, kind]), [["tools/call echo", "client"]])
        const [span] = spans
        const [call] = calls()
        assert.deepStrictEqual(Object.fromEntries(span?.attributes ?? []), {
          "mcp.method.name": "tools/call",
          "gen_ai.tool.name": "echo",
          "gen_ai.operation.name": "execute_tool",
          "boocode.server": "it",
          "mcp.protocol.version": "2025-11-25",
          "network.transport": "pipe",
          "jsonrpc.request.id": String(call?.["id"])
        })
        assert.strictEqual(span?.status._tag, "Ended")
        assert.strictEqual(at(call, "params", "_meta")["traceparent"], `00-${span?.traceId}-${span?.spanId}-01`)
      })
    ))

  it.effect("says how it failed by a name or a code, and nothing of what was said", () =>
    withRegistry((registry) =>
      Effect.gen(function*() {
        const { spans, tracer } = keeping()
        const traced = <A, E>(call: Effect.Effect<A, E>) => Effect.withTracer(call, tracer)
        yield* traced(registry.call("it_fail", {}))
        yield* traced(registry.call("it_refuse", {}))
        yield* Effect.exit(traced(registry.call("it_echo", "a-secret-argument")))
        const stopped = yield* Effect.forkChild(traced(registry.call("it_silent", {})))
        yield* ScriptedHost.drain
        yield* Fiber.interrupt(stopped)
        const seen = spans.map(({ attributes, status }) => [
          attributes.get("error.type"),
          attributes.get("rpc.response.status_code"),
          status._tag === "Ended" && status.exit._tag
        ])
        assert.deepStrictEqual(seen, [
          ["tool_error", undefined, "Failure"],
          ["-32602", "-32602", "Failure"],
          ["InvalidArguments", undefined, "Failure"],
          ["cancelled", undefined, "Failure"]
        ])
        const all = JSON.stringify(spans.map(({ attributes, name, status }) => [name, [...attributes], String(status)]))
        for (const said of [SAID, "a-secret-argument"]) assert.notInclude(all, said)
        for (const { status } of spans) {
          assert.notInclude(status._tag === "Ended" ? JSON.stringify(status.exit) : "", SAID)
        }
      })
    ))

  it.effect("ends its span when it is interrupted at any step", () =>
    Effect.gen(function*() {
      const counted = yield* CallMetrics.make({ metrics: false })
      const call = counted(() => Effect.never, { server: "it", tool: "silent" })
      for (const budget of [2, 3, 4, 5]) {
        for (let steps = 0; steps < 12; steps++) {
          const { spans, tracer } = keeping()
          const fiber = yield* Effect.forkChild(
            Effect.withTracer(Effect.provideService(call, Scheduler.MaxOpsBeforeYield, budget), tracer)
          )
          for (let step = 0; step < steps; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const states = spans.map(({ status }) => status._tag)
          assert.notInclude(states, "Started", `with ${budget}, after ${steps} steps`)
        }
      }
    }))

  it.effect("leaves the operation to the span around it, where that is the tool call already", () =>
    withRegistry((registry) =>
      Effect.gen(function*() {
        const { spans, tracer } = keeping()
        yield* registry.call("it_echo", {}).pipe(
          Effect.withSpan("execute_tool it_echo", { attributes: { "gen_ai.operation.name": "execute_tool" } }),
          Effect.withTracer(tracer)
        )
        assert.deepStrictEqual(
          spans.map(({ attributes, name }) => [name, attributes.get("gen_ai.operation.name")]),
          [["execute_tool it_echo", "execute_tool"], ["tools/call echo", undefined]]
        )
      })
    ))

  it.effect("tells its server that the trace is not kept, where it was not drawn", () =>
    withRegistry((registry, calls) =>
      Effect.gen(function*() {
        const { spans, tracer } = keeping()
        const around = Effect.withSpan("around", { sampled: false })
        yield* registry.call("it_echo", {}).pipe(around, Effect.withTracer(tracer))
        const [span] = spans
        assert.strictEqual(at(calls()[0], "params", "_meta")["traceparent"], `00-${span?.traceId}-${span?.spanId}-00`)
      })
    ))
})

describe("A call where nobody keeps traces", () => {
  it.effect("has no span, and its server is told of none", () =>
    withRegistry((registry, calls) =>
      Effect.gen(function*() {
        const called = registry.call("it_echo", {})
        yield* called
        yield* Effect.withSpan(called, "around")
        yield* called.pipe(Effect.withTracerEnabled(false), Effect.withTracer(keeping().tracer))
        assert.deepStrictEqual(calls().map((call) => at(call, "params", "_meta")["traceparent"]), [
          undefined,
          undefined,
          undefined
        ])
      })
    ))
})

describe("What is told of a connection", () => {
  it("is over what it goes, and where to, without the path and what else may be secret", () => {
    const over = (url: string) =>
      CallSpan.factsFor(ServerConfigs.config({ transport: ServerConfigs.http(url) }))("2026-07-28")
    const common = { "mcp.protocol.version": "2026-07-28", "network.transport": "tcp", "network.protocol.name": "http" }
    assert.deepStrictEqual(over("https://user:word@mcp.example.com/a/secret?key=1"), {
      ...common,
      "server.address": "mcp.example.com",
      "server.port": 443
    })
    assert.deepStrictEqual(over("http://127.0.0.1:8123/"), {
      ...common,
      "server.address": "127.0.0.1",
      "server.port": 8123
    })
  })

  it("has the revision that was agreed on, also where it was asked for before that", () => {
    const facts = CallSpan.factsFor(ServerConfigs.config())
    const told = ["unknown", "2025-11-25", "2025-11-25"].map((revision) => facts(revision)["mcp.protocol.version"])
    assert.deepStrictEqual(told, ["unknown", "2025-11-25", "2025-11-25"])
  })
})
