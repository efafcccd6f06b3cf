import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import { McpRegistry } from "../../../src/index.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

/** A server that leaves calls open, so that the test answers them. */
const withOpenCalls = <A, E>(
  entry: Readonly<Record<string, unknown>>,
  body: (registry: McpRegistry["Service"], server: ScriptedHost.Running) => Effect.Effect<A, E>
) =>
  Effect.gen(function*() {
    const host = yield* ScriptedHost.make({
      server: { answer: ({ method }) => method === "tools/call" ? null : undefined }
    })
    return yield* McpRegistry.use((registry) =>
      Effect.andThen(
        registry.settled,
        Effect.suspend(() => body(registry, host.running[0] ?? assert.fail("none runs")))
      )
    ).pipe(Effect.provide(host.layer({ it: { command: "server", ...entry } })))
  })

/** Begins a call, and gives its id on the wire. */
const begun = Effect.fnUntraced(function*(registry: McpRegistry["Service"], server: ScriptedHost.Running) {
  const fiber = yield* Effect.forkChild(Effect.result(registry.call("it_echo", {})))
  yield* ScriptedHost.drain
  const id: Schema.Json = server.received.findLast(({ method }) => method === "tools/call")?.["id"] ?? 0
  return { fiber, id }
})

const answer = (server: ScriptedHost.Running, id: Schema.Json, text: string) =>
  server.say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })

describe("OpenCalls", () => {
  it.effect("an answer above the cap fails its own call, and leaves the others open for as long as they take (R37)", () =>
    withOpenCalls({ maxMessageBytes: 2000 }, (registry, server) =>
      Effect.gen(function*() {
        const [one, big, two] = [
          yield* begun(registry, server),
          yield* begun(registry, server),
          yield* begun(registry, server)
        ]
        answer(server, big.id, "x".repeat(5000))
        yield* ScriptedHost.advance(10)
        const failed = yield* Fiber.join(big.fiber)
        assert.strictEqual(failed._tag === "Failure" ? failed.failure.reason._tag : "answered", "MessageTooLarge")
        assert.isUndefined(one.fiber.pollUnsafe())
        assert.isUndefined(two.fiber.pollUnsafe())
        for (const { fiber, id } of [two, one]) {
          answer(server, id, `for ${JSON.stringify(id)}`)
          const result = yield* Fiber.join(fiber)
          assert.deepStrictEqual(result._tag === "Success" ? result.success.content : null, [
            { type: "text", text: `for ${JSON.stringify(id)}` }
          ])
        }
        assert.deepStrictEqual(server.received.filter(({ method }) => method === "notifications/cancelled"), [])
      })))

  it.effect("one that fails, times out or is given up leaves the others open (R28, R29)", () =>
    withOpenCalls({ timeout: "1 hour" }, (registry, server) =>
      Effect.gen(function*() {
        const [stays, fails, leaves] = [
          yield* begun(registry, server),
          yield* begun(registry, server),
          yield* begun(registry, server)
        ]
        server.say({ jsonrpc: "2.0", id: fails.id, error: { code: -32603, message: "no" } })
        yield* Fiber.interrupt(leaves.fiber)
        const late = yield* Effect.forkChild(
          Effect.flip(registry.call("it_echo", {}, { timeout: Duration.seconds(2) }))
        )
        yield* ScriptedHost.advance(3)
        assert.strictEqual((yield* Fiber.join(late)).reason._tag, "CallTimeout")
        assert.strictEqual((yield* Fiber.join(fails.fiber))._tag, "Success")
        assert.isUndefined(stays.fiber.pollUnsafe())
        answer(server, stays.id, "still")
        assert.strictEqual((yield* Fiber.join(stays.fiber))._tag, "Success")
      })))
})
