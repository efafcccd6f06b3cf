/** Traces, metrics and logs that leave the chat server, with a collector and a server that tells what it was sent. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import * as AppServer from "./support/AppServer.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Collector from "./support/Collector.ts"
import * as Command from "./support/Command.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as RawRequest from "./support/RawRequest.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const CALLER = "b7ad6b7169203331"

const place = Effect.map(
  Command.folder({
    "data/mcp.json": JSON.stringify({
      mcpServers: { it: FixtureServer.entry("Meta"), broken: { command: "no-such-command" } }
    })
  }),
  (root) => join(root, "data")
)

const settled = (server: ChatServer.ChatServer) =>
  ChatServer.until(server.get("/api/health"), ({ body }) => body["ready"] === true)

/** Sends a message as part of a trace that began elsewhere, and waits for the end of its turn. */
const turn = Effect.fnUntraced(function*(server: ChatServer.ChatServer, text: string) {
  const { body } = yield* server.post("/api/chats")
  yield* Effect.promise(async () => {
    const response = await fetch(`${server.url}/api/chats/${String(body["id"])}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent: `00-${TRACE}-${CALLER}-01` },
      body: JSON.stringify({ text })
    })
    await response.text()
  })
  return String(body["id"])
})

const attribute = ({ attributes }: Collector.Span, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue

describe.concurrent("the chat server with a collector of telemetry", () => {
  it.live(
    "sends the spans of a turn down to the call of its server, which is told of them, with metrics and the log",
    () =>
      Effect.gen(function*() {
        const collector = yield* Collector.start
        const data = yield* place
        const server = yield* AppServer.start(data, {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_EXPORTER_OTLP_HEADERS: "x-key=a-secret-header",
          OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
          OTEL_SERVICE_NAME: "my-chat"
        })
        yield* settled(server)
        const chat = yield* turn(server, "/it_meta {\"text\":\"a-secret-argument\"}")
        const parts = yield* server.get(`/api/chats/${chat}`)
        // Flushed at the end, long before metrics are due.
        yield* server.end("SIGTERM", "process")

        const spans = collector.spans().filter(({ traceId }) => traceId === TRACE)
        const named = (name: string) => spans.find((span) => span.name === name)
        const request = named("POST /api/chats/:id/messages")
        const invoked = spans.find(({ name }) => name.startsWith("invoke_agent"))
        const tool = named("execute_tool it_meta")
        const call = named("tools/call meta")
        assert.isTrue(
          spans.some(({ name, parentSpanId }) => name.startsWith("chat ") && parentSpanId === invoked?.spanId)
        )
        assert.deepStrictEqual(
          [request?.parentSpanId, tool?.parentSpanId, call?.parentSpanId],
          [CALLER, invoked?.spanId, tool?.spanId]
        )
        const sent = spans.find(({ spanId }) => spanId === invoked?.parentSpanId)
        assert.strictEqual(sent?.parentSpanId, request?.spanId, sent?.name)
        assert.strictEqual(call?.kind, 3)
        assert.deepStrictEqual(
          ["mcp.method.name", "boocode.server", "network.transport", "mcp.protocol.version"].map((name) =>
            call === undefined ? null : attribute(call, name)
          ),
          ["tools/call", "it", "pipe", "2025-11-25"]
        )
        assert.include(JSON.stringify(parts.body), `00-${TRACE}-${call?.spanId}-01`)

        for (
          const name of ["mcp_tool_calls_total", "mcp.client.operation.duration", "mcp_servers", "boocode_turns_total"]
        ) {
          assert.isTrue(collector.metrics().has(name), name)
        }
        assert.isTrue(collector.logs().some((line) => line.includes("no-such-command")))
        const resource = collector.resource().map(({ key, value }) => `${key}=${value.stringValue}`)
        assert.includeMembers(resource, ["service.name=my-chat", "deployment.environment.name=test"])
        assert.deepStrictEqual([...collector.headers("x-key")], ["a-secret-header"])
        for (const text of [collector.text(), server.stderr()]) {
          for (const secret of ["a-secret-argument", "a-secret-header"]) assert.notInclude(text, secret)
        }
      }),
    60_000
  )

  it.live(
    "says once that its collector is away, and answers and ends as if there were none",
    () =>
      Effect.gen(function*() {
        const data = yield* place
        // What is counted is counted for the whole process.
        const server = yield* ChatServer.start(data, {
          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:9/v1/traces",
          OTEL_BSP_SCHEDULE_DELAY: "100",
          OTEL_METRICS_EXPORTER: "none",
          OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: "grpc",
          OTEL_LOGS_EXPORTER: "otlp"
        })
        yield* settled(server)
        yield* turn(server, "/it_meta {}")
        const away = () => server.stderr().split("traces cannot be exported to http://127.0.0.1:9").length - 1
        yield* ChatServer.until(Effect.sync(away), (count) => count === 1)
        yield* turn(server, "/it_meta {}")
        const text = (yield* RawRequest.ask(`${server.url}/metrics`)).text
        assert.include(text, "mcp_tool_calls_total{server=\"it\",tool=\"meta\",outcome=\"ok\"} 2")
        assert.strictEqual(yield* server.end("SIGTERM", "process"), 0)
        assert.strictEqual(away(), 1)
        assert.include(server.stderr(), "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=grpc is not supported")
      }),
    60_000
  )
})
