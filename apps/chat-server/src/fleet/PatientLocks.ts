/** Locks of what a node owns that last while the database is away for some seconds. */
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import type { ShardId } from "effect/cluster/ShardId"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"

/** The engine gives up all that it owns when it cannot tell for 10 s whether it has the locks; it asks as often. */
const PATIENCE = Schedule.spaced("300 millis").pipe(Schedule.upTo({ duration: "8 seconds" }))

/**
 * A database that was started again has forgotten all locks. Their node takes them again at its next look, where no other has
 * done so, and what it runs goes on. Each look is one at all locks that the engine took and has not given back.
 */
export const layer = Layer.effect(
  RunnerStorage,
  Effect.map(RunnerStorage, (storage) => {
    /** A lock that the engine gives back during a look is not taken again. */
    const wanted = new Map<string, ShardId>()
    const turn = Semaphore.makeUnsafe(1)
    return {
      ...storage,
      acquire: (address, shards) =>
        Effect.tap(
          storage.acquire(address, shards),
          (taken) => Effect.sync(() => taken.forEach((shard) => wanted.set(nameOf(shard), shard)))
        ),
      release: (address, shard) =>
        turn.withPermit(Effect.suspend(() => {
          wanted.delete(nameOf(shard))
          return storage.release(address, shard)
        })),
      releaseAll: (address) =>
        turn.withPermit(Effect.suspend(() => {
          wanted.clear()
          return storage.releaseAll(address)
        })),
      refresh: (address, given) =>
        Effect.suspend(() => {
          const all = new Map([...wanted.values(), ...given].map((shard) => [nameOf(shard), shard]))
          return storage.refresh(address, all.values()).pipe(
            Effect.retry(PATIENCE),
            Effect.flatMap((held) => {
              for (const shard of held) all.delete(nameOf(shard))
              return turn.withPermit(Effect.suspend(() => {
                const lost = [...all.values()].filter((shard) => wanted.has(nameOf(shard)))
                return lost.length === 0
                  ? Effect.succeed(held)
                  : Effect.map(storage.acquire(address, lost), (again) => [...held, ...again])
              }))
            })
          )
        })
    }
  })
)

const nameOf = ({ group, id }: ShardId): string => `${group} ${id}`
