/** Servers that are killed from outside, and what is there afterwards: counted by a marker, not by what we say of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"
import * as Zoo from "./support/Zoo.ts"

const kill = (registry: Zoo.Registry, name = "it") =>
  Effect.map(registry.server(name), ({ pid }) => {
    process.kill(pid ?? assert.fail("no pid"), "SIGKILL")
    return pid
  })

/** Waits until exactly so many processes of this registry live: one that was killed takes a moment to go. */
const untilThereAre = (mark: string, count: number) =>
  Effect.sync(() => Processes.alive(Zoo.MARK, mark).length).pipe(
    Effect.filterOrFail((living) => living === count, (living) => `${living} processes, not ${count}`),
    Effect.retry(Schedule.spaced("25 millis").pipe(Schedule.upTo({ duration: `${Deadline.WAIT_MILLIS} millis` })))
  )

const ENTRY = { ...Zoo.entry("UnknownIds"), restart: "on-failure" }

describe("Revival", Deadline.TEST, () => {
  it.live(
    "a call right after kill -9 revives the server and succeeds, and so does the next; one process, all tools (R4, R5)",
    () =>
      Zoo.withRegistry({ it: ENTRY, other: Zoo.entry("UnknownIds") }, ({ mark, registry }) =>
        Effect.gen(function*() {
          yield* registry.settled
          const tools = (yield* registry.tools).map(({ name }) => name)
          const { pid: others } = yield* registry.server("other")
          for (let death = 1; death <= 3; death++) {
            const old = yield* kill(registry)
            yield* Zoo.untilState(registry, "failed")
            assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "one" }), "one")
            assert.strictEqual(yield* Zoo.textOf(registry, "it_echo", { text: "two" }), "two")
            assert.deepStrictEqual((yield* registry.tools).map(({ name }) => name), tools)
            const { pid, restarts } = yield* Zoo.isReady(registry)
            assert.notStrictEqual(pid, old)
            assert.strictEqual(restarts, death)
            yield* untilThereAre(mark, 2)
          }
          assert.strictEqual((yield* registry.server("other")).pid, others)
        }))
  )

  it.live(
    "comes back by itself when nobody calls (R4)",
    () =>
      Zoo.withRegistry({ it: ENTRY }, ({ mark, registry }) =>
        Effect.gen(function*() {
          yield* registry.settled
          const old = yield* kill(registry)
          yield* Zoo.untilState(registry, "failed")
          yield* Zoo.untilState(registry, "ready")
          assert.notStrictEqual((yield* registry.server("it")).pid, old)
          yield* untilThereAre(mark, 1)
        }))
  )

  it.live(
    "20 calls at once on a dead server start one process, and all of them are answered (R47)",
    () =>
      Zoo.withRegistry({ it: ENTRY }, ({ mark, registry }) =>
        Effect.gen(function*() {
          yield* registry.settled
          const pids = new Set<number>()
          yield* Effect.forkChild(
            Stream.runForEach(registry.events, ({ pid }) => Effect.sync(() => pid !== null && pids.add(pid)))
          )
          yield* Effect.yieldNow
          const old = yield* kill(registry)
          yield* Zoo.untilState(registry, "failed")
          const texts = Array.from({ length: 20 }, (_, index) => `call ${index}`)
          const answers = yield* Effect.forEach(texts, (text) => Zoo.textOf(registry, "it_echo", { text }), {
            concurrency: "unbounded"
          })
          assert.deepStrictEqual(answers, texts)
          yield* untilThereAre(mark, 1)
          const { pid, restarts } = yield* Zoo.isReady(registry)
          assert.strictEqual(restarts, 1)
          // Another one would be there, or would have been told of.
          yield* Effect.sleep("500 millis")
          assert.deepStrictEqual(new Set([old, ...pids]), new Set([old, pid]))
          yield* untilThereAre(mark, 1)
        }))
  )

  it.live(
    "kill -9 fails all that is pending in less than a second, however long it might have taken (R6)",
    () =>
      Zoo.withRegistry(
        { it: { ...Zoo.entry("LateAnswer"), timeout: "1 hour", maxTotalTimeout: "1 hour" } },
        ({ registry }) =>
          Effect.gen(function*() {
            yield* registry.settled
            const calls = yield* Effect.forkChild(
              Effect.all(
                Array.from({ length: 30 }, () => Effect.flip(registry.call("it_work", { millis: 600_000 }))),
                { concurrency: "unbounded" }
              )
            )
            yield* Zoo.untilCounted(registry, "begun", 30)
            yield* kill(registry)
            const killed = Date.now()
            const errors = yield* Fiber.join(calls)
            assert.isBelow(Date.now() - killed, Deadline.late(1000))
            assert.deepStrictEqual([...new Set(errors.map(({ reason }) => reason._tag))], ["OutcomeUnknown"])
          })
      )
  )
})
