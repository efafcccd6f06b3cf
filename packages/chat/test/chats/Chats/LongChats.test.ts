import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as TokenCount from "../../../src/history/TokenCount.ts"
import type { Part } from "../../../src/model/Part.ts"
import type { OwnChats } from "../../support/AsPerson.ts"
import { message, newStore, settle, start, until } from "../../support/Chatting.ts"
import { promptFaults } from "../../support/HistoryRules.ts"
import { calls, finish, outline, says, tool } from "../../support/Scripted.ts"

/** The room for a request of these models: three quarters of 8,000. */
const CONTEXT = 8000
const ROOM = 6000

type Answer = Stream.Stream<Response.StreamPartEncoded, AiError.AiError>

const isSummary = (prompt: Prompt.Prompt) =>
  outline(prompt.content)[0]?.startsWith("system You write the note") === true

/** A model that calls a tool once a turn, says so many words, and sums up as `note` says. */
const talking = Effect.fnUntraced(function*(note: (text: string) => Answer) {
  const asked: Array<Prompt.Prompt> = []
  const notes: Array<string> = []
  const sizes = { answer: 300 }
  const m = yield* LanguageModel.make({
    generateText: () => Effect.die("not used"),
    streamText: ({ prompt }) =>
      Stream.suspend((): Answer => {
        if (isSummary(prompt)) {
          const text = outline(prompt.content).join("\n")
          notes.push(text)
          return note(text)
        }
        asked.push(prompt)
        const last = prompt.content.at(-1)
        return Stream.fromIterable(
          last?.role === "tool"
            ? [...says("word ".repeat(sizes.answer)), finish()]
            : [calls(`c${asked.length}`, "a_look"), finish("tool-calls")]
        )
      })
  })
  return { model: m, asked, notes, sizes }
})

const noted = (text: string): Answer => Stream.fromIterable([...says(text), finish("stop", 100, 10)])

const looks = tool("a_look", () => Effect.succeed(ToolResult.success("seen ".repeat(100))))

const setup = (model: LanguageModel.LanguageModel) => ({
  models: { m: model },
  environment: "m",
  builtIn: [looks],
  facts: { contextTokens: CONTEXT }
})

const say = Effect.fnUntraced(function*(chats: OwnChats, id: string, text: string) {
  const { turn } = yield* chats.send(id, message(text))
  yield* until(chats, id, turn)
  return turn
})

type SummaryPart = Extract<Part, { readonly type: "summary" }>

const partsOf = (chats: OwnChats, id: string) =>
  Effect.map(chats.get(id), ({ turns }) => turns.flatMap(({ parts }) => parts))

const summariesOf = (chats: OwnChats, id: string) =>
  Effect.map(partsOf(chats, id), (parts) => parts.filter((part): part is SummaryPart => part.type === "summary"))

/** A chat whose context is full: its next turn sums up. */
const full = Effect.fnUntraced(function*(chats: OwnChats) {
  const { id } = yield* chats.create({ agent: null, model: null })
  for (let turn = 1; (yield* summariesOf(chats, id)).length === 0; turn++) {
    assert.isBelow(turn, 30)
    yield* say(chats, id, `question ${turn}`)
  }
  return id
})

