import { nobody } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { HostChange } from "../../src/asking/HostQuestions.ts"
import type { Part } from "../../src/model/Part.ts"
import { asking, elicits, FORM, VISIT } from "../support/Asked.ts"
import { newStore, settle } from "../support/Chatting.ts"

const types = (parts: ReadonlyArray<Part>) => parts.map(({ type }) => type)

const resultOf = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "tool-result" ? [part.text] : [])

const answersOf = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "question-answer" ? [[part.action, part.reason]] : [])

describe("Questions", () => {
  it.effect("a form is shown in its chat, says which fields do not fit, and takes one answer, its defaults included", () =>
    Effect.gen(function*() {
      const { chats, ended, open, questions, reply } = yield* asking({ ask: elicits(FORM) })
      const [question] = yield* open
      assert.deepInclude(question, {
        call: "c",
        server: "a",
        isTrusted: false,
        kind: "form",
        message: "Who are you?",
        expiresAt: "1970-01-01T00:05:00.000Z"
      })
      assert.deepInclude((yield* chats.list)[0], { running: 1, questions: 1, approvals: 0 })

      const refused = yield* Effect.flip(reply({ action: "accept", content: { name: "x", age: 3 } }))
      assert.deepStrictEqual(refused._tag === "UnusableAnswer" ? refused.problems.map(({ field }) => field) : [], [
        "age",
        "name"
      ])
      yield* reply({ action: "accept", content: { name: "Ada" } })
      const late = yield* Effect.flip(questions.reply(question?.id ?? "", { action: "decline" }))
      assert.deepInclude(late, { _tag: "QuestionClosed", action: "accept" })

      const parts = yield* ended
      assert.deepStrictEqual(types(parts), [
        "tool-call",
        "question",
        "question-answer",
        "tool-result",
        "text-delta",
        "finish"
      ])
      const content = { name: "Ada", size: "m" }
      assert.deepStrictEqual(resultOf(parts), [JSON.stringify({ action: "accept", content })])
      assert.deepStrictEqual(parts.flatMap((part) => part.type === "question-answer" ? [part.content] : []), [content])
      assert.deepInclude((yield* chats.list)[0], { running: null, questions: 0 })
    }))

  it.effect("an address is visited or not, and a no is a no", () =>
    Effect.gen(function*() {
      for (const action of ["accept", "decline", "cancel"] as const) {
        const { ended, open, reply } = yield* asking({ ask: elicits(VISIT) })
        assert.deepInclude((yield* open)[0], { kind: "url", url: "https://example.com/sign?x=1", schema: null })
        yield* reply({ action, content: { ignored: true } })
        const expected = action === "accept" ? { action, content: null } : { action }
        assert.deepStrictEqual(resultOf(yield* ended), [JSON.stringify(expected)])
      }
    }))

  it.effect("nobody's answer within 5 minutes is told, and the server reads that it was cancelled", () =>
    Effect.gen(function*() {
      const { ended, open } = yield* asking({ ask: elicits(FORM) })
      yield* TestClock.adjust("299 seconds")
      assert.lengthOf(yield* open, 1)
      yield* TestClock.adjust("1 second")
      const parts = yield* ended
      assert.deepStrictEqual(answersOf(parts), [["expired", "nobody answered within 5 minutes"]])
      assert.deepStrictEqual(resultOf(parts), ["{\"action\":\"cancel\"}"])
    }))

  it.effect("a turn that is stopped cancels its question before it ends, says so, and takes no answer any more", () =>
    Effect.gen(function*() {
      const { chats, ended, id, open, questions } = yield* asking({ ask: elicits(FORM) })
      const [question] = yield* open
      yield* chats.stop(id)
      const parts = yield* ended
      assert.deepStrictEqual(types(parts), ["tool-call", "question", "question-answer", "tool-result", "finish"])
      assert.deepStrictEqual(answersOf(parts), [["cancel", "you stopped the answer"]])
      const late = yield* Effect.flip(questions.reply(question?.id ?? "", { action: "accept", content: {} }))
      assert.deepInclude(late, { _tag: "QuestionClosed", action: "cancel" })
      assert.deepStrictEqual(yield* open, [])
      const strange = yield* Effect.flip(questions.reply("x", { action: "accept" }))
      assert.strictEqual(strange._tag, "UnknownQuestion")
    }))

  it.effect("a question that its server takes back is cancelled, and one it asks after the call is told to nobody", () =>
    Effect.gen(function*() {
      let after: Effect.Effect<unknown> = Effect.void
      const { chats, ended, open } = yield* asking({
        ask: (asker) => {
          after = asker.elicit(FORM)
          const given = Effect.andThen(Effect.timeoutOption(asker.elicit(FORM), "1 second"), Effect.sleep("1 second"))
          return Effect.as(given, "went on")
        }
      })
      assert.lengthOf(yield* open, 1)
      yield* TestClock.adjust("1 second")
      assert.deepInclude((yield* chats.list)[0], { running: 1, questions: 0 })
      yield* TestClock.adjust("1 second")
      const parts = yield* ended
      assert.deepStrictEqual(answersOf(parts), [["cancel", "the server took it back"]])
      assert.deepStrictEqual(resultOf(parts), ["went on"])
      assert.deepStrictEqual(yield* after, { action: "cancel" })
      assert.deepStrictEqual(types(yield* ended), types(parts))
    }))

  it.effect("what may belong to any call of a turn is asked in its chat, and ends with the last of them", () =>
    Effect.gen(function*() {
      const { ended, id, open } = yield* asking({
        ask: (asker) =>
          Effect.forkDetach((asker.shared ?? nobody).elicit(VISIT), { startImmediately: true }).pipe(
            Effect.andThen(Effect.sleep("1 second")),
            Effect.as("over")
          )
      })
      assert.deepInclude((yield* open)[0], { chat: id, call: null })
      yield* TestClock.adjust("1 second")
      const parts = yield* ended
      assert.deepStrictEqual(answersOf(parts), [["cancel", "the call is over"]])
      assert.deepStrictEqual(types(parts).slice(-4, -2), ["question-answer", "tool-result"])
    }))

  it.effect("the next start of a killed program cancels the question that it left open (Recovery)", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const killed = yield* asking({ ask: elicits(FORM), store })
      assert.lengthOf(yield* killed.open, 1)
      const parts = yield* store.parts(killed.id, 0, 100)
      const again = yield* newStore
      const before = (yield* store.get(killed.id)) ?? assert.fail("no chat")
      yield* again.put(before.record)
      for (const { parts: _, ...turn } of before.turns) yield* again.putTurn(killed.id, turn)
      yield* again.append(killed.id, parts)
      const { chats, id, open } = yield* asking({ ask: elicits(FORM), store: again })
      const { questions, turns } = yield* chats.get(killed.id)
      assert.strictEqual(questions, 0)
      assert.deepStrictEqual(types(turns[0]?.parts ?? []), [
        "tool-call",
        "question",
        "question-answer",
        "tool-result",
        "finish"
      ])
      assert.deepStrictEqual(answersOf(turns[0]?.parts ?? []), [
        ["cancel", "the chat server ended before it was answered"]
      ])
      // The one of the new chat alone.
      assert.deepStrictEqual((yield* open).map(({ chat }) => chat), [id])
      yield* chats.stop(id)
      yield* killed.chats.stop(killed.id)
    }))

  it.effect("outside chats a question goes to who listens, also to who comes later, and its end is told", () =>
    Effect.gen(function*() {
      const { questions } = yield* asking({ ask: () => Effect.succeed("") })
      const heard: Array<HostChange> = []
      yield* Effect.forkChild(Stream.runForEach(questions.changes, (change) => Effect.sync(() => heard.push(change))))
      yield* settle
      const call = yield* Effect.forkChild(questions.host.elicit(VISIT), { startImmediately: true })
      yield* settle
      const [question] = yield* questions.open
      assert.deepInclude(question, { chat: null, call: null, server: "a" })
      const [snapshot] = yield* Stream.runCollect(Stream.take(questions.changes, 1))
      assert.deepStrictEqual(snapshot, heard[0])
      yield* questions.reply(question?.id ?? "", { action: "accept" })
      assert.deepStrictEqual(yield* Fiber.join(call), { action: "accept", content: null })
      yield* settle
      assert.deepStrictEqual(heard.map(({ id, type }) => [type, id]), [
        ["question", question?.id],
        ["question-answer", question?.id]
      ])
    }))

  it.effect("outside chats the answer becomes no when who listened is gone for 30 s, and waits for a page that is loaded again", () =>
    Effect.gen(function*() {
      const { questions } = yield* asking({ ask: () => Effect.succeed("") })
      const listen = Effect.tap(Effect.forkChild(Stream.runDrain(questions.changes)), () => settle)
      const first = yield* listen
      const call = yield* Effect.forkChild(questions.host.elicit(VISIT), { startImmediately: true })
      yield* settle
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("29 seconds")
      const again = yield* listen
      yield* TestClock.adjust("2 minutes")
      assert.lengthOf((yield* questions.open).filter(({ chat }) => chat === null), 1)
      yield* Fiber.interrupt(again)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* Fiber.join(call), { action: "decline" })
      assert.deepStrictEqual((yield* questions.open).filter(({ chat }) => chat === null), [])
    }))

  it.effect("outside chats the answer is no where nobody listens, after 2 s for a page that is just loading", () =>
    Effect.gen(function*() {
      const { questions } = yield* asking({ ask: () => Effect.succeed("") })
      const alone = yield* Effect.forkChild(questions.host.elicit(VISIT), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(alone), { action: "decline" })

      const late = yield* Effect.forkChild(questions.host.elicit(VISIT), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const loaded = yield* Deferred.make<HostChange>()
      yield* Effect.forkChild(
        Stream.runForEach(questions.changes, (change) => Deferred.succeed(loaded, change))
      )
      const question = yield* Deferred.await(loaded)
      yield* questions.reply(question.id, { action: "decline" })
      assert.deepStrictEqual(yield* Fiber.join(late), { action: "decline" })
    }))
})
