/**
 * Finds dead nodes. The engine has one node look after all others; when that one dies nobody notices until its heartbeat is
 * 35 s old. So each node also looks after the next few, in the order of their addresses, at every death.
 */
import type * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerHealth } from "effect/cluster/RunnerHealth"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"

/** So many nodes notice the death of each: one of them may die with it. */
const WATCHED = 3
const INTERVAL = "2 seconds"

/** Looks after the next nodes every 2 s, and takes those that do not answer out of the fleet until they do. */
export const layer = (self: RunnerAddress.RunnerAddress): Layer.Layer<never, never, RunnerHealth | RunnerStorage> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const storage = yield* RunnerStorage
    const health = yield* RunnerHealth
    const look = Effect.gen(function*() {
      const runners = yield* storage.getRunners
      const healthy = runners.filter(([, isHealthy]) => isHealthy).map(([{ address }]) => address)
      yield* Effect.forEach(
        nextOf(self, healthy),
        (address) =>
          Effect.flatMap(health.isAlive(address), (isAlive) =>
            isAlive ? Effect.void : Effect.andThen(
              Effect.logWarning(
                `the node ${address.host}:${address.port} does not answer or is drained; what it ran moves to others`
              ),
              storage.setRunnerHealth(address, false)
            )),
        { concurrency: "unbounded", discard: true }
      )
    })
    yield* Effect.forkScoped(Effect.forever(
      // A database that is away is back at one of the next looks.
      Effect.andThen(
        Effect.sleep(INTERVAL),
        Effect.catchCause(look, (cause) => Effect.logDebug("no look at the nodes", cause))
      )
    ))
  }))

/** Those after a node in the order of addresses, the last followed by the first. A node that is alone watches nobody. */
export const nextOf = (
  self: RunnerAddress.RunnerAddress,
  all: ReadonlyArray<RunnerAddress.RunnerAddress>
): ReadonlyArray<RunnerAddress.RunnerAddress> => {
  const others = all.filter((address) => !Equal.equals(address, self)).sort((one, other) =>
    nameOf(one) < nameOf(other) ? -1 : 1
  )
  const after = others.filter((address) => nameOf(address) > nameOf(self))
  return [...after, ...others.slice(0, others.length - after.length)].slice(0, WATCHED)
}

const nameOf = ({ host, port }: RunnerAddress.RunnerAddress): string => `${host}:${port}`
