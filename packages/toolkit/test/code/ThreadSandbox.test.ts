import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import {
  type Ask,
  type FromThread,
  type Program,
  type ProgramCall,
  ProgramThreads,
  Sandbox,
  type SavedState,
  type Snapshot,
  type ThreadListener,
  type ThreadLost,
  ThreadSandbox,
  type ToThread
} from "../../src/code/index.ts"

const turn = (asks: ReadonlyArray<Ask>, more: Partial<Extract<FromThread, { type: "turn" }>> = {}): FromThread => ({
  type: "turn",
  spent: 0,
  asks,
  end: null,
  isUsable: true,
  ...more
})

const ended = (value: string) => turn([], { end: { value, error: null } })

const call = (id: number): Ask => ["call", id, `tool_${id}`, id, "{}"]

const SAVED: SavedState = { memory: new Uint8Array([1, 2, 3]), roots: [4, 5], spent: 0 }

/** What a thread says to each message; nothing where a program computes. */
type Script = (message: ToThread, number: number) => FromThread | "lost" | null

/** Threads that answer at once, and what became of them. */
const make = (script: Script, start: Effect.Effect<void, ThreadLost> = Effect.void) => {
  const posted: Array<string> = []
  const living = new Set<number>()
  const listeners = new Set<ThreadListener>()
  let count = 0
  const layer = Layer.succeed(ProgramThreads, {
    start: Effect.gen(function*() {
      yield* start
      const number = yield* Effect.acquireRelease(
        Effect.sync(() => {
          living.add(++count)
          return count
        }),
        (number) => Effect.sync(() => living.delete(number))
      )
      let listener: ThreadListener | null = null
      return {
        build: "this",
        isAlive: () => living.has(number),
        listen: (to: ThreadListener | null) => {
          if (listener !== null) listeners.delete(listener)
          if (to !== null) listeners.add(to)
          listener = to
        },
        post: (message: ToThread) => {
          posted.push(`${number} ${message.type}`)
          const said = script(message, number)
          if (said === "lost") {
            living.delete(number)
            listener?.lost({ isMemory: true, detail: "it ended" })
          } else if (said !== null) listener?.heard(said)
        }
      }
    })
  })
  /** What threads with a program say of themselves. */
  const say = (message: FromThread) => Effect.sync(() => listeners.forEach((listener) => listener.heard(message)))
  return { posted, living, say, layer: Layer.provide(ThreadSandbox.layer, layer) }
}

const run = (more: Partial<Program> = {}) =>
  Sandbox.use((sandbox) =>
    sandbox.run({
      source: "one\n two\nthree",
      functions: [],
      describe: (name) => Effect.succeed(name),
      call: () => Effect.succeed({ value: null }),
      ...more
    })
  )

/** Time passes once everything that can be done before has been done. */
const pass = (millis: number) =>
  Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 200 }), TestClock.adjust(millis)).pipe(
    Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 200 }))
  )

const answersIn = (message: ToThread): unknown => message.type === "answers" ? JSON.parse(message.answers) : null

