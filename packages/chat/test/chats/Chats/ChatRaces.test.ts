import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StoredChat } from "../../../src/store/ChatStore.ts"
import { type ChatStore, ChatStoreFailed } from "../../../src/store/ChatStore.ts"
import type { OwnChats } from "../../support/AsPerson.ts"
import { brief, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../../support/Scripted.ts"

const done = Effect.succeed(ToolResult.success("done"))

/** What holds of every chat whenever nothing runs in it. */
const check = ({ lastSeq, turns }: StoredChat) => {
  const parts = turns.flatMap((turn) => turn.parts).toSorted((one, other) => one.seq - other.seq)
  assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, at) => at + 1), "no number is missing or twice")
  assert.strictEqual(lastSeq, parts.length)
  const taken = parts.flatMap((part) => part.type === "message" ? [part.from] : [])
  const joined = turns.filter((turn) => turn.parts.some((part) => part.type === "finish" && part.reason === "joined"))
  assert.sameMembers(taken, joined.map(({ turn }) => turn), "each message that was taken is in one turn")
  for (const { parts: said, state, turn } of turns) {
    assert.strictEqual(state, "ended", `turn ${turn}`)
    assert.deepStrictEqual(said.flatMap(({ type }, at) => type === "finish" ? [at] : []), [said.length - 1])
    const callIds = said.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
    const resultIds = said.flatMap((part) => part.type === "tool-result" ? [part.id] : [])
    assert.sameMembers(resultIds, callIds, "each call has one result")
  }
  // One turn after the other: a turn that was dropped has nothing but its end.
  const order = parts.filter(({ turn, type }) =>
    type !== "finish" || turns.some((one) => one.turn === turn && one.parts.length > 1)
  ).map(({ turn }) => turn)
  assert.deepStrictEqual(order.filter((turn, at) => turn !== order[at - 1]), [...new Set(order)])
}

type Write = Effect.Effect<void, ChatStoreFailed>

/** A store that fails from one of its writes on, until it is mended. */
const failing = Effect.fnUntraced(function*(from: number) {
  const store = yield* newStore
  let writes = 0
  let isMended = false
  const attempt = (operation: string, write: Write): Write =>
    Effect.suspend(() => {
      writes += 1
      return writes > from && !isMended ? new ChatStoreFailed({ operation, why: "the disk is full" }) : write
    })
  const broken: ChatStore["Service"] = {
    ...store,
    put: (record) => attempt("put", store.put(record)),
    putTurn: (id, turn) => attempt("putTurn", store.putTurn(id, turn)),
    removeTurn: (id, turn) => attempt("removeTurn", store.removeTurn(id, turn)),
    append: (id, parts) => attempt("append", store.append(id, parts))
  }
  return { store, broken, mend: () => isMended = true, writes: () => writes }
})

describe("Chats whose store fails", () => {
  it.effect("end the turn with one line in the log, and go on with the next message, wherever it failed", () =>
    Effect.gen(function*() {
      let isWhole = false
      for (let from = 1; !isWhole; from++) {
        const logged: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message: words }) => {
          logged.push(String(words))
        })])
        yield* Effect.gen(function*() {
          let cancelled = 0
          const isCancelled = Effect.sync(() => void cancelled++)
          const waits = tool("a_wait", () => Effect.onInterrupt(Effect.delay(done, "1 minute"), () => isCancelled))
          const { model: m } = yield* model([
            [...says("one", "two"), calls("c", "a_wait"), finish("tool-calls")],
            [...says("after"), finish()],
            [...says("and after"), finish()]
          ])
          const { broken, mend, store } = yield* failing(from)
          const { chats } = yield* start({ models: { m }, environment: "m", store: broken, builtIn: [waits] })
          const begun = yield* Effect.exit(chats.create({ agent: null, model: null }))
          if (Exit.isFailure(begun)) return
          const { id } = begun.value
          const listener = yield* Effect.forkChild(Effect.exit(Stream.runDrain(chats.events(id, 0))))
          yield* settle
          const sent = yield* Effect.exit(chats.send(id, message("go")))
          yield* settle
          yield* TestClock.adjust("1 second")
          const isRunning = (yield* chats.get(id)).running !== null
          isWhole = Exit.isSuccess(sent) && isRunning
          if (isWhole) yield* chats.stop(id)
          else if (Exit.isSuccess(sent)) {
            assert.isTrue(Exit.isFailure(yield* Fiber.join(listener)), "who listens is told")
            assert.strictEqual(logged.filter((line) => line.includes("cannot be kept")).length, 1, logged.join("\n"))
          } else assert.strictEqual(Exit.isFailure(sent), true)
          mend()
          const { turn } = yield* chats.send(id, message("again"))
          const hearing = yield* Effect.forkChild(until(chats, id, turn))
          yield* TestClock.adjust("2 minutes")
          const heard = yield* Fiber.join(hearing)
          assert.deepStrictEqual(heard.map(({ seq }) => seq), heard.map((_, at) => at + 1))
          check((yield* store.get(id)) ?? assert.fail("no chat"))
          assert.strictEqual(cancelled <= 1, true)
        }).pipe(Effect.provide(logger))
      }
    }))

  it.effect("are read again when they failed in the middle of a turn: it has an end, and what was shown stays", () =>
    Effect.gen(function*() {
      const waits = tool("a_wait", () => Effect.never)
      const { model: m } = yield* model([
        [...says("shown"), calls("c", "a_wait"), finish("tool-calls")],
        [...says("after"), finish()]
      ])
      // put, putTurn and put of the message, putTurn of its beginning, the text; then no more.
      const { broken, mend } = yield* failing(5)
      const { chats } = yield* start({ models: { m }, environment: "m", store: broken, builtIn: [waits] })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.send(id, message("go"))
      yield* settle
      assert.deepStrictEqual(brief((yield* chats.get(id)).turns[0]?.parts ?? []), ["1 shown"])
      mend()
      yield* chats.send(id, message("again"))
      assert.deepStrictEqual(brief(yield* until(chats, id, 2)), ["1 shown", "1 interrupted", "2 after", "2 stop"])
    }))
})

