/** Looks several times a second whether what the registry says is true, and whether every wait is within its limit. */
import * as Effect from "effect/Effect"
import { LIMITS } from "./Cast.ts"
import * as Census from "./Census.ts"
import type { Findings } from "./Findings.ts"
import type { Operations } from "./Operations.ts"
import type { World } from "./World.ts"

const EVERY_MILLIS = 250
/** How long a status may be behind. */
const STALE_MILLIS = 1000

interface Suspicion {
  readonly since: number
  looks: number
  isTold: boolean
}

/** What is wrong now, but may only be late. */
class Suspicions {
  private readonly known = new Map<string, Suspicion>()

  /** Whether it was wrong at every look for so long; true once. */
  holds(key: string, isWrong: boolean, forMillis: number): boolean {
    if (!isWrong) {
      this.known.delete(key)
      return false
    }
    const suspicion = this.known.get(key) ?? { since: performance.now(), looks: 0, isTold: false }
    this.known.set(key, suspicion)
    suspicion.looks += 1
    // Several looks, as a process that was held up for a second had no chance to notice anything.
    const isSure = performance.now() - suspicion.since > forMillis && suspicion.looks > forMillis / EVERY_MILLIS
    if (!isSure || suspicion.isTold) return false
    suspicion.isTold = true
    return true
  }
}

/** Watches until interrupted. */
export const run = (world: World, operations: Operations, findings: Findings): Effect.Effect<never> => {
  const suspicions = new Suspicions()
  let last = performance.now()
  const look = Effect.gen(function*() {
    findings.took("event loop held up", performance.now() - last - EVERY_MILLIS)
    operations.check()
    const servers = yield* world.registry.servers
    const counted = Census.processes(world.mark, servers.map(({ name }) => name))
    for (const { name, pid, state } of servers) {
      const own = counted.filter(({ server }) => server === name)
      const isLie = state === "ready" && pid !== null && !Census.isAlive(pid)
      if (suspicions.holds(`${name} ${pid} dead`, isLie, STALE_MILLIS)) {
        findings.violated(`${name} is "ready", but its process ${pid} is dead since ${STALE_MILLIS} ms`)
      }
      const spawns = new Set(own.map(({ spawn }) => spawn))
      if (suspicions.holds(`${name} twice`, spawns.size > 1, 0)) {
        findings.violated(`${name} runs ${spawns.size} times: ${own.map(({ pid }) => pid).join(", ")}`)
      }
      const isBusy = operations.of(name, /^(start|stop|restart)$/) > 0
      const isOff = state === "stopped" || state === "disabled"
      if (suspicions.holds(`${name} off`, isOff && !isBusy && own.length > 0, LIMITS.closeMillis + STALE_MILLIS)) {
        findings.violated(`${name} is "${state}", but ${own.map(({ command }) => command).join(", ")} runs`)
      }
      const announced = world.announced.get(name)
      if (suspicions.holds(`${name} event`, announced !== undefined && announced.state !== state, STALE_MILLIS)) {
        findings.violated(`${name} is "${state}", but its last event says "${announced?.state}"`)
      }
    }
    last = performance.now()
  })
  return Effect.forever(Effect.andThen(look, Effect.sleep(EVERY_MILLIS)))
}
