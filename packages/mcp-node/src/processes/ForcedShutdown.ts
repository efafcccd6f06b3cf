/** A process tree that can be forced to end: from some moment on SIGTERM is SIGKILL. */
import { type ProcessTarget, ProcessTree } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Provides `ProcessTree` over another one: once `hurry` is done, for instance because a person asked a second time to
 * stop, SIGTERM is SIGKILL. Processes that were sent SIGTERM before and still live get SIGKILL then. Waits for `hurry`
 * until the layer's scope closes.
 */
export const layer = (hurry: Effect.Effect<void>): Layer.Layer<ProcessTree, never, ProcessTree> =>
  Layer.effect(
    ProcessTree,
    Effect.gen(function*() {
      const tree = yield* ProcessTree
      const asked = new Map<string, ProcessTarget>()
      let isHurried = false
      const kill = Effect.suspend(() => {
        isHurried = true
        return Effect.forEach(asked.values(), (target) => tree.signal(target, "SIGKILL"), {
          concurrency: "unbounded",
          discard: true
        })
      })
      yield* Effect.forkScoped(Effect.andThen(hurry, kill))
      return ProcessTree.of({
        mark: tree.mark,
        watch: tree.watch,
        note: tree.note,
        alive: (target) =>
          Effect.tap(tree.alive(target), (count) =>
            Effect.sync(() => {
              if (count === 0) asked.delete(target.marker)
            })),
        signal: (target, signal) =>
          Effect.suspend(() => {
            asked.set(target.marker, target)
            return tree.signal(target, isHurried ? "SIGKILL" : signal)
          })
      })
    })
  )
