import { assert, describe, it } from "@effect/vitest"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as PatientLocks from "../../src/fleet/PatientLocks.ts"

const one = RunnerAddress.make("one", 1)
const other = RunnerAddress.make("other", 2)
const shards = [1, 2, 3].map((id) => ShardId.make("default", id))
const ids = (taken: Iterable<ShardId.ShardId>) => [...taken].map(({ id }) => id).toSorted()

/** The locks of a database that can be away, and started again. */
const stage = Effect.gen(function*() {
  const locks = new Map<number, RunnerAddress.RunnerAddress>()
  const database = { isAway: false }
  const answered = <A>(answer: () => A) =>
    Effect.suspend(() => {
      return database.isAway ? Effect.fail(new PersistenceError({ cause: "away" })) : Effect.sync(answer)
    })
  const held = (address: RunnerAddress.RunnerAddress, all: Iterable<ShardId.ShardId>) =>
    [...all].filter(({ id }) => locks.get(id) === address)
  const storage = {
    acquire: (address: RunnerAddress.RunnerAddress, all: Iterable<ShardId.ShardId>) =>
      answered(() => {
        const wished = [...all]
        for (const { id } of wished) if (!locks.has(id)) locks.set(id, address)
        return held(address, wished)
      }),
    refresh: (address: RunnerAddress.RunnerAddress, all: Iterable<ShardId.ShardId>) => {
      const wished = [...all]
      return answered(() => held(address, wished))
    },
    release: (_: RunnerAddress.RunnerAddress, { id }: ShardId.ShardId) => answered(() => void locks.delete(id)),
    releaseAll: () => answered(() => locks.clear())
  } as unknown as RunnerStorage["Service"]
  const services = yield* Layer.build(
    Layer.provide(PatientLocks.layer, Layer.succeed(RunnerStorage, storage))
  )
  return { database, locks, storage: Context.get(services, RunnerStorage) }
})

describe("The locks of a node", () => {
  it.effect("are waited for while the database is away, for 8 s", () =>
    Effect.gen(function*() {
      const { database, storage } = yield* stage
      yield* storage.acquire(one, shards)
      database.isAway = true
      const short = yield* Effect.forkChild(storage.refresh(one, shards))
      yield* TestClock.adjust("7 seconds")
      database.isAway = false
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(ids(yield* Fiber.join(short)), [1, 2, 3])
      database.isAway = true
      const long = yield* Effect.forkChild(Effect.exit(storage.refresh(one, shards)))
      yield* TestClock.adjust("9 seconds")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(long)))
    }))

  it.effect("are taken again at any look after the database was started again, but those that another node took", () =>
    Effect.gen(function*() {
      const { locks, storage } = yield* stage
      yield* storage.acquire(one, shards)
      locks.clear()
      locks.set(2, other)
      // The look of a node that asks for none in particular.
      assert.deepStrictEqual(ids(yield* storage.refresh(one, [])), [1, 3])
      assert.deepStrictEqual(ids(yield* storage.refresh(one, shards)), [1, 3])
    }))

  it.effect("are not taken again when they were given back, also during a look", () =>
    Effect.gen(function*() {
      const { database, locks, storage } = yield* stage
      yield* storage.acquire(one, shards)
      database.isAway = true
      const look = yield* Effect.forkChild(storage.refresh(one, shards))
      yield* TestClock.adjust("1 seconds")
      database.isAway = false
      locks.clear()
      const [, second, third] = shards
      yield* storage.release(one, second ?? assert.fail())
      yield* TestClock.adjust("1 seconds")
      assert.deepStrictEqual(ids(yield* Fiber.join(look)), [1, 3])
      yield* storage.releaseAll(one)
      assert.deepStrictEqual(ids(yield* storage.refresh(one, [third ?? assert.fail()])), [])
      assert.strictEqual(locks.size, 0)
    }))
})
