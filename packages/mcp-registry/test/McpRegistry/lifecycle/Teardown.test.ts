import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const STUBBORN = { obeysEndOfInput: false, obeysTerm: false } as const

/** Builds the registry in a scope of its own, which the test closes. */
const open = Effect.fnUntraced(function*(host: ScriptedHost.Host, entries: Readonly<Record<string, unknown>>) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(host.layer(entries), scope)
  return { scope, registry: Context.get(context, McpRegistry) }
})

/** The events of the end of a server, without what went before. */
const ending = (host: ScriptedHost.Host, command: string) =>
  host.events.filter((event) => event.includes(` ${command} `) && !event.endsWith("starts"))

/** Lets every fiber run on until nothing is left to do at this time. */
const settle = TestClock.adjust(0)

describe("Teardown", () => {
  it.effect("ends the input, sends SIGTERM after 500 ms and SIGKILL after five more seconds, each once (R1, R43)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mule: STUBBORN })
      const { registry, scope } = yield* open(host, { mule: { command: "mule" } })
      yield* registry.settled
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("499 millis")
      assert.deepStrictEqual(ending(host, "mule"), ["0 mule end of input"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(ending(host, "mule").slice(1), ["500 mule SIGTERM"])
      yield* TestClock.adjust("4999 millis")
      assert.strictEqual(ending(host, "mule").length, 2)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.deepStrictEqual(ending(host, "mule"), [
        "0 mule end of input",
        "500 mule SIGTERM",
        "5500 mule SIGKILL",
        "5500 mule exits",
        ending(host, "mule")[4]
      ])
      assert.match(ending(host, "mule")[4] ?? "", /mule released$/)
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("takes no signal for a server that ends with its input (R43)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ good: {} })
      const { registry, scope } = yield* open(host, { good: { command: "good" } })
      yield* registry.settled
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(ending(host, "good"), ["0 good end of input", "0 good exits", "0 good released"])
    }))

  it.effect("signals what a server left behind although it ended itself (R1)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ wrapper: { leaves: 2 } })
      const { registry, scope } = yield* open(host, { wrapper: { command: "wrapper" } })
      yield* registry.settled
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.include(host.events, "500 wrapper SIGTERM")
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("signals what only its parent led to, which is gone when its input ends (R1)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ wrapper: { leaves: 1, hides: true } })
      const { registry, scope } = yield* open(host, { wrapper: { command: "wrapper" } })
      yield* registry.settled
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("releases a server that is still connecting when the scope closes (R3)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mute: { answer: () => null } })
      const { registry, scope } = yield* open(host, { mute: { command: "mute" } })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* registry.server("mute")).state, "connecting")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(ending(host, "mute"), ["1000 mute end of input", "1000 mute exits", "1000 mute released"])
    }))

  it.effect("releases a server whose listing failed, once, and keeps saying why (R3, R7)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        listless: {
          answer: (message) =>
            message["method"] === "tools/list"
              ? { jsonrpc: "2.0", id: message["id"] ?? 0, error: { code: -32603, message: "no list today" } }
              : undefined
        }
      })
      const { registry, scope } = yield* open(host, { listless: { command: "listless" } })
      const { failed } = yield* registry.settled
      yield* settle
      assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "ListFailed")
      assert.match(ScriptedHost.errorOf(failed[0])?.message ?? "", /no list today/)
      assert.deepStrictEqual(ending(host, "listless"), [
        "0 listless end of input",
        "0 listless exits",
        "0 listless released"
      ])
      assert.strictEqual(host.alive(), 0)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(ending(host, "listless").length, 3)
    }))

  it.effect("gives up a handshake at startupTimeout, says which step, and takes the process down (R16, R18)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mute: { ...STUBBORN, answer: () => null } })
      const { registry, scope } = yield* open(host, { mute: { command: "mute", startupTimeout: "8 seconds" } })
      const settled = yield* Effect.forkChild(registry.settled)
      yield* TestClock.adjust("8 seconds")
      const { failed } = yield* Fiber.join(settled)
      assert.strictEqual(ScriptedHost.errorOf(failed[0])?._tag, "HandshakeTimeout")
      assert.strictEqual(ScriptedHost.errorOf(failed[0])?.method, "initialize")
      assert.strictEqual(ScriptedHost.errorOf(failed[0])?.limitMillis, 8000)
      assert.strictEqual(host.alive(), 1)
      yield* TestClock.adjust("5600 millis")
      assert.strictEqual(host.alive(), 0)
      yield* Scope.close(scope, Exit.void)
    }))

  it.effect("has nothing left of the old process before a restart starts the new one (R3, R46)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mule: STUBBORN })
      const { registry, scope } = yield* open(host, { mule: { command: "mule" } })
      yield* registry.settled
      const tools = yield* registry.tools
      const restarting = yield* Effect.forkChild(registry.restart("mule"))
      yield* TestClock.adjust("1 second")
      // The server is away, but not gone: its tools stay known, and their calls wait for it.
      assert.strictEqual((yield* registry.server("mule")).state, "connecting")
      assert.deepStrictEqual(yield* registry.tools, tools)
      const waiting = yield* Effect.forkChild(registry.call("mule_echo", {}))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(restarting)).state, "ready")
      assert.isFalse((yield* Fiber.join(waiting)).isError)
      const starts = host.events.flatMap((event, index) => event.endsWith("starts") ? [index] : [])
      const exits = host.events.findIndex((event) => event.endsWith("exits"))
      assert.strictEqual(starts.length, 2)
      assert.isBelow(exits, starts[1] ?? 0)
      assert.strictEqual(host.alive(), 1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(closing)
      assert.strictEqual(host.alive(), 0)
      assert.strictEqual(host.events.filter((event) => event.endsWith("released")).length, 2)
    }))

  it.effect("closes servers in parallel: a slow one does not delay another (R43)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mule: STUBBORN, mule2: STUBBORN, good: {} })
      const { registry, scope } = yield* open(host, {
        a: { command: "mule" },
        b: { command: "good" },
        c: { command: "mule2" }
      })
      yield* registry.settled
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* settle
      assert.include(host.events, "0 good exits")
      yield* TestClock.adjust("5500 millis")
      yield* TestClock.adjust("400 millis")
      yield* Fiber.join(closing)
      assert.include(host.events, "5500 mule SIGKILL")
      assert.include(host.events, "5500 mule2 SIGKILL")
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("fails the calls in flight with a typed error before the process goes (R6)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        slow: { ...STUBBORN, answer: (message) => message["method"] === "tools/call" ? null : undefined }
      })
      const { registry, scope } = yield* open(host, { slow: { command: "slow" } })
      yield* registry.settled
      const call = yield* Effect.forkChild(Effect.flip(registry.call("slow_echo", {})))
      yield* settle
      const stopping = yield* Effect.forkChild(registry.stop("slow"))
      yield* TestClock.adjust("300 millis")
      const error = yield* Fiber.join(call)
      assert.strictEqual(error.reason._tag, "OutcomeUnknown")
      assert.strictEqual(host.alive(), 1)
      assert.strictEqual((yield* registry.server("slow")).state, "stopped")
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(stopping)
      assert.strictEqual(host.alive(), 0)
      yield* Scope.close(scope, Exit.void)
    }))

  it.effect("answers callers that still wait for a server when the scope closes (R46)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mute: { answer: () => null } })
      const { registry, scope } = yield* open(host, { mute: { command: "mute", startupTimeout: "5 minutes" } })
      const settled = yield* Effect.forkChild(registry.settled)
      const restarted = yield* Effect.forkChild(Effect.exit(registry.restart("mute")))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      yield* settle
      assert.isDefined(settled.pollUnsafe())
      assert.isDefined(restarted.pollUnsafe())
      assert.strictEqual(host.alive(), 0)
    }))

  it.effect("answers a start that waits for the old process when the scope closes, and starts nothing (R46)", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        mule: {
          ...STUBBORN,
          answer: (message) =>
            message["method"] === "tools/list"
              ? { jsonrpc: "2.0", id: message["id"] ?? 0, error: { code: -32603, message: "no list today" } }
              : undefined
        }
      })
      const { registry, scope } = yield* open(host, { mule: { command: "mule" } })
      yield* registry.settled
      const started = yield* Effect.forkChild(Effect.flip(registry.start("mule")))
      yield* TestClock.adjust("1 second")
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.join(closing)
      assert.strictEqual((yield* Fiber.join(started)).reason._tag, "NotRunning")
      assert.strictEqual(host.events.filter((event) => event.endsWith("starts")).length, 1)
      assert.strictEqual(host.alive(), 0)
    }))
})
