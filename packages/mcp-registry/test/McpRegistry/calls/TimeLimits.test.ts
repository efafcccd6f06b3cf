import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import { type CallProgress, McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

/** Runs with a registry of these entries, each of which names one of these scripts as its command. */
const withEntries = <A, E>(
  scripts: Readonly<Record<string, ScriptedHost.Script>>,
  entries: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make(scripts)
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(host.layer(entries)))
  })

/** Answers everything but calls. */
const OPEN: ScriptedHost.Script = { answer: ({ method }) => method === "tools/call" ? null : undefined }
const MUTE: ScriptedHost.Script = { answer: () => null }

const tokenOf = (server: ScriptedHost.Running | undefined) => {
  const params = server?.received.find(({ method }) => method === "tools/call")?.["params"]
  const meta = JsonRpc.isObject(params) ? params["_meta"] : undefined
  return JsonRpc.isObject(meta) ? meta["progressToken"] ?? null : null
}

describe("TimeLimits", () => {
  it.effect("holds the startupTimeout of each entry to the millisecond, whatever its timeout is (R18)", () =>
    withEntries({ mute: MUTE, open: OPEN }, {
      short: { command: "mute", startupTimeout: 7000, timeout: "1 hour" },
      long: { command: "mute", startupTimeout: "90 seconds", timeout: 1000 },
      open: { command: "open" }
    }, (registry) =>
      Effect.gen(function*() {
        const state = (name: string) => Effect.map(registry.server(name), ({ error, state }) => error?._tag ?? state)
        yield* TestClock.adjust(6999)
        assert.strictEqual(yield* state("short"), "connecting")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* state("short"), "HandshakeTimeout")
        assert.strictEqual((yield* registry.server("short")).error?.limitMillis, 7000)
        yield* TestClock.adjust(82_999)
        assert.strictEqual(yield* state("long"), "connecting")
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* state("long"), "HandshakeTimeout")
      })))

  it.effect("holds the timeout of each entry to the millisecond, whatever its startupTimeout is (R18, R25)", () =>
    withEntries({ one: OPEN, two: OPEN }, {
      one: { command: "one", timeout: 2000, startupTimeout: "1 hour" },
      two: { command: "two", timeout: "3 minutes", maxTotalTimeout: "1 hour", startupTimeout: 1000 }
    }, (registry) =>
      Effect.gen(function*() {
        yield* registry.settled
        const one = yield* Effect.forkChild(Effect.flip(registry.call("one_echo", {})))
        const two = yield* Effect.forkChild(Effect.flip(registry.call("two_echo", {})))
        yield* TestClock.adjust(1999)
        assert.isUndefined(one.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude((yield* Fiber.join(one)).reason, { _tag: "CallTimeout", limitMillis: 2000 })
        yield* TestClock.adjust(177_999)
        assert.isUndefined(two.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude((yield* Fiber.join(two)).reason, { _tag: "CallTimeout", limitMillis: 180_000 })
      })))

  it.effect("tries a server that missed its startupTimeout again by itself, and its tools join (R18, R19)", () => {
    let isUp = false
    return withEntries({
      late: { answer: () => isUp ? undefined : null },
      good: {}
    }, {
      late: { command: "late", startupTimeout: "3 seconds" },
      good: { command: "good" }
    }, (registry, host) =>
      Effect.gen(function*() {
        yield* ScriptedHost.advance(3)
        const names = Effect.map(registry.tools, (tools) => tools.map(({ name }) => name))
        assert.strictEqual((yield* registry.server("late")).error?._tag, "HandshakeTimeout")
        assert.deepStrictEqual(yield* names, ["good_echo"])
        isUp = true
        yield* ScriptedHost.advance(3)
        assert.deepStrictEqual(yield* names, ["good_echo", "late_echo"])
        assert.isFalse((yield* registry.call("late_echo", {})).isError)
        assert.strictEqual(host.alive(), 2)
      }))
  })

  it.effect("lets a call run three times its timeout while progress comes in half of it, and not longer without (R25)", () =>
    withEntries(
      { open: OPEN },
      { it: { command: "open", timeout: "10 seconds" } },
      (registry, host) =>
        Effect.gen(function*() {
          yield* registry.settled
          const told: Array<CallProgress> = []
          const call = yield* Effect.forkChild(registry.call("it_echo", {}, {
            onProgress: (progress) => Effect.sync(() => void told.push(progress))
          }))
          yield* TestClock.adjust(0)
          const [server] = host.running
          const progressToken = tokenOf(server)
          assert.isNotNull(progressToken)
          for (let progress = 1; progress <= 6; progress++) {
            yield* TestClock.adjust("5 seconds")
            server?.say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } })
            yield* TestClock.adjust(0)
          }
          const id = server?.received.find(({ method }) => method === "tools/call")?.["id"] ?? 0
          server?.say({ jsonrpc: "2.0", id, result: { content: [] } })
          assert.isFalse((yield* Fiber.join(call)).isError)
          assert.deepStrictEqual(told.map(({ progress }) => progress), [1, 2, 3, 4, 5, 6])
          const silent = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
          yield* TestClock.adjust(9999)
          assert.isUndefined(silent.pollUnsafe())
          yield* TestClock.adjust(1)
          assert.deepInclude((yield* Fiber.join(silent)).reason, { _tag: "CallTimeout", limitMillis: 10_000 })
        })
    ))

  it.effect("cuts endless progress at maxTotalTimeout, and names server, tool and limit (R26)", () =>
    withEntries({ open: OPEN }, {
      files: { command: "open", timeout: "2 seconds", maxTotalTimeout: "9 seconds" }
    }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const call = yield* Effect.forkChild(Effect.flip(registry.call("files_echo", {})))
        yield* TestClock.adjust(0)
        const [server] = host.running
        const progressToken = tokenOf(server)
        for (let second = 0; second < 17; second++) {
          server?.say({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } })
          yield* TestClock.adjust(500)
        }
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust(500)
        const { hint, message, server: name } = yield* Fiber.join(call)
        assert.strictEqual(name, "files")
        assert.match(message, /^files: echo .*9 s$/)
        assert.match(hint, /maxTotalTimeout/)
      })))
})
