/** Servers that run only while they are used: real processes, counted from outside. */
import { Manifests, McpRegistry } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Command from "./support/Command.ts"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"
import * as Zoo from "./support/Zoo.ts"

const alive = (mark: string) => Processes.count(Zoo.MARK, mark)

/** Waits until so many processes of the registry live. */
const untilAlive = (mark: string, count: number) =>
  Effect.repeat(alive(mark), { until: (living) => living === count, schedule: Schedule.spaced("50 millis") }).pipe(
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

describe("A lazy server", Deadline.TEST, () => {
  it.live(
    "has no process until ten callers start one, and none again when it was idle for its time (R93, R94)",
    () =>
      Effect.gen(function*() {
        const folder = yield* Command.folder({})
        const manifests = Manifests.layerFolder(join(folder, "manifests")).pipe(Layer.provide(NodeServices.layer))
        // The marker is a variable of the entry: another one would make another server of it.
        const mark = randomUUID()
        const it = { ...Zoo.entry("Echo"), lazy: true, idleTtl: "1500 millis" }
        const run = <A, E>(body: (registry: Zoo.Registry) => Effect.Effect<A, E>) =>
          McpRegistry.use((registry) => Effect.andThen(registry.settled, body(registry))).pipe(
            Effect.provide(Layer.provide(Zoo.registryLayer({ it }, mark), manifests), { local: true })
          )
        yield* Effect.addFinalizer(() => Processes.killAll(Zoo.MARK, mark))
        yield* run((registry) =>
          Effect.gen(function*() {
            const { pid } = yield* Zoo.isReady(registry)
            assert.isNotNull(pid)
            yield* untilAlive(mark, 0)
          })
        )
        yield* run((registry) =>
          Effect.gen(function*() {
            const { idle, pid, tools } = yield* Zoo.isReady(registry)
            assert.deepStrictEqual([idle, pid, tools > 0], [true, null, true])
            yield* Effect.sleep("500 millis")
            assert.strictEqual(yield* alive(mark), 0)
            for (let round = 0; round < 2; round++) {
              const callers = Array.from({ length: 10 }, (_, n) => Zoo.textOf(registry, "it_echo", { text: String(n) }))
              const texts = yield* Effect.all(callers, { concurrency: "unbounded" })
              assert.deepStrictEqual(texts, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
              assert.strictEqual(yield* alive(mark), 1)
              yield* untilAlive(mark, 0)
              assert.strictEqual((yield* Zoo.isReady(registry)).idle, true)
              assert.isNotEmpty(yield* registry.tools)
            }
            assert.strictEqual((yield* registry.server("it")).restarts, 0)
          })
        )
        assert.strictEqual(yield* alive(mark), 0)
      })
  )
})
