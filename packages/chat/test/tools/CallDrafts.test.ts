import { assert, describe, it } from "@effect/vitest"
import type * as Response from "effect/ai/Response"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as CallDrafts from "../../src/tools/CallDrafts.ts"
import { message, settle, start, until } from "../support/Chatting.ts"
import { calls, finish, model, says, tool } from "../support/Scripted.ts"

type Piece = Response.StreamPartEncoded

const begins = (id: string, name = "a_write"): Piece => ({ type: "tool-params-start", id, name })
const writes = (id: string, ...deltas: ReadonlyArray<string>): ReadonlyArray<Piece> =>
  deltas.map((delta) => ({ type: "tool-params-delta", id, delta }))

/** A model that waits, within the arguments of its call, until it may go on; and what those who watch see. */
const writing = Effect.fnUntraced(function*(before: ReadonlyArray<Piece>, after: ReadonlyArray<Piece>) {
  const gate = yield* Deferred.make<void>()
  const { model: m } = yield* model([
    Stream.concat(
      Stream.fromIterable(before),
      Stream.unwrap(Effect.as(Deferred.await(gate), Stream.fromIterable(after)))
    ),
    [...says("done"), finish()]
  ])
  const program = yield* start({ models: { m }, environment: "m", builtIn: [tool("a_write")] })
  const { chats } = program
  const { id } = yield* chats.create({ agent: null, model: null })
  const seen: Array<CallDrafts.CallDraft> = []
  const watching = yield* Effect.forkChild(
    Stream.runForEach(chats.drafts(id), (draft) => Effect.sync(() => void seen.push(draft)))
  )
  yield* chats.send(id, message("go"))
  yield* settle
  yield* TestClock.adjust("1 second")
  return { ...program, id, seen, watching, goOn: Deferred.succeed(gate, undefined) }
})

describe("CallDrafts", () => {
  it.effect("shows those who watch what a model writes of a call, under the id that the call gets, and keeps none of it", () =>
    Effect.gen(function*() {
      const { chats, goOn, id, seen, watching } = yield* writing(
        [begins("c.1"), ...writes("c.1", "{\"te", "xt\":\"on")],
        [...writes("c.1", "e\"}"), calls("c.1", "a_write", { text: "one" }), finish("tool-calls")]
      )
      const about = { type: "tool-draft", turn: 1, id: "c_1", name: "a_write", server: "a" }
      assert.deepStrictEqual(seen, [{ ...about, at: 0, text: "{\"text\":\"on" } as CallDrafts.CallDraft])
      assert.deepInclude(yield* chats.draft(id, "c_1"), { name: "a_write", server: "a" })
      const late = yield* Effect.forkChild(Stream.runHead(chats.drafts(id)))
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* Fiber.join(late))._tag, "Some")
      yield* goOn
      const parts = yield* until(chats, id, 1)
      assert.isNull(yield* chats.draft(id, "c_1"))
      assert.deepStrictEqual(parts.map((part) => part.type === "tool-call" ? part.id : part.type), [
        "c_1",
        "tool-result",
        "text-delta",
        "finish"
      ])
      yield* Fiber.interrupt(watching)
    }))

  it.effect("gives up a call whose answer broke off, so that its id is free for the next attempt", () =>
    Effect.gen(function*() {
      const { chats, goOn, id } = yield* writing([begins("c"), ...writes("c", "{\"a\":")], [finish("error")])
      assert.isNotNull(yield* chats.draft(id, "c"))
      yield* goOn
      yield* settle
      yield* TestClock.adjust("5 minutes")
      const parts = yield* until(chats, id, 1)
      assert.isNull(yield* chats.draft(id, "c"))
      assert.notInclude(parts.map(({ type }) => type), "tool-call")
    }))

  it.effect("joins pieces that come within some 75 ms, so that a megabyte in single characters is a few events", () =>
    Effect.gen(function*() {
      const drafts = CallDrafts.make()
      const seen: Array<CallDrafts.CallDraft> = []
      yield* Effect.forkChild(
        Stream.runForEach(CallDrafts.events(drafts), (draft) => Effect.sync(() => void seen.push(draft)))
      )
      yield* settle
      CallDrafts.begin(drafts, { turn: 1, id: "c", name: "n", server: null })
      for (let step = 0; step < 20; step++) {
        for (let count = 0; count < 50_000; count++) CallDrafts.write(drafts, "c", "x")
        yield* settle
        yield* TestClock.adjust("100 millis")
      }
      assert.isAtMost(seen.length, 21)
      assert.strictEqual(seen.map(({ text }) => text).join("").length, CallDrafts.MOST_CHARACTERS)
      for (const text of ["more than anybody sees", "x"]) CallDrafts.write(drafts, "c", text)
      yield* settle
      yield* TestClock.adjust("100 millis")
      assert.strictEqual(seen.reduce((sum, { text }) => sum + text.length, 0), CallDrafts.MOST_CHARACTERS)
      CallDrafts.end(drafts, "c")
      assert.deepInclude(drafts, { characters: 0 })
    }))
})