describe("ThreadSandbox", () => {
  it.effect("starts a thread with the first program, keeps it for the next, and ends it after some idle minutes", () =>
    Effect.gen(function*() {
      const { layer, living, posted } = make(() => ended("1"))
      yield* Effect.gen(function*() {
        assert.strictEqual(living.size, 0)
        assert.strictEqual((yield* run()).value, 1)
        assert.strictEqual((yield* run()).value, 1)
        assert.deepStrictEqual([posted, living.size], [["1 run", "1 run"], 1])
        yield* pass(600_000)
        assert.strictEqual(living.size, 0)
        yield* run()
        assert.strictEqual(living.size, 1)
      }).pipe(Effect.provide(layer))
      assert.strictEqual(living.size, 0)
    }))

  it.effect("has 8 threads at the most, and the ninth program waits for one", () =>
    Effect.gen(function*() {
      const { layer, living } = make((message) => message.type === "run" ? turn([call(1)]) : ended("null"))
      yield* Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const made: Array<number> = []
        const program = {
          call: ({ id }: ProgramCall) =>
            Effect.as(Effect.andThen(Effect.sync(() => made.push(id)), Deferred.await(gate)), { value: 1 })
        }
        const all = yield* Effect.forkChild(
          Effect.forEach([...Array(9)], () => run(program), { concurrency: "unbounded" })
        )
        yield* pass(0)
        assert.deepStrictEqual([living.size, made.length], [8, 8])
        yield* Deferred.succeed(gate, undefined)
        assert.lengthOf(yield* Fiber.join(all), 9)
        assert.strictEqual(living.size, 8)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("ends a thread half a second after its program should have stopped, and the next program gets another", () =>
    Effect.gen(function*() {
      const { layer, living } = make((message, number) =>
        number > 1 ? ended("2") : message.type === "run" ? turn([call(1)], { spent: 4000 }) : null
      )
      yield* Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(run())
        yield* pass(1499)
        assert.isTrue(living.has(1))
        yield* pass(1)
        const { calls, error } = yield* Fiber.join(fiber)
        assert.isFalse(living.has(1))
        assert.strictEqual(error?.kind, "compute")
        assert.match(
          error?.message ?? "",
          /^it computed for 5 s, the most that a program may, and could not be interrupted/
        )
        assert.deepStrictEqual(calls, [{ id: 1, name: "tool_1", line: 1, outcome: "done", millis: 0 }])
        assert.strictEqual((yield* run()).value, 2)
      }).pipe(Effect.provide(layer))
    }))

  it.effect("says so when a thread is lost or cannot start, and never fails", () =>
    Effect.gen(function*() {
      const lost = make(() => "lost")
      const memory = yield* Effect.provide(run(), lost.layer)
      assert.strictEqual(memory.error?.kind, "memory")
      const dead = make(() => null, Effect.fail({ isMemory: false, detail: "no such file" }))
      const { error } = yield* Effect.provide(run(), dead.layer)
      assert.deepStrictEqual([error?.kind, error?.message], [
        "broken",
        "the thread of the program is lost: no such file. Run it again"
      ])
    }))

  it.effect("ends a thread that cannot take another program", () =>
    Effect.gen(function*() {
      const { layer, posted } = make((_, number) =>
        turn([], { end: { value: null, error: null }, isUsable: number > 1 })
      )
      yield* Effect.provide(Effect.andThen(run(), Effect.andThen(run(), run())), layer)
      assert.deepStrictEqual(posted, ["1 run", "2 run", "2 run"])
    }))

  it.effect("makes 16 calls at a time in their order, and gives their answers together", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = []
      const { layer } = make((message) => {
        if (message.type === "run") return turn([...Array(20)].map((_, index) => call(index + 1)))
        answers.push(answersIn(message))
        return answers.flat().length === 20 ? ended("null") : turn([])
      })
      const made: Array<number> = []
      const gate = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        run({
          call: ({ id }) =>
            Effect.andThen(Effect.sync(() => made.push(id)), Deferred.await(gate)).pipe(
              Effect.as(id === 2 ? { error: "no" } : { value: { id } })
            )
        }).pipe(Effect.provide(layer))
      )
      yield* pass(0)
      assert.deepStrictEqual(made, [...Array(16)].map((_, index) => index + 1))
      yield* Deferred.succeed(gate, undefined)
      const { calls } = yield* Fiber.join(fiber)
      assert.isBelow(answers.length, 10)
      assert.deepStrictEqual(answers.flat().slice(0, 2), [[1, true, { id: 1 }], [2, false, "no"]])
      assert.deepStrictEqual(calls.map(({ outcome }) => outcome).slice(0, 3), ["done", "failed", "done"])
    }))

  it.effect("takes an answer of 4,000,000 characters, and says that a longer one was given", () =>
    Effect.gen(function*() {
      const answers: Array<unknown> = []
      const { layer } = make((message) => {
        if (message.type === "run") return turn([call(1), call(2), ["call", 3, "tool_3", null, "{}"]])
        answers.push(answersIn(message))
        return ended("null")
      })
      const { calls } = yield* run({
        call: ({ id }) =>
          id === 3
            ? Effect.die("a defect of the caller")
            : Effect.succeed({ value: "x".repeat(id === 1 ? 3_999_998 : 3_999_999) })
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(calls.map(({ outcome }) => outcome), ["done", "done", "unknown"])
      const [first, second, third] = answers.flat(2).filter((part) => typeof part === "string")
      assert.strictEqual(first?.length, 3_999_998)
      assert.match(second ?? "", /^it was made, but its answer is 4000001 characters of JSON, and 4000000 are the most/)
      assert.strictEqual(third, "it broke: a defect of the caller")
    }))

  it.effect("gives an error for an answer that is nested too deeply, and goes on", () =>
    Effect.gen(function*() {
      const answers: Array<string> = []
      const { layer } = make((message) => {
        if (message.type !== "answers") return turn([call(1)])
        answers.push(message.answers)
        return ended("1")
      })
      const deep: Schema.Json = JSON.parse("[".repeat(100_000) + "]".repeat(100_000))
      const { calls } = yield* run({ call: () => Effect.succeed({ value: deep }) }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(calls.map(({ outcome }) => outcome), ["done"])
      assert.match(answers.join(), /^\[\[1,false,"it was made, but its answer is nested more than 200 levels deep/)
    }))

  it.effect("gives calls under way 5 s after the end, those that wait for people none, and makes no others", () =>
    Effect.gen(function*() {
      const { layer } = make(() => turn([call(1), call(2), call(3), call(4)], { end: { value: "7", error: null } }))
      const fiber = yield* Effect.forkChild(
        run({
          limits: { inFlight: 3 },
          call: ({ id, waiting }) =>
            id === 1
              ? Effect.as(Effect.sleep(4999), { value: 1 })
              : id === 2
              ? Effect.as(Effect.sleep(5001), { value: 1 })
              : Effect.andThen(waiting(true), Effect.never)
        }).pipe(Effect.provide(layer))
      )
      yield* pass(5000)
      const { calls, value } = yield* Fiber.join(fiber)
      assert.strictEqual(value, 7)
      assert.deepStrictEqual(calls.map(({ outcome }) => outcome), ["done", "unknown", "not made", "not made"])
    }))

  it.effect("ends its programs when it is closed", () =>
    Effect.gen(function*() {
      const { layer, living } = make(() => turn([call(1)]))
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(layer, scope)
      const fiber = yield* Effect.forkChild(run({ call: () => Effect.never }).pipe(Effect.provideContext(context)))
      yield* pass(0)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.strictEqual(living.size, 0)
    }))

  it.effect("tells the console in order, and the line of an error", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { layer } = make(() =>
        turn([["console", 0, "", null, "a"], ["console", 0, "", null, "b"]], {
          end: { value: null, error: { kind: "threw", message: "Error: x", line: 2, during: null } }
        })
      )
      const outcome = yield* run({ onConsole: (line) => Effect.sync(() => seen.push(line)) }).pipe(
        Effect.provide(layer)
      )
      assert.deepStrictEqual([seen, outcome.console], [["a", "b"], ["a", "b"]])
      assert.deepStrictEqual(outcome.error, { kind: "threw", message: "Error: x", line: 2, text: "two", during: null })
    }))
})

describe("A program that waits for people", () => {
  /** Its first turn makes two calls, and it ends with the second answer. */
  const waiter = () => {
    let answered = 0
    return make((message) => {
      if (message.type === "run") return turn([["console", 0, "", null, "before"], call(1), call(2)])
      if (message.type === "save") return { type: "saved", state: SAVED }
      if (message.type === "answers") answered += 1
      if (message.type === "drop") return null
      return answered === 2 ? ended("2") : turn([])
    })
  }

  it.effect("is saved when every call has waited 10 s, gives its thread to others, and goes on with an answer", () =>
    Effect.gen(function*() {
      const { layer, posted } = waiter()
      yield* Effect.gen(function*() {
        const saved: Array<Snapshot> = []
        const gates = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const fiber = yield* Effect.forkChild(run({
          call: ({ id, waiting }) =>
            Effect.gen(function*() {
              if (id === 2) yield* Effect.sleep(3000)
              yield* waiting(true)
              yield* Deferred.await(gates[id - 1] ?? assert.fail())
              yield* waiting(false)
              return { value: id }
            }),
          onSnapshot: (snapshot) => Effect.sync(() => saved.push(snapshot))
        }))
        yield* pass(12_999)
        assert.lengthOf(saved, 0)
        yield* pass(1)
        assert.deepStrictEqual([saved.length, posted], [1, ["1 run", "1 save", "1 drop"]])
        yield* Deferred.succeed(gates[1] ?? assert.fail(), undefined)
        yield* pass(0)
        // The other call has waited long enough already.
        assert.deepStrictEqual([saved.length, posted.slice(3)], [2, ["1 restore", "1 answers", "1 save", "1 drop"]])
        yield* Deferred.succeed(gates[0] ?? assert.fail(), undefined)
        const outcome = yield* Fiber.join(fiber)
        assert.deepStrictEqual([outcome.value, outcome.console], [2, ["before"]])
      }).pipe(Effect.provide(layer))
    }))

  it.effect("is not kept when an answer comes while it is saved, and has not left its thread then", () =>
    Effect.gen(function*() {
      const { layer, posted, say } = make((message) =>
        message.type === "run" ? turn([call(1), call(2)]) : message.type === "answers" ? ended("2") : null
      )
      const saved: Array<Snapshot> = []
      const gate = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        run({
          call: ({ waiting }) => Effect.andThen(waiting(true), Effect.as(Deferred.await(gate), { value: 1 })),
          onSnapshot: (snapshot) => Effect.sync(() => saved.push(snapshot))
        }).pipe(Effect.provide(layer))
      )
      yield* pass(10_000)
      assert.deepStrictEqual(posted, ["1 run", "1 save"])
      yield* Deferred.succeed(gate, undefined)
      yield* pass(0)
      yield* say({ type: "saved", state: SAVED })
      assert.strictEqual((yield* Fiber.join(fiber)).value, 2)
      assert.deepStrictEqual([saved, posted.slice(2)], [[], ["1 answers"]])
    }))

  it.effect("keeps its thread while one call is under way", () =>
    Effect.gen(function*() {
      const { layer, posted } = waiter()
      const fiber = yield* Effect.forkChild(
        run({
          call: ({ id, waiting }) => Effect.andThen(waiting(id === 1), Effect.as(Effect.sleep("1 hour"), { value: 1 }))
        })
          .pipe(Effect.provide(layer))
      )
      yield* pass(3_540_000)
      assert.deepStrictEqual(posted, ["1 run"])
      yield* pass(60_000)
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("makes its open calls anew elsewhere, with their ids, and remembers the others and its lines", () =>
    Effect.gen(function*() {
      const saved: Array<Snapshot> = []
      const first = waiter()
      const fiber = yield* Effect.forkChild(
        run({
          call: ({ id, waiting }) =>
            id === 1 ? Effect.succeed({ value: 1 }) : Effect.andThen(waiting(true), Effect.never),
          onSnapshot: (snapshot) => Effect.sync(() => saved.push(snapshot))
        }).pipe(Effect.provide(first.layer))
      )
      yield* pass(10_000)
      yield* Fiber.interrupt(fiber)
      const [from = assert.fail()] = saved

      const states: Array<unknown> = []
      const second = make((message) => {
        if (message.type === "restore") states.push(message.state)
        return message.type === "answers" ? ended("2") : turn([])
      })
      const made: Array<ProgramCall> = []
      const outcome = yield* run({
        from,
        source: "",
        call: (call) => Effect.sync(() => made.push(call)).pipe(Effect.as({ value: 1 }))
      }).pipe(Effect.provide(second.layer))
      assert.deepStrictEqual(made.map(({ args, id, line, name }) => [id, name, line, args]), [[2, "tool_2", 2, {}]])
      assert.deepStrictEqual(states, [SAVED])
      assert.deepStrictEqual([outcome.value, outcome.console], [2, ["before"]])
      assert.deepStrictEqual(outcome.calls.map(({ id, outcome }) => [id, outcome]), [[1, "done"], [2, "done"]])
    }))
})