describe("A long chat", () => {
  it.effect("is summed up when the context is full, seldom, and its requests fit and carry the note and the recent turns", () =>
    Effect.gen(function*() {
      const { asked, model: m, notes } = yield* talking((text) =>
        noted(`Note with ${text.match(/question \d+/)?.[0]}.`)
      )
      const { chats } = yield* start(setup(m))
      const { id } = yield* chats.create({ agent: null, model: null })
      for (let turn = 1; turn <= 40; turn++) yield* say(chats, id, `question ${turn}`)
      for (const prompt of asked) {
        assert.isAtMost(TokenCount.ofMessages(prompt.content), ROOM)
        assert.deepStrictEqual(promptFaults(prompt.content), [])
      }
      const summaries = yield* summariesOf(chats, id)
      assert.isAtLeast(summaries.length, 2)
      assert.isAtMost(summaries.length, 40 / 5)
      assert.strictEqual(notes.length, summaries.length)
      assert.isFalse((yield* partsOf(chats, id)).some(({ type }) => type === "compaction"))
      const last = summaries.at(-1) ?? assert.fail("no summary")
      assert.deepInclude(last, { from: 1, id: `summary-${last.to}` })
      assert.isAbove(last.to, summaries[0]?.to ?? 0)
      const lines = outline(asked.at(-1)?.content ?? []).join("\n")
      assert.include(lines, `[Turns 1 to ${last.to} of this conversation are left out here.`)
      assert.include(lines, last.text)
      assert.include(lines, `question ${last.to + 1}`)
      assert.notInclude(lines, `question ${last.to}"`)
      // The note before is what the next one begins with.
      assert.include(notes.at(-1) ?? "", summaries.at(-2)?.text ?? "")
      const { turns, usage } = yield* chats.get(id)
      assert.deepStrictEqual(turns.map(({ text }) => text), Array.from({ length: 40 }, (_, at) => `question ${at + 1}`))
      assert.isAtLeast(usage.inputTokens ?? 0, 100 * summaries.length)
      // A provider's cache finds the beginning of each request, but where the chat was summed up.
      const beginnings = asked.map(({ content }) => JSON.stringify(content.slice(0, 2)))
      assert.strictEqual(new Set(beginnings).size, summaries.length + 1)
    }))

  it.effect.prop(
    "has requests that fit, with each call beside its result, whatever the sizes of its turns",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals([1, 20, 300, 900, 2500])), { minLength: 8, maxLength: 20 })],
    ([sizes]) =>
      Effect.gen(function*() {
        const talk = yield* talking(() => noted("A note."))
        const { chats } = yield* start(setup(talk.model))
        const { id } = yield* chats.create({ agent: null, model: null })
        for (const size of sizes) {
          talk.sizes.answer = size
          yield* say(chats, id, "go on ".repeat(Math.ceil(size / 10)))
        }
        for (const prompt of talk.asked) {
          assert.isAtMost(TokenCount.ofMessages(prompt.content), ROOM)
          assert.deepStrictEqual(promptFaults(prompt.content), [])
        }
        for (const text of talk.notes) assert.isAtMost(TokenCount.ofText(text), ROOM)
      }),
    { arbitrary: { runs: 10 } }
  )

  it.effect("has its note as a person edited it, also after a restart", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const first = yield* talking(() => noted("The first note."))
      const program = yield* start({ ...setup(first.model), store })
      const id = yield* full(program.chats)
      const made = (yield* summariesOf(program.chats, id))[0] ?? assert.fail("no summary")
      const edited = yield* program.chats.editSummary(id, made.id, "The person's own note.")
      assert.deepInclude(edited, { text: "The person's own note.", edited: true, to: made.to, seq: made.seq })
      assert.deepStrictEqual(yield* summariesOf(program.chats, id), [edited])
      assert.strictEqual((yield* Effect.flip(program.chats.editSummary(id, "none", "x")))._tag, "UnknownSummary")
      yield* say(program.chats, id, "next")
      assert.include(outline(first.asked.at(-1)?.content ?? []).join("\n"), "The person's own note.")
      yield* program.close
      const second = yield* talking(() => noted("not used"))
      const again = yield* start({ ...setup(second.model), store })
      yield* say(again.chats, id, "after")
      const lines = outline(second.asked[0]?.content ?? []).join("\n")
      assert.include(lines, "The person's own note.")
      assert.notInclude(lines, "question 1\"")
      assert.notInclude(lines, "The first note.")
      assert.deepStrictEqual(second.notes, [])
    }))

  it.effect("keeps its note when the turn that made it is tried again, and not when a turn that is in it is edited", () =>
    Effect.gen(function*() {
      const { asked, model: m, notes } = yield* talking(() => noted("The note."))
      const { chats } = yield* start(setup(m))
      const id = yield* full(chats)
      const [made] = yield* summariesOf(chats, id)
      const { turn } = yield* chats.send(id, message("again", { replaces: made?.turn }))
      yield* until(chats, id, turn)
      assert.include(outline(asked.at(-1)?.content ?? []).join("\n"), "The note.")
      assert.strictEqual(notes.length, 1)
      const edited = yield* chats.send(id, message("other", { replaces: 2 }))
      yield* until(chats, id, edited.turn)
      const lines = outline(asked.at(-1)?.content ?? []).join("\n")
      assert.notInclude(lines, "The note.")
      assert.include(lines, "question 1\"")
    }))

  for (
    const [what, note] of [
      ["fails", () =>
        Stream.fail(AiError.make({
          module: "m",
          method: "streamText",
          reason: new AiError.InternalProviderError({ description: "no" })
        }))],
      ["says nothing", () => noted(" ")],
      ["takes longer than a minute", () => Stream.never]
    ] as const satisfies ReadonlyArray<readonly [string, () => Answer]>
  ) {
    it.effect(`is cut as before when the model ${what}, once a turn`, () =>
      Effect.gen(function*() {
        const { asked, model: m, notes } = yield* talking(note)
        const { chats } = yield* start(setup(m))
        const { id } = yield* chats.create({ agent: null, model: null })
        let turn = 0
        while (notes.length === 0) {
          turn = (yield* chats.send(id, message(`question ${turn + 1}`))).turn
          yield* settle
          yield* settle
          assert.isBelow(turn, 30)
        }
        const listener = yield* Effect.forkChild(until(chats, id, turn))
        yield* settle
        yield* TestClock.adjust("60 seconds")
        const parts = (yield* Fiber.join(listener)).filter((part) => part.turn === turn)
        assert.isTrue(parts.some(({ type }) => type === "compaction"))
        assert.isFalse(parts.some(({ type }) => type === "summary"))
        assert.deepInclude(parts.at(-1), { type: "finish", reason: "stop" })
        assert.strictEqual(notes.length, 1)
        for (const prompt of asked) assert.isAtMost(TokenCount.ofMessages(prompt.content), ROOM)
      }))
  }

  it.effect("can be stopped while it is summed up", () =>
    Effect.gen(function*() {
      const { model: m, notes } = yield* talking(() => Stream.never)
      const { chats } = yield* start(setup(m))
      const { id } = yield* chats.create({ agent: null, model: null })
      let turn = 0
      while (notes.length === 0) {
        turn = (yield* chats.send(id, message("go"))).turn
        yield* settle
        yield* settle
      }
      yield* chats.stop(id)
      assert.deepInclude((yield* until(chats, id, turn)).at(-1), { type: "finish", reason: "stopped" })
    }))
})
