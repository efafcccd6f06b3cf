import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as PartWatch from "../../src/fleet/PartWatch.ts"
import { type ChatStore, ChatStoreFailed } from "../../src/store/ChatStore.ts"
import { newStore, settle } from "../support/Chatting.ts"
import { numbered, record, said, turn } from "../support/StoreSuite.ts"

const chat = Effect.gen(function*() {
  const store = yield* newStore
  yield* store.put(record("a"))
  yield* store.putTurn("a", turn(1))
  let last = 0
  const write = (count = 1) =>
    Effect.suspend(() => {
      const parts = numbered(1, last, Array.from({ length: count }, (_, at) => said(`${last + at + 1}`)))
      last += count
      return store.append("a", parts)
    })
  return { store, write }
})

/** What a listener reads, as it comes. */
const listen = (watch: PartWatch.PartWatch, after = 0) =>
  Effect.gen(function*() {
    const read: Array<number> = []
    const fiber = yield* Effect.forkScoped(
      Stream.runForEach(watch.events("a", after), ({ seq }) => Effect.sync(() => void read.push(seq)))
    )
    yield* settle
    return { read, fiber }
  })

const Step = Schema.Literals(["write", "write many", "tell", "tell twice", "look", "wait"])

describe("The parts of a chat that another node runs", () => {
  it.effect("come as soon as they are told of", () =>
    Effect.gen(function*() {
      const { store, write } = yield* chat
      const watch = yield* PartWatch.make(store)
      const { read } = yield* listen(watch)
      yield* write()
      yield* settle
      assert.deepStrictEqual(read, [])
      watch.wake("a")
      yield* settle
      assert.deepStrictEqual(read, [1])
    }))

  it.effect("come within a second when nobody tells of them", () =>
    Effect.gen(function*() {
      const { store, write } = yield* chat
      const watch = yield* PartWatch.make(store)
      const { read } = yield* listen(watch)
      yield* write(3)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(read, [1, 2, 3])
    }))

  it.effect.prop(
    "come each once and in order, whatever is told, lost, or told twice",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 20, maxLength: 60 })],
    ([steps]) =>
      Effect.scoped(Effect.gen(function*() {
        const { store, write } = yield* chat
        const watch = yield* PartWatch.make(store)
        const early = yield* listen(watch)
        const late = yield* listen(watch, 3)
        for (const step of steps) {
          if (step === "write") yield* write()
          else if (step === "write many") yield* write(300)
          else if (step === "look") yield* TestClock.adjust("1 second")
          else if (step === "wait") yield* settle
          else watch.wake("a")
          if (step === "tell twice") watch.wake("a")
        }
        yield* TestClock.adjust("1 second")
        yield* settle
        const { lastSeq = 0 } = (yield* store.head("a")) ?? {}
        const all = Array.from({ length: lastSeq }, (_, at) => at + 1)
        assert.deepStrictEqual(early.read, all)
        assert.deepStrictEqual(late.read, all.slice(3))
      }))
  )

  it.effect("end when the chat is removed, though nobody tells of it", () =>
    Effect.gen(function*() {
      const { store, write } = yield* chat
      const watch = yield* PartWatch.make(store)
      yield* write()
      const { fiber, read } = yield* listen(watch)
      yield* store.remove("a")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(read, [1])
    }))

  it.effect("go on where they were after the store was away for seconds", () =>
    Effect.gen(function*() {
      const { store, write } = yield* chat
      let isAway = false
      const away = <A>(effect: Effect.Effect<A, ChatStoreFailed>) =>
        Effect.suspend(() =>
          isAway ? Effect.fail(new ChatStoreFailed({ operation: "parts", why: "it is away" })) : effect
        )
      const shaky: ChatStore["Service"] = {
        ...store,
        parts: (...args) => away(store.parts(...args)),
        lastSeqs: (ids) => away(store.lastSeqs(ids))
      }
      const watch = yield* PartWatch.make(shaky)
      const { read } = yield* listen(watch)
      isAway = true
      yield* write(2)
      watch.wake("a")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(read, [])
      isAway = false
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepStrictEqual(read, [1, 2])
    }))

  it.effect("are looked for with one question a second, however many listen", () =>
    Effect.gen(function*() {
      const { store } = yield* chat
      const asked: Array<number> = []
      const watch = yield* PartWatch.make({
        ...store,
        lastSeqs: (ids) => Effect.andThen(Effect.sync(() => asked.push(ids.length)), store.lastSeqs(ids))
      })
      for (const _ of Array.from({ length: 50 })) yield* listen(watch)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(asked, [1, 1, 1])
    }))
})
