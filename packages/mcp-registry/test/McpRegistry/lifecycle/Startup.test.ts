import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Admission, McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const initialized = (message: Schema.JsonObject, capabilities: Schema.JsonObject): Schema.JsonObject => ({
  jsonrpc: "2.0",
  id: message["id"] ?? 0,
  result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "scripted", version: "1" } }
})

/** A host whose one command waits with its answer to `initialize` until it is told. */
const slow = Effect.gen(function*() {
  const waiting: Array<() => void> = []
  const host = yield* ScriptedHost.make({
    slow: {
      answer: (message, server) => {
        if (message["method"] !== "initialize") return undefined
        waiting.push(() => server.say(initialized(message, { tools: {} })))
        return null
      }
    }
  })
  return { host, waiting }
})

describe("Startup", () => {
  it.effect("makes nine servers of 300 ms each ready in 300 ms, not one after the other (R17)", () =>
    Effect.gen(function*() {
      const { host, waiting } = yield* slow
      const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
      const entries = Object.fromEntries(names.map((name) => [name, { command: "slow" }]))
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          assert.strictEqual(waiting.length, names.length)
          yield* TestClock.adjust("300 millis")
          for (const answer of waiting) answer()
          yield* ScriptedHost.drain
          const servers = yield* registry.servers
          assert.isTrue(servers.every(({ state }) => state === "ready"))
          assert.isTrue(servers.every(({ connectMillis }) => connectMillis === 300))
        })
      ).pipe(Effect.provide(host.layer(entries)))
    }))

  it.effect("lets no more servers connect at the same time than it is told, and their time begins with their turn (R17)", () =>
    Effect.gen(function*() {
      const { host, waiting } = yield* slow
      const entries = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, { command: "slow" }]))
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          for (const begun of [2, 4, 5]) {
            yield* ScriptedHost.drain
            assert.strictEqual(waiting.length, begun)
            yield* TestClock.adjust("20 seconds")
            for (const answer of waiting.slice(-2)) answer()
          }
          const { connected } = yield* registry.settled
          assert.deepStrictEqual(connected.map(({ connectMillis }) => connectMillis), Array(5).fill(20_000))
        })
      ).pipe(Effect.provide(host.layer(entries, { maxConnecting: 2 })))
    }))

  it.effect("asks a server that declares nothing for nothing (R55)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        bare: { answer: (message) => message["method"] === "initialize" ? initialized(message, {}) : undefined }
      })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          const { state, tools } = yield* registry.server("it")
          assert.deepStrictEqual([state, tools], ["ready", 0])
          host.running[0]?.say({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
          yield* ScriptedHost.advance(60)
          assert.deepStrictEqual(host.running[0]?.received.map(({ method }) => method), [
            "server/discover",
            "initialize",
            "notifications/initialized"
          ])
        })
      ).pipe(Effect.provide(host.layer({ it: { command: "bare" } })))
    }))

  it.effect("looks at each entry once, and again when the configuration is read again", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ server: {} })
      const admitted: Array<string> = []
      const counting = Layer.succeed(Admission, {
        admit: (entry) =>
          Effect.sync(() => {
            admitted.push(entry.name)
            return entry
          })
      })
      const entries = { one: { command: "server" }, two: { command: "server" } }
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* registry.settled
          yield* ScriptedHost.drain
          assert.deepStrictEqual(admitted, ["one", "two"])
          yield* registry.reload
          assert.deepStrictEqual(admitted, ["one", "two", "one", "two"])
        })
      ).pipe(Effect.provide(Layer.provide(host.layer(entries), counting)))
    }))
})
