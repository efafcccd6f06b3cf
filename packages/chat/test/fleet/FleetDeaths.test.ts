import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StoredChat } from "../../src/store/ChatStore.ts"
import { message, settle } from "../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../support/Scripted.ts"
import * as SimulatedFleet from "../support/SimulatedFleet.ts"

const CALLING = [...says("a", "b"), calls("c", "a_wait"), finish("tool-calls")]
const SAYING = [...says("d"), finish()]

const Step = Schema.Literals([
  ...["send", "send", "wait", "wait", "wait", "freeze", "freeze", "move", "kill", "again", "stop", "lose"] as const
])

/** What holds of the chat when nothing runs in it any more, whatever became of its nodes. */
const check = ({ turns }: StoredChat, messages: number) => {
  const parts = turns.flatMap((turn) => turn.parts).toSorted((one, other) => one.seq - other.seq)
  assert.deepStrictEqual(parts.map(({ seq }) => seq), parts.map((_, at) => at + 1), "no number is missing or twice")
  assert.lengthOf(turns, messages, "each message is there once")
  for (const { parts: said, state, turn } of turns) {
    assert.strictEqual(state, "ended", `turn ${turn}`)
    assert.deepStrictEqual(said.flatMap(({ type }, at) => type === "finish" ? [at] : []), [said.length - 1])
    const called = said.flatMap((part) => part.type === "tool-call" ? [part.id] : [])
    assert.sameMembers(said.flatMap((part) => part.type === "tool-result" ? [part.id] : []), called)
  }
  const order = parts.map(({ turn }) => turn)
  assert.deepStrictEqual(order.filter((turn, at) => turn !== order[at - 1]), [...new Set(order)], "one after the other")
  return parts.filter(({ type }) => type === "tool-call").length
}

describe("A fleet whose nodes die, freeze and pass on their chats", () => {
  it.effect.prop(
    "loses no part and no message, repeats none, runs one turn at a time, and makes no call twice",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 8, maxLength: 24 })],
    ([steps]) =>
      Effect.scoped(Effect.gen(function*() {
        const fleet = yield* SimulatedFleet.make
        const made = { calls: 0 }
        const waits = tool("a_wait", () =>
          Effect.suspend(() => {
            made.calls++
            return Effect.delay(Effect.succeed(ToolResult.success("done")), "1 second")
          }))
        const { model: m } = yield* model(Array.from({ length: 200 }, (_, at) => at % 2 === 0 ? CALLING : SAYING))
        const setup = { models: { m }, environment: "m", builtIn: [waits] }
        const nodes = yield* Effect.forEach(["one", "two", "three"], (name) => fleet.start(name, setup))
        const alive = new Set(nodes)
        const some = (at: number) => [...alive][at % alive.size] ?? assert.fail("no node")
        const { id } = yield* some(0).chats.create({ agent: null, model: null })
        const read: Array<number> = []
        const last = nodes[2] ?? assert.fail("no node")
        const listener = yield* Effect.forkChild(
          Stream.runForEach(last.chats.events(id, 0), ({ seq }) => Effect.sync(() => void read.push(seq)))
        )
        const sending: Array<Fiber.Fiber<unknown, unknown>> = []
        let sent = 0
        const send = (at: number) =>
          Effect.forkChild(Effect.orDie(some(at).chats.send(id, message("x", { key: `${sent}` })))).pipe(
            Effect.map((fiber) => void sending.push(fiber))
          )
        for (const [at, step] of steps.entries()) {
          if (step === "send" && sent < 15) {
            sent++
            yield* send(at)
          } else if (step === "again" && sent > 0) yield* send(at)
          else if (step === "stop") yield* Effect.forkChild(Effect.ignore(some(at).chats.stop(id)))
          else if (step === "move") yield* Effect.forkChild(fleet.move(id, some(at).node))
          else if (step === "freeze") fleet.steal(id, some(at).node)
          else if (step === "kill" && alive.size > 1) {
            const victim = some(at)
            if (victim === last) continue
            alive.delete(victim)
            yield* fleet.kill(victim.node)
          } else if (step === "lose") fleet.way.arrives = () => []
          else if (step === "wait") yield* Effect.andThen(TestClock.adjust("700 millis"), settle)
        }
        for (let at = 0; at < 30; at++) yield* Effect.andThen(settle, TestClock.adjust("1 second"))
        for (const fiber of sending) yield* Fiber.join(fiber)
        const chat = (yield* fleet.store.get(id)) ?? assert.fail("no chat")
        assert.isAtMost(made.calls, check(chat, sent))
        assert.deepStrictEqual(read, Array.from({ length: chat.lastSeq }, (_, at) => at + 1))
        yield* Fiber.interrupt(listener)
      })),
    { arbitrary: { runs: 8 } }
  )
})
