import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const MIB = 1024 * 1024

const withServer = <A, E>(
  script: ScriptedHost.Script,
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], host: ScriptedHost.Host) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({ server: script })
    const layer = host.layer({ s: { command: "server", ...entry } })
    return yield* McpRegistry.use((registry) => body(registry, host)).pipe(Effect.provide(layer))
  })

/** Begins its answer to a call, and never ends it by itself. */
const begins: ScriptedHost.Script = {
  answer: ({ method }, server) => {
    if (method !== "tools/call") return undefined
    server.write(`{"jsonrpc":"2.0","result":{"x":"`)
    return null
  }
}

/** So many MiB without a line end. */
const pour = (server: ScriptedHost.Running | undefined, megabytes: number) =>
  Effect.andThen(Effect.sync(() => server?.write("x".repeat(8 * MIB))), ScriptedHost.drain).pipe(
    Effect.repeat({ times: megabytes / 8 - 1 })
  )

describe("StdioTransport", () => {
  it.effect("drops a server whose line goes on beyond 256 MiB, and says so to its call and its status (R37, R23)", () =>
    withServer(begins, { maxMessageBytes: MIB }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* ScriptedHost.drain
        yield* pour(host.running[0], 248)
        assert.strictEqual((yield* registry.server("s")).state, "ready")
        yield* pour(host.running[0], 16)
        const { reason } = yield* Fiber.join(call)
        assert.strictEqual(reason._tag, "OutcomeUnknown")
        assert.match(reason.message, /the connection was dropped: .* 268 MB to standard output without a line end/)
        yield* ScriptedHost.advance(1)
        const { error, state } = yield* registry.server("s")
        assert.strictEqual(state, "failed")
        assert.strictEqual(
          error?.message,
          "the connection was dropped: the server wrote 268 MB to standard output without a line end"
        )
        assert.match(error?.hint ?? "", /"maxMessageBytes"/)
        assert.strictEqual(host.alive(), 0)
      })))

  it.effect("below that fails only the call, when the line ends at last (Decision 11, R37)", () =>
    withServer(begins, { maxMessageBytes: MIB }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const call = yield* Effect.forkChild(Effect.flip(registry.call("s_echo", {})))
        yield* ScriptedHost.drain
        yield* pour(host.running[0], 128)
        host.running[0]?.write(`"}}\n`)
        assert.strictEqual((yield* Fiber.join(call)).reason._tag, "MessageTooLarge")
        assert.strictEqual((yield* registry.server("s")).state, "ready")
      })))

  it.effect("reads no faster than costs little what nobody asked for, and says so (R37)", () =>
    withServer({}, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        for (let megabyte = 0; megabyte < 48; megabyte++) host.running[0]?.write(`${"x".repeat(1_000_000)}\n`)
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* TestClock.adjust(1500)
        yield* ScriptedHost.drain
        assert.isUndefined(call.pollUnsafe())
        yield* ScriptedHost.advance(1)
        assert.isFalse((yield* Fiber.join(call)).isError)
        const { warnings } = yield* registry.server("s")
        assert.strictEqual(warnings[1], "it wrote more than 8 MB a second that nobody asked for, and was held up")
      })))

  it.effect("reads an answer of any size at any speed (R37)", () =>
    withServer(begins, { maxMessageBytes: 80 * MIB }, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        const call = yield* Effect.forkChild(registry.call("s_echo", {}))
        yield* ScriptedHost.drain
        yield* pour(host.running[0], 64)
        const [id] = host.running[0]?.received.flatMap(({ id, method }) => method === "tools/call" ? [id] : []) ?? []
        host.running[0]?.write(`"},"id":${JSON.stringify(id)}}\n`)
        yield* ScriptedHost.drain
        assert.isDefined(call.pollUnsafe())
        assert.deepStrictEqual((yield* registry.server("s")).warnings, [])
      })))

  it.effect("drops a server whose first line never ends long before its startupTimeout, once (R37, R40)", () =>
    withServer({ answer: () => null }, { startupTimeout: "1 hour" }, (registry, host) =>
      Effect.gen(function*() {
        yield* ScriptedHost.drain
        yield* pour(host.running[0], 264)
        yield* ScriptedHost.drain
        const { error } = yield* registry.server("s")
        assert.strictEqual(error?._tag, "ConnectionLost")
        assert.match(error?.message ?? "", /without a line end/)
        assert.strictEqual(host.running.length, 1)
      })))

  it.effect("says that the server could not read a message of ours when the handshake then times out (R40)", () =>
    withServer(
      {
        answer: ({ method }, server) => {
          if (method === "initialize") {
            server.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"expected Content-Length"}}\n`)
          }
          return null
        }
      },
      { startupTimeout: "6 seconds" },
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(7)
          const { error } = yield* registry.server("s")
          assert.strictEqual(error?._tag, "HandshakeTimeout")
          assert.match(
            error?.message ?? "",
            /^no answer to initialize within 6 s .*; the server could not read a message of ours: expected Content-Length \(-32700\)$/
          )
          assert.match(error?.hint ?? "", /"protocol": "legacy"/)
        })
    ))

  it.effect("tells that the server could not read a message of ours among its warnings (R40)", () =>
    withServer({}, {}, (registry, host) =>
      Effect.gen(function*() {
        yield* registry.settled
        host.running[0]?.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}\n`)
        yield* ScriptedHost.drain
        const { state, warnings } = yield* registry.server("s")
        assert.deepStrictEqual([state, warnings], ["ready", [
          "the server could not read a message of ours: Invalid Request (-32600)"
        ]])
      })))

  it.effect("does not wait out the question for the era when the server could not read it (R91)", () =>
    withServer(
      {
        answer: ({ method }, server) => {
          if (method !== "server/discover") return undefined
          server.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}\n`)
          return null
        }
      },
      {},
      (registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          assert.strictEqual((yield* registry.server("s")).state, "ready")
        })
    ))

  it.effect("says that a server wrote nothing at all, or nothing to standard output (R40)", () =>
    Effect.gen(function*() {
      const silent: ScriptedHost.Script = { answer: () => null }
      const complaining: ScriptedHost.Script = {
        answer: (_, server) => {
          server.complain("starting\n")
          return null
        }
      }
      for (
        const [script, words] of [[silent, /; it wrote nothing$/], [
          complaining,
          /nothing to standard output; .*starting$/
        ]] as const
      ) {
        yield* withServer(script, { startupTimeout: "6 seconds" }, (registry) =>
          Effect.gen(function*() {
            yield* ScriptedHost.advance(7)
            assert.match((yield* registry.server("s")).error?.message ?? "", words)
          }))
      }
    }))
})
