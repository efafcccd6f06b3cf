import { McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { McpRegistry } from "../../../src/index.ts"
import { configurationOf, withWorld } from "../../support/Reloading.ts"
import * as ScriptedHost from "../../support/ScriptedHost.ts"

const { advance, drain } = ScriptedHost
const SILENT: ScriptedHost.Script = { answer: () => null }

describe("A change that somebody asked for who goes away (R68)", () => {
  it.effect("leaves no process behind when the caller that stops a server goes away meanwhile", () =>
    Effect.gen(function*() {
      for (let steps = 0; steps < 30; steps++) {
        yield* withWorld({ old: {}, mute: SILENT }, { a: { command: "old" } }, (world) =>
          Effect.gen(function*() {
            yield* world.save({ a: { command: "mute" } })
            const stop = yield* Effect.forkChild(
              Effect.provideService(Effect.exit(world.registry.stop("a")), Scheduler.MaxOpsBeforeYield, 3)
            )
            for (let step = 0; step < steps; step++) yield* Effect.yieldNow
            const gone = yield* Effect.forkChild(Fiber.interrupt(stop))
            yield* advance(7)
            yield* Fiber.join(gone)
            const pid = yield* world.pid("a")
            const isOldAlive = world.host.alive() > 0 &&
              !world.host.events.some((event) => event.endsWith("old end of input"))
            assert.isTrue(pid === 1 || !isOldAlive, `the old process is nobody's after ${steps} steps`)
          }))
      }
    }))

  it.effect("tells who asks for a reload what that changed, and applies it also when they go away", () =>
    Effect.gen(function*() {
      const host = yield* ScriptedHost.make({ one: {} })
      const ref = yield* SubscriptionRef.make(yield* configurationOf({}))
      let next: Record<string, unknown> = { a: { command: "one" } }
      const reload = Effect.flatMap(
        Effect.suspend(() => configurationOf(next)),
        (now) => Effect.as(SubscriptionRef.set(ref, now), now)
      )
      const body = McpRegistry.use((registry) =>
        Effect.gen(function*() {
          yield* drain
          assert.deepStrictEqual((yield* registry.reload).added, ["a"])
          for (let steps = 0; steps < 200; steps += 5) {
            next = { ...next, [`s${steps}`]: { command: "one", enabled: false } }
            const asked = yield* Effect.forkChild(
              Effect.provideService(registry.reload, Scheduler.MaxOpsBeforeYield, 3)
            )
            for (let step = 0; step < steps; step++) yield* Effect.yieldNow
            yield* Fiber.interrupt(asked)
            yield* drain
            const known = (yield* SubscriptionRef.get(ref)).servers.map(({ name }) => name)
            assert.deepStrictEqual((yield* registry.servers).map(({ name }) => name), known)
          }
        })
      )
      yield* Effect.provide(body, host.layerOf(ref, (config) => McpConfig.of({ ...config, reload })))
    }))
})
