import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { ChatChange } from "../../src/chats/ChatNews.ts"
import { brief, message, settle, until } from "../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../support/Scripted.ts"
import * as SimulatedFleet from "../support/SimulatedFleet.ts"

/** A tool that says when it runs, and ends when a test says so. */
const waiting = Effect.gen(function*() {
  const may = yield* Deferred.make<void>()
  const began = { times: 0 }
  const waits = tool("a_wait", () =>
    Effect.andThen(
      Effect.sync(() => void began.times++),
      Effect.as(Deferred.await(may), ToolResult.success("waited"))
    ))
  return { may, began, waits }
})

/** Two nodes, and a chat at the first. */
const two = (
  answers: Parameters<typeof model>[0],
  more: Partial<Parameters<SimulatedFleet.SimulatedFleet["start"]>[1]> = {}
) =>
  Effect.gen(function*() {
    const fleet = yield* SimulatedFleet.make
    const { asked, model: m } = yield* model(answers)
    const setup = { models: { m }, environment: "m", ...more }
    const one = yield* fleet.start("one", setup)
    const other = yield* fleet.start("other", setup)
    const { id } = yield* one.chats.create({ agent: null, model: null })
    fleet.place(id, one.node)
    return { fleet, one, other, id, asked }
  })

const seconds = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.andThen(TestClock.adjust("1 second"), settle), {
    discard: true
  })

const partsOf = (fleet: SimulatedFleet.SimulatedFleet, id: string) => Effect.map(fleet.store.parts(id, 0, 1000), brief)

