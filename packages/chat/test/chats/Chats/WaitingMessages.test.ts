import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { brief, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { agent, calls, finish, model, outline, says, tool } from "../../support/Scripted.ts"

/** A chat whose first turn is in a call that ends when the gate opens. */
const busy = Effect.fnUntraced(function*(steps = 5) {
  const gate = yield* Deferred.make<void>()
  const waits = tool("a_wait", () => Effect.as(Deferred.await(gate), ToolResult.success("waited")))
  const { asked, model: m } = yield* model([
    [calls("c", "a_wait"), finish("tool-calls")],
    ...["two", "three", "four", "five"].map((text) => [...says(text), finish()])
  ])
  const store = yield* newStore
  const program = yield* start({
    models: { m },
    environment: "m",
    builtIn: [waits],
    store,
    agents: [{ ...agent, steps }]
  })
  const { id } = yield* program.chats.create({ agent: null, model: null })
  yield* program.chats.send(id, message("one"))
  yield* settle
  return { ...program, id, store, asked, open: Deferred.succeed(gate, undefined) }
})

const prompts = (asked: Effect.Success<ReturnType<typeof busy>>["asked"]) =>
  asked.map(({ prompt }) => outline(prompt.content).slice(1))

describe("A message that waits", () => {
  it.effect("that is sent now is read by the running turn at its next step, and its own turn ends with `joined`", () =>
    Effect.gen(function*() {
      const { asked, chats, id, open } = yield* busy()
      yield* chats.send(id, message("first"))
      yield* chats.send(id, message("now", { key: "k" }))
      yield* chats.hurry(id, 3)
      yield* open
      const parts = yield* until(chats, id, 2)
      assert.deepStrictEqual(brief(parts), [
        "1 tool-call",
        "1 waited",
        "1 message",
        "3 joined",
        "1 two",
        "1 stop",
        "2 three",
        "2 stop"
      ])
      assert.deepInclude(parts[2], { type: "message", from: 3, text: "now", attachments: [] })
      const one = ["user \"one\"", "assistant call c a_wait", "tool result c waited", "user \"now\""]
      assert.deepStrictEqual(prompts(asked), [
        ["user \"one\""],
        one,
        [...one, "assistant \"two\"", "user \"first\""]
      ])
      assert.deepStrictEqual(yield* chats.send(id, message("now", { key: "k" })), { turn: 3, queued: false, after: 0 })
    }))

  it.effect("that is sent now is the next turn when the running one ends first", () =>
    Effect.gen(function*() {
      const { asked, chats, id, open } = yield* busy(1)
      yield* chats.send(id, message("first"))
      yield* chats.send(id, message("now"))
      yield* chats.hurry(id, 3)
      yield* open
      yield* until(chats, id, 2)
      yield* chats.send(id, message("last"))
      yield* until(chats, id, 4)
      const turns = prompts(asked).at(-1)?.filter((line) => line.startsWith("user"))
      assert.deepStrictEqual(turns, ["user \"one\"", "user \"now\"", "user \"first\"", "user \"last\""])
    }))

  it.effect("that was sent now goes before the others after a restart as well", () =>
    Effect.gen(function*() {
      const { chats, close, id, store } = yield* busy()
      for (const text of ["first", "second", "now"]) yield* chats.send(id, message(text))
      yield* chats.hurry(id, 4)
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ hurried = false }) => hurried), [
        false,
        false,
        false,
        true
      ])
      const closing = yield* Effect.forkChild(close)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      const { model: m } = yield* model(["a", "b", "c"].map((text) => [...says(text), finish()]))
      const second = yield* start({ models: { m }, environment: "m", store })
      const parts = yield* until(second.chats, id, 3)
      assert.deepStrictEqual(brief(parts).filter((line) => line.endsWith("stop")), ["4 stop", "2 stop", "3 stop"])
    }))

  it.effect("can be given another text, and neither one that runs nor one that was taken can", () =>
    Effect.gen(function*() {
      const { asked, chats, id, open } = yield* busy()
      yield* chats.send(id, message("draft"))
      yield* chats.editWaiting(id, 2, { text: "better" })
      assert.strictEqual((yield* chats.get(id)).turns[1]?.text, "better")
      for (const refused of [chats.editWaiting(id, 1, { text: "x" }), chats.hurry(id, 1), chats.hurry(id, 9)]) {
        assert.deepInclude(yield* Effect.flip(refused), { _tag: "UnknownTurn", isWaiting: true })
      }
      yield* chats.hurry(id, 2)
      yield* open
      yield* until(chats, id, 1)
      assert.include(prompts(asked)[1] ?? [], "user \"better\"")
      assert.strictEqual((yield* Effect.flip(chats.editWaiting(id, 2, { text: "late" })))._tag, "UnknownTurn")
    }))

  it.effect("for the command mode is not read by a model, whatever it is edited to", () =>
    Effect.gen(function*() {
      const { asked, chats, id, open } = yield* busy()
      yield* chats.send(id, message("draft"))
      assert.deepInclude(yield* chats.waiting(id, 2), { text: "draft", state: "waiting" })
      yield* chats.editWaiting(id, 2, { text: "/a_wait", model: "command", agent: null })
      yield* chats.hurry(id, 2)
      yield* open
      const parts = yield* until(chats, id, 2)
      assert.deepStrictEqual(brief(parts).slice(2), ["1 two", "1 stop", "2 tool-call", "2 waited", "2 stop"])
      assert.strictEqual(asked.length, 2)
    }))

  it.effect("brings its attachments along, which later turns see again, also after a restart", () =>
    Effect.gen(function*() {
      const { asked, chats, close, id, open, store } = yield* busy()
      const data = new TextEncoder().encode("words of a file")
      yield* chats.send(
        id,
        message("read it", {
          attachments: [{ kind: "resource", name: "a.txt", mediaType: "text/plain", data, server: "s", uri: "s://a" }]
        })
      )
      yield* chats.hurry(id, 2)
      yield* open
      yield* until(chats, id, 1)
      assert.match(prompts(asked)[1]?.at(-1) ?? "", /words of a file/)
      yield* close
      const { asked: again, model: m } = yield* model([[...says("yes"), finish()]])
      const second = yield* start({ models: { m }, environment: "m", store })
      yield* second.chats.send(id, message("and now?"))
      yield* until(second.chats, id, 3)
      const lines = outline(again[0]?.prompt.content ?? [])
      assert.match(lines.find((line) => line.includes("words of a file")) ?? "", /^user .*"read it"$/s)
      assert.strictEqual(lines.filter((line) => line.includes("read it")).length, 1)
    }))

  it.effect("that was taken is not answered again when the program was killed before its turn was marked", () =>
    Effect.gen(function*() {
      const { chats, close, id, open, store } = yield* busy()
      yield* chats.send(id, message("now"))
      yield* chats.hurry(id, 2)
      yield* open
      yield* until(chats, id, 1)
      const taken = (yield* store.head(id))?.turns[1] ?? assert.fail("no turn")
      assert.strictEqual(taken.state, "ended")
      yield* close
      yield* store.putTurn(id, { ...taken, state: "waiting" })
      const { asked, model: m } = yield* model([])
      const second = yield* start({ models: { m }, environment: "m", store })
      yield* settle
      assert.deepStrictEqual(asked, [])
      assert.deepInclude(yield* second.chats.summary(id), { waiting: 0, running: null })
    }))
})

