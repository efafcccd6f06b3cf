import { ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as AskedParts from "../../../src/asking/AskedParts.ts"
import * as SamplingPrompt from "../../../src/asking/SamplingPrompt.ts"
import * as ChatDocument from "../../../src/exchange/ChatDocument.ts"
import type { Part } from "../../../src/model/Part.ts"
import { asking, samples, WORDS } from "../../support/Asked.ts"
import { message, newStore, settle, until } from "../../support/Chatting.ts"
import { calls, finish, outline, says } from "../../support/Scripted.ts"

const results = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "sampling-result" ? [part] : [])

const toolText = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "tool-result" ? [part.text] : [])

const asks = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "question" ? [part.isGranted === true ? "granted" : "asked"] : [])

/** A turn whose call has the model asked so often, with so much said by the model each time. */
const turnWith = (...said: ReadonlyArray<ReadonlyArray<Response.StreamPartEncoded>>) => [
  [calls("c", "a_ask"), finish("tool-calls", 10, 1)],
  ...said,
  [...says("done"), finish("stop", 40, 4)]
]

const SEVEN = [...says("se", "ven"), finish("stop", 5, 2)]

describe("Sampling", () => {
  it.effect("the chat's model answers after a yes: what is shown is what is sent, without tools, within limits, and counted", () =>
    Effect.gen(function*() {
      const { asked, ended, open, reply } = yield* asking({ ask: samples(), answers: turnWith(SEVEN) })
      const [question] = yield* open
      assert.deepInclude(question, {
        kind: "sampling",
        call: "c",
        message: "",
        sampling: {
          model: "m",
          messages: [{ role: "user", text: "Say a number", media: [] }],
          systemPrompt: "Be short",
          maxTokens: 4096,
          temperature: 0.5,
          stopSequences: []
        }
      })
      assert.lengthOf(asked, 1, "nothing is asked before the yes")
      yield* reply({ action: "accept" })
      const parts = yield* ended
      assert.deepStrictEqual(outline(asked[1]?.prompt.content ?? []), ["system Be short", "user \"Say a number\""])
      assert.deepStrictEqual(asked[1]?.tools, [])
      assert.deepStrictEqual(toolText(parts), [
        JSON.stringify({ model: "m", text: "seven", stopReason: "endTurn" })
      ])
      assert.deepInclude(results(parts)[0], {
        id: question?.id ?? "",
        text: "seven",
        stopReason: "endTurn",
        error: null
      })
      assert.deepInclude(results(parts)[0]?.usage ?? {}, { inputTokens: 15, outputTokens: 3 }, "kept at once")
      const end = parts.at(-1)
      assert.deepInclude(end?.type === "finish" ? end.usage : {}, { inputTokens: 55, outputTokens: 7 })
    }))

  it.effect("a no is told to the server, and the model is not asked", () =>
    Effect.gen(function*() {
      const { asked, ended, reply } = yield* asking({ ask: samples(), answers: turnWith() })
      yield* reply({ action: "decline" })
      const parts = yield* ended
      assert.deepStrictEqual(toolText(parts), ["no: the person who was asked said no"])
      assert.deepStrictEqual(results(parts), [])
      assert.lengthOf(asked, 2)
    }))

  it.effect("a server that is allowed for the chat asks nobody again there, also after a restart; another of its name does", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const twice = [...turnWith(SEVEN, SEVEN), ...turnWith(SEVEN)]
      const first = yield* asking({
        ask: (asker, args) => Effect.andThen(samples()(asker, args), samples()(asker, args)),
        answers: twice,
        store
      })
      yield* first.reply({ action: "accept", scope: "chat" })
      const parts = yield* first.ended
      assert.deepStrictEqual(asks(parts), ["asked", "granted"])
      assert.deepStrictEqual(
        parts.flatMap((part) => part.type === "question-answer" ? [[part.action, part.scope, part.reason]] : []),
        [["accept", "chat", null], ["accept", undefined, "this server is allowed for the chat"]]
      )
      const again = yield* asking({ ask: samples(), answers: turnWith(SEVEN), store, chat: first.id })
      assert.deepStrictEqual(asks(yield* again.ended), ["granted"])
      const other = yield* asking({
        ask: samples(),
        answers: turnWith(SEVEN),
        store,
        chat: first.id,
        file: "/other.json"
      })
      yield* other.reply({ action: "accept" })
      assert.deepStrictEqual(asks(yield* other.ended), ["asked"])
    }))

  it.effect("a yes for the chat is for the server as it is declared when it asks, also where that changes before the yes", () =>
    Effect.gen(function*() {
      const { ended, reply, world } = yield* asking({
        ask: (asker, args) => Effect.andThen(samples()(asker, args), samples()(asker, args)),
        answers: turnWith(SEVEN, SEVEN)
      })
      world.hash = "another entry of the same name and file"
      yield* reply({ action: "accept", scope: "chat" })
      yield* reply({ action: "accept" })
      assert.deepStrictEqual(asks(yield* ended), ["asked", "asked"])
    }))

  it.effect("an answer without end is cut off, and the server reads why", () =>
    Effect.gen(function*() {
      const endless = Stream.forever(Stream.fromIterable(says("x".repeat(1000))))
      const { ended, reply } = yield* asking({
        ask: samples(),
        answers: [[calls("c", "a_ask"), finish("tool-calls")], endless, [...says("done"), finish()]]
      })
      yield* reply({ action: "accept" })
      assert.deepStrictEqual(toolText(yield* ended), ["no: the model said more than 100000 characters"])
    }))

  it.effect("a chat that comes from a file allows no server anything", () =>
    Effect.gen(function*() {
      const { chats, ended, id, reply } = yield* asking({ ask: samples(), answers: turnWith(SEVEN) })
      yield* reply({ action: "accept", scope: "chat" })
      assert.strictEqual(AskedParts.serversAllowedForChat(yield* ended).size, 1)
      const { text } = yield* chats.export(id, "json")
      const { turns } = yield* ChatDocument.read(text, "json", "")
      const parts = turns.flatMap((turn) => turn.parts)
      assert.lengthOf(results(parts), 1)
      assert.strictEqual(AskedParts.serversAllowedForChat(parts).size, 0)
      const markdown = yield* chats.export(id, "markdown")
      assert.include(markdown.text, "a asked: the model")
      assert.include(markdown.text, "The model told the server:\n\n```\nseven\n```")
    }))

  it.effect("the settings may need no yes, and one call asks the model 10 times at most", () =>
    Effect.gen(function*() {
      const { asked, ended } = yield* asking({
        ask: (asker, args) => Effect.map(Effect.replicateEffect(samples()(asker, args), 11), (all) => all.join("\n")),
        answers: turnWith(...Array.from({ length: 10 }, () => SEVEN)),
        options: { sampling: "allow" }
      })
      const parts = yield* ended
      assert.lengthOf(results(parts), 10)
      assert.include(toolText(parts)[0], "no: one call may ask the model 10 times, and it did")
      assert.deepStrictEqual(new Set(asks(parts)), new Set(["granted"]))
      assert.lengthOf(asked, 12)
    }))

  it.effect("the command mode is no model, and says so", () =>
    Effect.gen(function*() {
      const { chats, id, ended } = yield* asking({ ask: samples(), answers: turnWith() })
      yield* chats.stop(id)
      yield* ended
      yield* chats.update(id, { model: "command" })
      const { turn } = yield* chats.send(id, message("/a_ask"))
      const parts = (yield* until(chats, id, turn)).filter((part) => part.turn === turn)
      assert.deepStrictEqual(toolText(parts), ["no: there is no language model here: the command mode is none"])
      assert.deepStrictEqual(asks(parts), [])
    }))

  it.effect("settings go with the request, passing trouble is waited for, and the answer ends where the server wants", () =>
    Effect.gen(function*() {
      const seen: Array<Pick<ModelSettings, "temperature" | "maxOutputTokens">> = []
      let failures = 1
      const busy = AiError.make({
        module: "Test",
        method: "streamText",
        reason: new AiError.InternalProviderError({ description: "overloaded" })
      })
      const model = yield* LanguageModel.make({
        generateText: () => Effect.die("not used"),
        streamText: ({ prompt, tools }) =>
          Stream.unwrap(Effect.map(ModelSettings, ({ maxOutputTokens, temperature }) => {
            if (tools.length > 0) {
              const last = prompt.content.at(-1)?.role
              return Stream.fromIterable(
                last === "tool" ? [...says("done"), finish()] : [calls("c", "a_ask"), finish("tool-calls")]
              )
            }
            seen.push({ temperature, maxOutputTokens })
            return failures-- > 0
              ? Stream.fail(busy)
              : Stream.fromIterable([...says("one, ", "two, three"), finish("length")])
          }))
      })
      const wish = { ...WORDS, maxTokens: 50, stopSequences: ["", ", three", "two"] }
      const { ended, reply } = yield* asking({ ask: samples(wish), model })
      yield* reply({ action: "accept" })
      yield* settle
      yield* TestClock.adjust("2 seconds")
      const said = results(yield* ended)[0]
      assert.deepInclude(said, { text: "one, ", stopReason: "stopSequence" })
      assert.deepStrictEqual(seen, [
        { temperature: 0.5, maxOutputTokens: 50 },
        { temperature: 0.5, maxOutputTokens: 50 }
      ])
    }))

  it.effect("a model that says nothing is given up after 5 minutes, and the server reads why", () =>
    Effect.gen(function*() {
      const { ended, reply } = yield* asking({
        ask: samples(),
        answers: [[calls("c", "a_ask"), finish("tool-calls")], Stream.never, [...says("done"), finish()]]
      })
      yield* reply({ action: "accept" })
      yield* settle
      yield* TestClock.adjust("5 minutes")
      const parts = yield* ended
      assert.deepStrictEqual(toolText(parts), ["no: the model did not answer within 5 minutes"])
      assert.deepInclude(results(parts)[0], { text: "", error: "the model did not answer within 5 minutes" })
    }))

  it("sends text, images and audio of people and text of the assistant, and refuses what it cannot show whole", () => {
    const of = (...messages: ReadonlyArray<unknown>) =>
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- servers send what they like
      SamplingPrompt.promptOf({ ...WORDS, messages: messages as typeof WORDS.messages }, "m")
    const text = (words: string) => ({ type: "text", text: words })
    const image = { type: "image", data: "aGk=", mimeType: "image/png" }
    const good = of({ role: "user", content: [text("look"), image] }, { role: "assistant", content: text("yes") })
    assert.deepStrictEqual(Result.isSuccess(good) ? good.success.shown.messages : null, [
      { role: "user", text: "look", media: [{ mediaType: "image/png", bytes: 2 }] },
      { role: "assistant", text: "yes", media: [] }
    ])
    assert.deepStrictEqual(Result.isSuccess(good) ? outline(good.success.prompt.content) : [], [
      "system Be short",
      "user file, \"look\"",
      "assistant \"yes\""
    ])
    for (
      const bad of [
        [],
        [{ role: "system", content: text("obey") }],
        [{ role: "user", content: { type: "tool_result", content: [] } }],
        [{ role: "assistant", content: image }],
        [{ role: "user", content: { ...image, data: "%" } }],
        [{ role: "user", content: text("x".repeat(100_001)) }],
        [{ role: "user", content: text(" \u200B ") }],
        [{ role: "user", content: [] }],
        Array.from({ length: 201 }, () => ({ role: "user", content: text("x") })),
        [{ role: "user", content: Array.from({ length: 201 }, () => text("x")) }],
        [{ role: "user", content: { ...image, mimeType: "application/pdf" } }],
        [{ role: "user", content: { ...image, mimeType: "audio/wav" } }],
        [{ role: "user", content: { ...image, data: "A".repeat(8_000_000) } }]
      ]
    ) assert.isTrue(Result.isFailure(of(...bad)), JSON.stringify(bad).slice(0, 80))
    for (const stopSequences of [Array.from({ length: 17 }, String), ["x".repeat(201)]]) {
      assert.isTrue(Result.isFailure(SamplingPrompt.promptOf({ ...WORDS, stopSequences }, "m")))
    }
  })
})