describe("The chats of a fleet", () => {
  it.effect("show at any node what another one runs, as it comes", () =>
    Effect.gen(function*() {
      const { may, waits } = yield* waiting
      const { id, one, other } = yield* two([
        [...says("hello"), calls("c", "a_wait"), finish("tool-calls")],
        [...says("bye"), finish()]
      ], { builtIn: [waits] })
      const listener = yield* Effect.forkChild(until(other.chats, id, 1))
      yield* one.chats.send(id, message("go"))
      yield* settle
      assert.strictEqual((yield* other.chats.summary(id)).running, 1)
      yield* Deferred.succeed(may, undefined)
      yield* settle
      // No time passed: the nodes told each other.
      assert.deepStrictEqual(brief(yield* Fiber.join(listener)), [
        "1 hello",
        "1 tool-call",
        "1 waited",
        "1 bye",
        "1 stop"
      ])
    }))

  it.effect("run a message at the chat's node, whichever was asked", () =>
    Effect.gen(function*() {
      const { id, other } = yield* two([[...says("hello"), finish()]])
      const sent = yield* other.chats.send(id, message("go"))
      assert.deepStrictEqual(sent, { turn: 1, queued: false, after: 0 })
      assert.deepStrictEqual(brief(yield* until(other.chats, id, 1)), ["1 hello", "1 stop"])
    }))

  it.effect("count as those of one person, at whichever node they are, and any node says that a limit is reached", () =>
    Effect.gen(function*() {
      const { fleet, id, one, other } = yield* two([Stream.never], {
        spending: { turnsOf: () => Effect.succeed(1) }
      })
      const { id: second } = yield* other.chats.create({ agent: null, model: null })
      fleet.place(second, other.node)
      yield* one.chats.send(id, message("go"))
      const refused = yield* Effect.flip(one.chats.send(second, message("go")))
      assert.strictEqual(
        `${refused._tag}: ${refused.message}`,
        "TurnsAtOnce: 1 of your chats have a turn that has not ended, and 1 may at once"
      )
      yield* one.chats.stop(id)
    }))

  it.effect("keep a message that comes twice with one key once, also by two nodes at the same time", () =>
    Effect.gen(function*() {
      const { id, one, other } = yield* two([[...says("hello"), finish()]])
      const sent = yield* Effect.all([
        one.chats.send(id, message("go", { key: "k" })),
        other.chats.send(id, message("go", { key: "k" }))
      ], { concurrency: 2 })
      assert.deepStrictEqual(sent.map(({ turn }) => turn), [1, 1])
      assert.strictEqual((yield* other.chats.sent(id, "k"))?.turn, 1)
      yield* seconds(2)
      assert.lengthOf((yield* one.chats.get(id)).turns, 1)
    }))

  it.effect("are mended by another node when theirs dies, which goes on with what waits, each message once", () =>
    Effect.gen(function*() {
      const { began, waits } = yield* waiting
      const { fleet, id, one, other } = yield* two([
        [...says("begun"), calls("c", "a_wait"), finish("tool-calls")],
        [...says("second"), finish()],
        [...says("third"), finish()]
      ], { builtIn: [waits] })
      const listener = yield* Effect.forkChild(until(other.chats, id, 3))
      yield* one.chats.send(id, message("one"))
      yield* one.chats.send(id, message("two"))
      yield* other.chats.send(id, message("three"))
      yield* settle
      yield* fleet.kill(one.node)
      yield* seconds(3)
      const lost =
        "1 a_wait has no result: the chat server ended before it finished, so it may or may not have been done"
      const all = ["1 begun", "1 tool-call", lost, "1 interrupted", "2 second", "2 stop", "3 third", "3 stop"]
      assert.deepStrictEqual(brief(yield* Fiber.join(listener)), all)
      assert.deepStrictEqual(yield* partsOf(fleet, id), all)
      assert.strictEqual(began.times, 1)
    }))

  it.effect("answer a message whose node dies before it answered, once", () =>
    Effect.gen(function*() {
      const { fleet, id, one, other } = yield* two([[...says("hello"), finish()], [...says("twice"), finish()]])
      // The first node keeps the message and dies before it says so.
      const sending = yield* Effect.forkChild(other.chats.send(id, message("go")))
      yield* Effect.yieldNow
      yield* fleet.kill(one.node)
      yield* seconds(3)
      assert.strictEqual((yield* Fiber.join(sending)).turn, 1)
      const turns = (yield* other.chats.get(id)).turns
      assert.lengthOf(turns, 1)
      assert.deepStrictEqual(turns[0]?.parts.filter(({ type }) => type === "finish").length, 1)
    }))

  it.effect("cannot be written by a node that was frozen while another one took them, and it calls no tool", () =>
    Effect.gen(function*() {
      const thaws = yield* Deferred.make<void>()
      const frozen = Stream.concat(
        Stream.fromIterable(says("before")),
        Stream.unwrap(Effect.as(
          Deferred.await(thaws),
          Stream.fromIterable([calls("c", "a_wait"), finish("tool-calls")])
        ))
      )
      const { began, waits } = yield* waiting
      const { fleet, id, one, other } = yield* two([frozen, [...says("after"), finish()]], { builtIn: [waits] })
      yield* one.chats.send(id, message("one"))
      yield* one.chats.send(id, message("two"))
      yield* settle
      fleet.steal(id, other.node)
      yield* seconds(2)
      const all = ["1 before", "1 interrupted", "2 after", "2 stop"]
      assert.deepStrictEqual(yield* partsOf(fleet, id), all)
      yield* Deferred.succeed(thaws, undefined)
      yield* seconds(3)
      assert.deepStrictEqual(yield* partsOf(fleet, id), all)
      assert.strictEqual(began.times, 0)
    }))

  it.effect("go to another node in good order: a turn that ran is interrupted there, and the queue goes on", () =>
    Effect.gen(function*() {
      const { waits } = yield* waiting
      const { fleet, id, one, other } = yield* two([
        [...says("begun"), calls("c", "a_wait"), finish("tool-calls")],
        [...says("second"), finish()]
      ], { builtIn: [waits] })
      yield* one.chats.send(id, message("one"))
      yield* one.chats.send(id, message("two"))
      yield* settle
      yield* fleet.move(id, other.node)
      yield* seconds(2)
      const last = (yield* partsOf(fleet, id)).slice(-3)
      assert.deepStrictEqual(last, ["1 interrupted", "2 second", "2 stop"])
    }))

  it.effect("end a turn where it has just begun when they go to another node, which goes on with the queue", () =>
    Effect.gen(function*() {
      const { may, waits } = yield* waiting
      const { fleet, id, one, other } = yield* two([
        [...says("begun"), calls("c", "a_wait"), finish("tool-calls")],
        [...says("done"), finish()],
        [...says("second"), finish()]
      ], { builtIn: [waits] })
      fleet.way.isWorkLate = true
      yield* one.chats.send(id, message("one"))
      yield* one.chats.send(id, message("two"))
      yield* settle
      const moving = yield* Effect.forkChild(fleet.move(id, other.node))
      yield* seconds(2)
      yield* Deferred.succeed(may, undefined)
      yield* Fiber.join(moving)
      fleet.way.isWorkLate = false
      yield* seconds(2)
      const all = ["1 begun", "1 tool-call", "1 waited", "1 done", "1 stop", "2 second", "2 stop"]
      assert.deepStrictEqual(yield* partsOf(fleet, id), all)
    }))

  it.effect("take an answer to an approval at any node, also after the chat went to another", () =>
    Effect.gen(function*() {
      const { fleet, id, one, other } = yield* two([
        [calls("c", "a_write"), finish("tool-calls")],
        [...says("written"), finish()]
      ], { writers: [{ ...tool("a_write"), server: null, class: "writes" }], permissions: () => `{ "write": "ask" }` })
      yield* one.chats.send(id, message("go"))
      const [asked] = yield* Effect.repeat(Effect.andThen(settle, other.approvals.pending), {
        until: (pending) => pending.length > 0
      })
      assert.strictEqual(asked?.chat, id)
      assert.strictEqual((yield* other.chats.list)[0]?.approvals, 1)
      yield* fleet.kill(one.node)
      yield* seconds(2)
      yield* other.approvals.answer(id, asked?.id ?? "", { decision: "once" })
      yield* settle
      const all = yield* partsOf(fleet, id)
      assert.deepStrictEqual(all.slice(-2), ["1 written", "1 stop"])
      assert.strictEqual(all.filter((part) => part === "1 approval").length, 1)
    }))

  it.effect("are stopped from any node", () =>
    Effect.gen(function*() {
      const { waits } = yield* waiting
      const { fleet, id, other } = yield* two([
        [...says("begun"), calls("c", "a_wait"), finish("tool-calls")]
      ], { builtIn: [waits] })
      yield* other.chats.send(id, message("one"))
      yield* settle
      yield* other.chats.stop(id)
      assert.strictEqual((yield* partsOf(fleet, id)).at(-1), "1 stopped")
    }))

  it.effect("tell every node's lists of a change, and within seconds also where nobody is told", () =>
    Effect.gen(function*() {
      const { fleet, id, one, other } = yield* two([[...says("hello"), finish()]])
      const seen: Array<string> = []
      const see = (change: ChatChange) =>
        Effect.sync(() => void seen.push(change.type === "chat" ? change.chat.title : "removed"))
      yield* Effect.forkChild(Stream.runForEach(other.chats.changes, see))
      yield* settle
      yield* one.chats.update(id, { title: "first" })
      yield* TestClock.adjust("200 millis")
      yield* settle
      assert.deepStrictEqual(seen, ["first"])
      fleet.way.arrives = () => []
      yield* one.chats.update(id, { title: "second" })
      yield* seconds(6)
      assert.deepStrictEqual(seen, ["first", "second"])
      yield* other.chats.remove(id)
      yield* seconds(6)
      assert.strictEqual(seen.at(-1), "removed")
    }))

  it.effect("are nobody else's at any node", () =>
    Effect.gen(function*() {
      const { id, other } = yield* two([])
      const bob = other.of({ id: "bob", name: "Bob", role: "member", groups: [] }).chats
      assert.strictEqual((yield* Effect.flip(bob.send(id, message("hi"))))._tag, "UnknownChat")
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(bob.events(id, 0))))._tag, "UnknownChat")
      assert.deepStrictEqual(yield* bob.list, [])
    }))
})