/** The numbers of the parts that somebody gets who listens for ten minutes; none in a program that ended meanwhile. */
const hear = (chats: OwnChats, id: string): Effect.Effect<ReadonlyArray<number>> =>
  Stream.map(chats.events(id, 0), ({ seq }) => seq).pipe(
    Stream.interruptWhen(Effect.sleep("10 minutes")),
    Stream.runCollect,
    Effect.exit,
    Effect.map((exit) => Exit.isSuccess(exit) ? exit.value : [])
  )

const CALLING = [...says("a", "b"), calls("c", "a_wait"), finish("tool-calls")]
const SAYING = [...says("d"), finish()]

const Step = Schema.Literals([
  ...["send", "send", "send", "replace", "stop", "drop", "hurry", "edit", "listen", "wait", "yield", "restart"] as const
])

describe("Chats", () => {
  it.effect.prop(
    "number every part once, end every turn once and run one at a time, whatever people do at once",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 1, maxLength: 14 })],
    ([steps]) =>
      Effect.gen(function*() {
        const store = yield* newStore
        const waits = tool("a_wait", () => Effect.delay(done, "1 second"))
        const { model: m } = yield* model(Array.from({ length: 60 }, (_, at) => at % 2 === 0 ? CALLING : SAYING))
        const setup = { models: { m }, environment: "m", store, builtIn: [waits] }
        let program = yield* start(setup)
        const { id } = yield* program.chats.create({ agent: null, model: null })
        const heard: Array<Fiber.Fiber<ReadonlyArray<number>>> = []
        for (const step of steps) {
          const { chats } = program
          if (step === "send") yield* Effect.forkChild(Effect.ignore(chats.send(id, message("x"))))
          if (step === "replace") yield* Effect.forkChild(Effect.ignore(chats.send(id, message("y", { replaces: 1 }))))
          if (step === "stop") yield* Effect.forkChild(Effect.ignore(chats.stop(id)))
          if (step === "drop") yield* Effect.forkChild(Effect.ignore(chats.drop(id, 2)))
          if (step === "hurry") yield* Effect.forkChild(Effect.ignore(chats.hurry(id, 3)))
          if (step === "edit") yield* Effect.forkChild(Effect.ignore(chats.editWaiting(id, 3, { text: "z" })))
          if (step === "yield") yield* Effect.yieldNow
          if (step === "wait") yield* TestClock.adjust("700 millis")
          if (step === "listen") {
            heard.push(yield* Effect.forkChild(hear(chats, id)))
          }
          if (step === "restart") {
            const closing = yield* Effect.forkChild(program.close)
            yield* TestClock.adjust("5 seconds")
            yield* Fiber.join(closing)
            program = yield* start(setup)
          }
        }
        // What was begun last sleeps only after a while, and its sleep is to pass, too.
        for (let at = 0; at < 40; at++) yield* Effect.andThen(settle, TestClock.adjust("1 second"))
        const chat = (yield* store.get(id)) ?? assert.fail("no chat")
        check(chat)
        yield* TestClock.adjust("11 minutes")
        for (const listener of heard) {
          const seqs = yield* Fiber.join(listener)
          assert.deepStrictEqual(seqs, seqs.map((_, at) => at + 1))
        }
        yield* program.close
      }),
    { arbitrary: { runs: 40 } }
  )
})