describe("A fork", () => {
  it.effect("has every turn up to the one it was made at, and goes on by itself", () =>
    Effect.gen(function*() {
      const { model: m, asked } = yield* model(["a", "b", "c", "d"].map((text) => [...says(text), finish()]))
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.update(id, { title: "Tale", folder: "Work", pinned: true, off: { servers: ["x"] } })
      for (const [index, text] of ["one", "two", "three"].entries()) {
        yield* chats.send(id, message(text, { key: text }))
        yield* until(chats, id, index + 1)
      }
      const fork = yield* chats.fork(id, 2)
      assert.deepInclude(fork, {
        title: "Tale (fork)",
        folder: "Work",
        pinned: false,
        off: { servers: ["x"], tools: [] },
        running: null
      })
      assert.deepStrictEqual(
        yield* chats.send(fork.id, message("other", { key: "three" })),
        { turn: 3, queued: false, after: 4 }
      )
      yield* until(chats, fork.id, 3)
      assert.deepStrictEqual(outline(asked.at(-1)?.prompt.content ?? []).slice(1), [
        "user \"one\"",
        "assistant \"a\"",
        "user \"two\"",
        "assistant \"b\"",
        "user \"other\""
      ])
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ text }) => text), ["one", "two", "three"])
      assert.strictEqual((yield* chats.fork(fork.id, 1)).title, "Tale (fork)")
    }))

  it.effect("can be made at an earlier version of a message, and not at a turn that runs or is not there", () =>
    Effect.gen(function*() {
      const { chats, id, open } = yield* busy()
      assert.strictEqual((yield* Effect.flip(chats.fork(id, 1)))._tag, "TurnRunning")
      assert.strictEqual((yield* Effect.flip(chats.fork(id, 2)))._tag, "UnknownTurn")
      yield* open
      yield* until(chats, id, 1)
      yield* chats.send(id, message("better", { replaces: 1 }))
      yield* until(chats, id, 2)
      const fork = yield* chats.fork(id, 1)
      assert.deepStrictEqual((yield* chats.get(fork.id)).turns.map(({ replacedBy, text }) => [text, replacedBy]), [
        ["one", null]
      ])
    }))

  it.effect("has the messages that its turns took, with their attachments", () =>
    Effect.gen(function*() {
      const { chats, id, open } = yield* busy()
      const data = new Uint8Array([1, 2, 3])
      yield* chats.send(
        id,
        message("read it", {
          attachments: [{ kind: "resource", name: "a", mediaType: "text/plain", data, server: null, uri: null }]
        })
      )
      yield* chats.hurry(id, 2)
      yield* open
      yield* until(chats, id, 1)
      const fork = yield* chats.fork(id, 1)
      assert.deepStrictEqual((yield* chats.file(fork.id, "2-1")).data, data)
      assert.deepStrictEqual(brief((yield* chats.get(fork.id)).turns.flatMap(({ parts }) => parts)), [
        "1 tool-call",
        "1 waited",
        "1 message",
        "1 two",
        "1 stop",
        "2 joined"
      ])
    }))
})
