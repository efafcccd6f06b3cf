/** The process tree of somebody in a hurry: after a second Ctrl-C nothing is asked politely any more. */
import { type ProcessTarget, ProcessTree } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Interrupts } from "./Interrupts.ts"

/** SIGTERM is SIGKILL after the second interrupt, also for what was sent SIGTERM before it. */
export const layer = Layer.effect(
  ProcessTree,
  Effect.gen(function*() {
    const tree = yield* ProcessTree
    const { second } = yield* Interrupts
    const asked = new Set<ProcessTarget>()
    let isHurried = false
    const hurry = Effect.suspend(() => {
      isHurried = true
      return Effect.forEach(asked, (target) => tree.signal(target, "SIGKILL"), { discard: true })
    })
    yield* Effect.forkScoped(Effect.andThen(second, hurry))
    return ProcessTree.of({
      alive: tree.alive,
      signal: (target, signal) =>
        Effect.suspend(() => {
          asked.add(target)
          return tree.signal(target, isHurried ? "SIGKILL" : signal)
        })
    })
  })
)
