import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { ToolApprovals } from "../../../src/asking/ToolApprovals.ts"
import type { TurnPart } from "../../../src/model/Part.ts"
import { ChatStoreFailed } from "../../../src/store/ChatStore.ts"
import { brief, copied, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import * as Scripted from "../../support/Scripted.ts"
import { calls, finish, model, says, tool } from "../../support/Scripted.ts"

const approval = (call: string): TurnPart => ({
  type: "approval",
  id: `ask-${call}`,
  call,
  name: "a_write",
  server: "a",
  tool: "write",
  isTrusted: true,
  args: {},
  annotations: {}
})

/** Every call asks, and nobody answers. */
const nobodyAnswers: Partial<typeof ToolApprovals.Service> = {
  guard: ({ emit }) => (tools) =>
    tools.map((one) => ({
      ...one,
      run: (_, options) => Effect.andThen(emit(approval(options?.callId ?? "")), Effect.never)
    }))
}

const closed = Effect.fnUntraced(function*(close: Effect.Effect<void>) {
  const closing = yield* Effect.forkChild(close)
  yield* TestClock.adjust("5 seconds")
  yield* Fiber.join(closing)
})

describe("After a restart", () => {
  it.effect("messages that waited are answered, in their order", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const { model: m } = yield* model([Stream.never, ...["two", "three"].map((text) => [...says(text), finish()])])
      const first = yield* start({ models: { m }, environment: "m", store })
      const { id } = yield* first.chats.create({ agent: null, model: null })
      for (const text of ["1", "2", "3"]) yield* first.chats.send(id, message(text))
      yield* settle
      yield* closed(first.close)
      assert.deepStrictEqual((yield* first.chats.get(id)).turns.map(({ state }) => state), [
        "ended",
        "waiting",
        "waiting"
      ])
      const { chats } = yield* start({ models: { m }, environment: "m", store })
      const parts = yield* until(chats, id, 3)
      assert.deepStrictEqual(brief(parts), ["1 interrupted", "2 two", "2 stop", "3 three", "3 stop"])
      assert.deepStrictEqual(parts.map(({ seq }) => seq), [1, 2, 3, 4, 5])
    }))

  it.effect("a turn that was killed has all that was shown, an error for its open call, and an end", () =>
    Effect.gen(function*() {
      const before = yield* newStore
      const { model: m } = yield* model([[...says("I write"), calls("c", "a_write"), finish("tool-calls")]])
      const running = yield* start({
        models: { m },
        environment: "m",
        store: before,
        builtIn: [tool("a_write", () => Effect.never)]
      })
      const { id } = yield* running.chats.create({ agent: null, model: null })
      yield* running.chats.send(id, message("go"))
      yield* settle
      const store = yield* copied(before)
      const { chats } = yield* start({ models: { m }, environment: "m", store })
      const chat = yield* chats.get(id)
      assert.deepStrictEqual(brief(chat.turns[0]?.parts ?? []), [
        "1 I write",
        "1 tool-call",
        "1 a_write has no result: the chat server ended before it finished, so it may or may not have been done",
        "1 interrupted"
      ])
      assert.strictEqual(chat.turns[0]?.state, "ended")
      assert.deepStrictEqual(yield* store.unfinished, [])
      yield* closed(running.close)
    }))

  it.effect("a turn that waits for a person goes on where it was, whether the program was ended or killed", () =>
    Effect.gen(function*() {
      const before = yield* newStore
      const { model: m } = yield* model([[...says("I write"), calls("c", "a_write"), finish("tool-calls")]])
      const writes = tool("a_write", () => Effect.succeed(ToolResult.success("written")))
      const asking = yield* start({
        models: { m },
        environment: "m",
        store: before,
        builtIn: [writes],
        approvals: nobodyAnswers
      })
      const { id } = yield* asking.chats.create({ agent: null, model: null })
      yield* asking.chats.send(id, message("go"))
      yield* asking.chats.send(id, message("then this"))
      yield* settle
      assert.deepInclude((yield* asking.chats.list)[0], { running: 1, waiting: 1, approvals: 1 })
      const killed = yield* copied(before)
      yield* closed(asking.close)
      for (const store of [before, killed]) {
        const { asked, model: after } = yield* model([[...says("done"), finish()], [...says("next"), finish()]])
        const { chats } = yield* start({ models: { m: after }, environment: "m", store, builtIn: [writes] })
        const parts = yield* until(chats, id, 2)
        assert.deepStrictEqual(brief(parts), [
          "1 I write",
          "1 tool-call",
          "1 approval",
          "1 written",
          "1 done",
          "1 stop",
          "2 next",
          "2 stop"
        ])
        assert.deepStrictEqual(Scripted.outline(asked[0]?.prompt.content ?? []).slice(1, 4), [
          "user \"go\"",
          "assistant \"I write\", call c a_write",
          "tool result c written"
        ])
        assert.deepInclude((yield* chats.list)[0], { running: null, waiting: 0, approvals: 0 })
      }
    }))

  it.effect("what a turn used before counts, whether it goes on or was interrupted", () =>
    Effect.gen(function*() {
      const before = yield* newStore
      const { model: m } = yield* model([
        [calls("a", "a_read"), finish("tool-calls", 10, 1)],
        [calls("c", "a_write"), finish("tool-calls", 20, 2)]
      ])
      const reads = tool("a_read", () => Effect.succeed(ToolResult.success("read")))
      const writes = tool("a_write", () => Effect.succeed(ToolResult.success("written")))
      const asking: Partial<typeof ToolApprovals.Service> = {
        guard: (turn) => (tools) =>
          tools.map((one) => one.name === "a_write" ? nobodyAnswers.guard?.(turn)([one])[0] ?? one : one)
      }
      const running = yield* start({
        models: { m },
        environment: "m",
        store: before,
        builtIn: [reads, writes],
        approvals: asking
      })
      const { id } = yield* running.chats.create({ agent: null, model: null })
      yield* running.chats.send(id, message("go"))
      yield* settle
      assert.deepInclude((yield* running.chats.get(id)).usage, { inputTokens: 30, outputTokens: 3 }, "while it runs")
      const [waiting, answered] = yield* Effect.all([copied(before), copied(before)])
      const parts = yield* answered.parts(id, 0, 100)
      const answer = { type: "approval-answer", id: "ask-c", decision: "once", reason: null } as const
      yield* answered.append(id, [{ ...answer, seq: parts.length + 1, turn: 1 }])
      yield* closed(running.close)
      const ends = yield* Effect.forEach([waiting, answered], (store) =>
        Effect.gen(function*() {
          const { model: after } = yield* model([[...says("done"), finish("stop", 40, 4)]])
          const { chats } = yield* start({ models: { m: after }, environment: "m", store, builtIn: [reads, writes] })
          const end = (yield* until(chats, id, 1)).at(-1)
          assert.deepStrictEqual((yield* chats.get(id)).usage, end?.type === "finish" ? end.usage : null)
          return end?.type === "finish" ? [end.reason, end.usage.inputTokens, end.usage.outputTokens] : []
        }))
      assert.deepStrictEqual(ends, [["stop", 70, 7], ["interrupted", 30, 3]])
    }))

  it.effect("a chat whose turn another program runs is refused with words, and nothing is written to it", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const { model: m } = yield* model([Stream.never])
      const running = yield* start({ models: { m }, environment: "m", store })
      const { id } = yield* running.chats.create({ agent: null, model: null })
      for (const text of ["1", "2"]) yield* running.chats.send(id, message(text))
      yield* settle
      const taken = new ChatStoreFailed({ operation: "claim", why: "another BooCode goes on with it" })
      const written: Array<string> = []
      const write = (name: string) => () => Effect.sync(() => void written.push(name))
      const { chats } = yield* start({
        models: { m },
        environment: "m",
        store: {
          ...store,
          unfinished: Effect.succeed([]),
          claim: () => taken,
          put: write("put"),
          putTurn: write("putTurn"),
          removeTurn: write("removeTurn"),
          append: write("append"),
          remove: write("remove")
        }
      })
      const asked: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        chats.summary(id),
        chats.send(id, message("3")),
        chats.stop(id),
        chats.drop(id, 2),
        chats.update(id, { title: "mine" }),
        chats.remove(id),
        Stream.runDrain(chats.events(id, 0))
      ]
      for (const one of asked) assert.strictEqual(yield* Effect.flip(one), taken)
      assert.deepStrictEqual(written, [])
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ state }) => state), ["running", "waiting"])
      yield* closed(running.close)
    }))

  it.effect("a message whose kept part is only that it takes another's place counts as never sent", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const { asked, model: m } = yield* model([[...says("yes"), finish()], [finish()]])
      const first = yield* start({ models: { m }, environment: "m", store })
      const { id } = yield* first.chats.create({ agent: null, model: null })
      yield* first.chats.send(id, message("one"))
      yield* until(first.chats, id, 1)
      yield* first.close
      const { parts: _, ...turn } = (yield* store.get(id))?.turns[0] ?? assert.fail("no turn")
      yield* store.putTurn(id, { ...turn, replacedBy: 2 })
      const { chats } = yield* start({ models: { m }, environment: "m", store })
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2)
      assert.include(Scripted.outline(asked[1]?.prompt.content ?? []), "user \"one\"")
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ replacedBy }) => replacedBy), [null, null])
    }))
})
