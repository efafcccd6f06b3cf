import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { McpRegistry } from "../../src/index.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

describe("StepTimes", () => {
  it.effect("tells on the status how long each step of the start took, once it is ready", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        slow: { answer: (message) => message["method"] === "server/discover" ? null : undefined }
      })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.drain
          assert.deepStrictEqual((yield* registry.server("s")).steps, [])
          yield* ScriptedHost.advance(2)
          const { connectMillis, steps } = yield* registry.server("s")
          assert.deepStrictEqual(steps, [
            { step: "start", millis: 0 },
            { step: "server/discover", millis: 2000 },
            { step: "initialize", millis: 0 },
            { step: "tools/list", millis: 0 }
          ])
          assert.strictEqual(connectMillis, 2000)
        })
      ).pipe(Effect.provide(host.layer({ s: { command: "slow" } })))
    }))

  it.effect("ends with the step at which the start failed", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({
        mute: { answer: (message) => message["method"] === "tools/list" ? null : undefined }
      })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(3)
          const { error, steps } = yield* registry.server("s")
          assert.strictEqual(error?._tag, "ListFailed")
          assert.deepStrictEqual(steps.at(-1), { step: "tools/list", millis: 2000 })
        })
      ).pipe(Effect.provide(host.layer({ s: { command: "mute", startupTimeout: "2 seconds" } })))
    }))

  it.effect("ends with its work for a server that was ready and is gone", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ mortal: {} })
      yield* McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* ScriptedHost.advance(7)
          host.running[0]?.exit(1)
          yield* ScriptedHost.advance(1)
          const { error, steps } = yield* registry.server("s")
          assert.strictEqual(error?._tag, "Exited")
          assert.deepStrictEqual(steps.at(-1)?.step, "its work")
        })
      ).pipe(Effect.provide(host.layer({ s: { command: "mortal" } })))
    }))
})
