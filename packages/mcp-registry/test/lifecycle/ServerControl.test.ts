import { McpConfig } from "@boocode/mcp-config"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as ServerLog from "../../../mcp-client/src/host/ServerLog.ts"
import * as ServerControl from "../../src/lifecycle/ServerControl.ts"
import * as StateRef from "../../src/state/StateRef.ts"
import * as ScriptedHost from "../support/ScriptedHost.ts"

const configured = Effect.gen(function*() {
  const host = yield* ScriptedHost.make({})
  const entries = McpConfig.layerEntries({ s: { command: "server" } }).pipe(Layer.provide(host.platform))
  const { servers: [entry] } = yield* Effect.provide(McpConfig.use(({ current }) => current), entries)
  return entry ?? (yield* Effect.die("no server"))
})

/** In a scope, as a server makes it. */
const make = Effect.fnUntraced(function*(
  { entry, lead, state }: Pick<ServerControl.Options, "entry" | "lead" | "state">
) {
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const control = ServerControl.make({ entry, state, log: ServerLog.make(), fork, lead })
  yield* Effect.acquireRelease(control.open, () => control.close)
  return control
})

describe("ServerControl", () => {
  it.effect("leaves no life behind, wherever in a restart the scope of the server closes", () =>
    Effect.gen(function*() {
      const entry = yield* configured
      for (let operations = 4; operations <= 120; operations++) {
        let lives = 0
        const lead = () =>
          Effect.acquireUseRelease(Effect.sync(() => lives++), () => Effect.never, () => Effect.sync(() => lives--))
        const state = StateRef.make(entry)
        const scope = yield* Scope.make()
        const control = yield* Scope.provide(make({ entry, state, lead }), scope)
        // The restart lets others run after so many operations.
        const restarting = yield* control.restart.pipe(
          Effect.provideService(Scheduler.MaxOpsBeforeYield, operations),
          Effect.result,
          Effect.forkChild({ startImmediately: true })
        )
        yield* Scope.close(scope, Exit.void)
        yield* Fiber.join(restarting)
        assert.strictEqual(lives, 0, `${operations} operations`)
      }
    }))

  it.effect("tells that a start is in vain once the scope has closed", () =>
    Effect.gen(function*() {
      const entry = yield* configured
      const state = StateRef.make(entry)
      const scope = yield* Scope.make()
      const control = yield* Scope.provide(make({ entry, state, lead: () => Effect.never }), scope)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Effect.flip(control.start))._tag, "NotRunning")
    }))

  it.effect("makes a life that breaks a failure of the server", () =>
    Effect.gen(function*() {
      const entry = yield* configured
      const state = StateRef.make(entry)
      yield* make({ entry, state, lead: () => Effect.die(new Error("our fault")) })
      const { phase } = yield* StateRef.until(state, (now) => now.phase._tag === "Failed")
      assert.strictEqual(phase._tag, "Failed")
    }))
})
