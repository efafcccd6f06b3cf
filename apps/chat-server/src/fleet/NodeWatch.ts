/**
 * Every node looks after every other. The engine has one node do it, and nobody would notice when that one dies until its
 * locks expire, half a minute later.
 */
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FleetSettings } from "./FleetSettings.ts"

const INTERVAL = "2 seconds"

/** Takes a node for dead that does not answer, unless no other does either: then this one is cut off. */
export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const storage = yield* RunnerStorage.RunnerStorage
  const health = yield* RunnerHealth.RunnerHealth
  const { host, port } = yield* FleetSettings
  const look = Effect.gen(function*() {
    const healthy = (yield* storage.getRunners).flatMap(([{ address }, isHealthy]) => isHealthy ? [address] : [])
    const others = healthy.filter((address) => address.host !== host || address.port !== port)
    const answers = yield* Effect.forEach(others, health.isAlive, { concurrency: 10 })
    const isCutOff = others.length > 1 && !answers.includes(true)
    const dead = isCutOff || healthy.length === others.length ? [] : others.filter((_, at) => answers[at] === false)
    yield* Effect.forEach(dead, (address) => storage.setRunnerHealth(address, false), { discard: true })
  }).pipe(Effect.catch(({ message }) => Effect.logDebug(`the other nodes cannot be looked after: ${message}`)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(INTERVAL))))
}))
