import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as JsonRpc from "../../../../mcp-client/src/base/JsonRpc.ts"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"
import * as ScriptedWeb from "../../support/ScriptedWeb.ts"

const received = (host: ScriptedHost.Host, method: string) =>
  host.running[0]?.received.filter((message) => message["method"] === method) ?? []

/** The calls stay open. */
const withOpenCalls = <A, E>(
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({
      server: { answer: ({ method }) => method === "tools/call" ? null : undefined }
    })
    const layer = host.layer({ it: { command: "server", ...entry } })
    return yield* McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry, host))).pipe(
      Effect.provide(layer)
    )
  })

describe("Cancellation", () => {
  it.effect("ends an interrupted call as interrupted, never as a timeout or another failure (R30)", () =>
    withOpenCalls({ timeout: "5 seconds" }, (registry) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* TestClock.adjust("4 seconds")
        yield* Fiber.interrupt(call)
        const exit = yield* Fiber.await(call)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause), String(exit))
      })))

  it.effect("needs no time at all to end an interrupted call here (R29)", () =>
    withOpenCalls({}, (registry) =>
      Effect.gen(function*() {
        const call = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* ScriptedHost.drain
        const interrupting = yield* Effect.forkChild(Fiber.interrupt(call))
        yield* ScriptedHost.drain
        assert.isDefined(interrupting.pollUnsafe())
        assert.isDefined(call.pollUnsafe())
      })))

  it.effect("sends one cancellation with the id of the call, and the same words whyever it ended (R29, R30)", () =>
    withOpenCalls({ timeout: "5 seconds" }, (registry, host) =>
      Effect.gen(function*() {
        const late = yield* Effect.forkChild(Effect.flip(registry.call("it_echo", {})))
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(late)
        const interrupted = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* TestClock.adjust(0)
        yield* Fiber.interrupt(interrupted)
        const raced = yield* Effect.forkChild(
          Effect.timeoutOption(registry.call("it_echo", { secret: "canary" }), "1 second")
        )
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(raced)
        yield* ScriptedHost.drain
        const cancelled = received(host, "notifications/cancelled").map(({ params }) => params)
        assert.deepStrictEqual(
          cancelled,
          received(host, "tools/call").map(({ id }) => ({
            requestId: id ?? 0,
            reason: "the client cancelled the call"
          }))
        )
      })))

  it.effect("gives the late answer of a cancelled call to nobody (R29)", () =>
    withOpenCalls({}, (registry, host) =>
      Effect.gen(function*() {
        const first = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* TestClock.adjust(0)
        yield* Fiber.interrupt(first)
        const second = yield* Effect.forkChild(registry.call("it_echo", {}))
        yield* TestClock.adjust(0)
        const [one, two] = received(host, "tools/call")
        const answer = (message: typeof one, text: string) =>
          host.running[0]?.say({
            jsonrpc: "2.0",
            id: message?.["id"] ?? 0,
            result: { content: [{ type: "text", text }] }
          })
        answer(one, "late")
        yield* ScriptedHost.drain
        assert.isUndefined(second.pollUnsafe())
        answer(two, "own")
        assert.deepStrictEqual((yield* Fiber.join(second)).content, [{ type: "text", text: "own" }])
        assert.strictEqual((yield* registry.server("it")).state, "ready")
      })))

  it.effect("cancels over HTTP as over stdio: once, with the id, and the request itself is given up (R29, R30)", () =>
    Effect.gen(function*() {
      const { fetch, of } = yield* ScriptedWeb.server(({ method }) => method === "tools/call" ? null : undefined)
      yield* ScriptedWeb.withRegistry(fetch, {}, (registry) =>
        Effect.gen(function*() {
          const call = yield* Effect.forkChild(registry.call("web_find", {}))
          yield* ScriptedHost.drain
          yield* Fiber.interrupt(call)
          yield* ScriptedHost.drain
          const exit = yield* Fiber.await(call)
          assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
          const [cancelled, ...more] = of("notifications/cancelled")
          assert.deepStrictEqual(more, [])
          const params = cancelled?.message?.["params"]
          assert.deepStrictEqual(JsonRpc.isObject(params) ? params : null, {
            requestId: of("tools/call")[0]?.message?.["id"] ?? null,
            reason: "the client cancelled the call"
          })
          assert.isTrue(of("tools/call")[0]?.signal?.aborted)
        }))
    }))
})
