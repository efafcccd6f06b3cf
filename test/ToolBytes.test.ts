/** What a request says about tools, from the servers' lists to the bytes, in every dialect. */
import { McpRegistry } from "@boocode/mcp-registry"
import { McpToolkit, ResultFiles, SchemaDialect } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as AiTool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as ScriptedHost from "../packages/mcp-registry/test/support/ScriptedHost.ts"

const NAMES = ["files", "git", "git.hub", "git_hub"]

const schema = (turned: boolean): Schema.JsonObject => {
  const properties = {
    "a b": { type: "string" },
    limit: { type: ["integer", "null"] },
    deep: { anyOf: [{ const: 1 }] }
  }
  // A server that is written anew may list its tools in another order; the schema of a tool it writes as before.
  return { type: "object", properties, required: turned ? [] : ["limit"] }
}

const listed = ["b", "a", "c.d", "c_d", "0", "e".repeat(80)].map((name, index) => ({
  ...ScriptedHost.tool(name),
  description: `Does ${name}.`,
  inputSchema: schema(index % 2 === 0)
}))

const files = Layer.succeed(ResultFiles, {
  write: () => Effect.succeed(null),
  keep: () => Effect.succeed(null),
  read: () => Effect.succeed(null),
  bytes: () => Effect.succeed(null)
})

const initialized = (id: Schema.Json): Schema.JsonObject => ({
  jsonrpc: "2.0",
  id,
  result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
})

/** The tools of a request in each dialect, after servers became ready in this order and one of them was started anew. */
const sent = (order: ReadonlyArray<string>, tools: ReadonlyArray<Schema.JsonObject>, again: string | null) =>
  Effect.gen(function*() {
    const waiting = new Map<string, () => void>()
    const script = (name: string): ScriptedHost.Script => ({
      tools,
      answer: ({ id, method }, server) => {
        if (method !== "initialize" || id === undefined) return undefined
        waiting.set(name, () => server.say(initialized(id)))
        return null
      }
    })
    const host = yield* ScriptedHost.make(Object.fromEntries(NAMES.map((name) => [name, script(name)])))
    const entries = order.map((name) => [name, { command: name, restart: "on-failure" }])
    return yield* Effect.gen(function*() {
      const registry = yield* McpRegistry
      yield* ScriptedHost.drain
      for (const name of order) {
        waiting.get(name)?.()
        yield* ScriptedHost.drain
      }
      if (again !== null) {
        host.running.find(({ command }) => command === again)?.exit(1)
        yield* ScriptedHost.advance(1)
        waiting.get(again)?.()
        yield* ScriptedHost.drain
        assert.strictEqual((yield* registry.server(again)).restarts, 1)
      }
      const { tools } = yield* registry.view(undefined)
      const all = yield* McpToolkit.agentTools(tools)
      return yield* Effect.forEach(
        SchemaDialect.names,
        (dialect) =>
          Effect.map(McpToolkit.toolkit(SchemaDialect.speak(all, dialect).tools), ({ tools }) =>
            JSON.stringify(
              Object.values(tools).map((tool) => ({
                name: tool.name,
                description: AiTool.getDescription(tool),
                parameters: AiTool.getJsonSchema(tool)
              }))
            ))
      )
    }).pipe(Effect.provide(Layer.merge(host.layer(Object.fromEntries(entries)), files)))
  })

describe("ToolBytes", () => {
  it.effect("are the same in every dialect, in whatever order servers are configured, connect, list and come back (R51)", () =>
    Effect.gen(function*() {
      const first = yield* sent(NAMES, listed, null)
      assert.strictEqual(first.length, SchemaDialect.names.length)
      for (const bytes of first) assert.strictEqual(JSON.parse(bytes).length, NAMES.length * listed.length)
      for (
        const [order, tools, again] of [
          [NAMES.toReversed(), listed.toReversed(), null],
          [
            ["git", "git_hub", "files", "git.hub"],
            listed.toSorted((a, b) => a.description < b.description ? 1 : -1),
            "git"
          ],
          [["git_hub", "git.hub", "git", "files"], listed, "git.hub"]
        ] as const
      ) {
        assert.deepStrictEqual(yield* sent(order, tools, again), first)
      }
    }))
})
