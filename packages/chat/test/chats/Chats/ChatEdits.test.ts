import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Attachments } from "../../../src/index.ts"
import { brief, chatWith, message, newStore, settle, start, until } from "../../support/Chatting.ts"
import * as Scripted from "../../support/Scripted.ts"
import { agent, calls, finish, model, says, tool } from "../../support/Scripted.ts"

/** The header of a GIF of two by three pixels, which is all that is read of it. */
const GIF = new Uint8Array([...new TextEncoder().encode("GIF89a"), 2, 0, 3, 0, 0, 0, 0, 0x3b])

const image = (name: string, data: Uint8Array = GIF) => ({
  kind: "image" as const,
  name,
  mediaType: "text/html",
  data,
  server: null,
  uri: null
})

const answers = (count: number) => Array.from({ length: count }, (_, at) => [...says(`answer ${at + 1}`), finish()])

describe("A message that replaces a turn", () => {
  it.effect("takes its place and that of all later ones: they stay, and no model sees them again", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model(answers(4))
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "one")
      for (const text of ["two", "three"]) yield* until(chats, id, (yield* chats.send(id, message(text))).turn)
      const { turn } = yield* chats.send(id, message("two again", { replaces: 2 }))
      yield* until(chats, id, turn)
      assert.deepStrictEqual(
        (yield* chats.get(id)).turns.map(({ replacedBy, text }) => [text, replacedBy]),
        [["one", null], ["two", 4], ["three", 4], ["two again", null]]
      )
      assert.deepStrictEqual((yield* chats.get(id)).turns[1]?.parts.length, 2, "what was answered stays")
      assert.deepStrictEqual(Scripted.outline(asked[3]?.prompt.content ?? []).slice(1), [
        "user \"one\"",
        "assistant \"answer 1\"",
        "user \"two again\""
      ])
    }))

  it.effect("is refused while a turn runs or waits, and when there is no such turn", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[finish()], Stream.never])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "one")
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("x", { replaces: 7 }))))._tag, "UnknownTurn")
      yield* chats.send(id, message("two"))
      assert.strictEqual((yield* Effect.flip(chats.send(id, message("x", { replaces: 1 }))))._tag, "TurnRunning")
      yield* chats.stop(id)
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ replacedBy }) => replacedBy), [null, null])
    }))

  it.effect("keeps the attachments of the turn when it says nothing of them, and drops them for an empty list", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model(answers(3))
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "look", { attachments: [image("a.gif")] })
      yield* chats.send(id, message("look", { replaces: 1 }))
      yield* until(chats, id, 2)
      yield* chats.send(id, message("look", { replaces: 2, attachments: [] }))
      yield* until(chats, id, 3)
      const [first, again, without] = (yield* chats.get(id)).turns.map(({ attachments }) => attachments)
      assert.deepStrictEqual(again, first)
      assert.deepStrictEqual(without, [])
    }))
})

describe("A message", () => {
  it.effect("that is sent again with its key is one turn, at once, later, side by side and after a restart", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const { asked, model: m } = yield* model(answers(2))
      const first = yield* start({ models: { m }, environment: "m", store })
      const { id } = yield* first.chats.create({ agent: null, model: null })
      const sent = yield* Effect.all(
        [1, 2, 3].map(() => first.chats.send(id, message("hi", { key: "k" }))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(sent.map(({ turn }) => turn), [1, 1, 1])
      yield* until(first.chats, id, 1)
      yield* first.close
      const second = yield* start({ models: { m }, environment: "m", store })
      assert.strictEqual((yield* second.chats.sent(id, "k"))?.turn, 1)
      assert.isNull(yield* second.chats.sent(id, "other"))
      assert.deepStrictEqual(yield* second.chats.send(id, message("hi", { key: "k" })), {
        turn: 1,
        queued: false,
        after: 0
      })
      assert.strictEqual((yield* second.chats.send(id, message("hi", { key: "other" }))).turn, 2)
      yield* until(second.chats, id, 2)
      assert.strictEqual(asked.length, 2)
    }))

  it.effect("that waits can be dropped alone, and one that runs cannot", () =>
    Effect.gen(function*() {
      const waits = tool("a_wait", () => Effect.never)
      const { asked, model: m } = yield* model([[calls("c", "a_wait"), finish("tool-calls")], ...answers(2)])
      const { chats } = yield* start({ models: { m }, environment: "m", builtIn: [waits] })
      const { id } = yield* chats.create({ agent: null, model: null })
      for (const text of ["one", "two", "three"]) yield* chats.send(id, message(text))
      yield* settle
      assert.deepStrictEqual((yield* chats.list).map(({ running, waiting }) => [running, waiting]), [[1, 2]])
      assert.strictEqual((yield* Effect.flip(chats.drop(id, 1)))._tag, "UnknownTurn")
      yield* chats.drop(id, 2)
      assert.strictEqual((yield* Effect.flip(chats.drop(id, 2)))._tag, "UnknownTurn")
      assert.deepStrictEqual((yield* chats.get(id)).turns.map(({ state, text }) => [text, state]), [
        ["one", "running"],
        ["three", "waiting"]
      ])
      yield* chats.stop(id)
      assert.strictEqual((yield* chats.send(id, message("four"))).turn, 4, "no number is used twice")
      yield* until(chats, id, 4)
      assert.strictEqual(asked.length, 3)
    }))

  it.effect("brings images, which its bytes name, and which can be read again", () =>
    Effect.gen(function*() {
      const { asked, model: m } = yield* model(answers(1))
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "look", { attachments: [image("<b>.gif")] })
      const [attachment] = (yield* chats.get(id)).turns[0]?.attachments ?? []
      assert.deepStrictEqual(attachment, {
        id: "1-1",
        kind: "image",
        name: "<b>.gif",
        mediaType: "image/gif",
        bytes: GIF.length,
        server: null,
        uri: null
      })
      assert.deepStrictEqual((yield* chats.file(id, "1-1")).data, GIF)
      assert.strictEqual((yield* Effect.flip(chats.file(id, "1-2")))._tag, "UnknownFile")
      assert.include(JSON.stringify(asked[0]?.prompt.content), "image/gif")
    }))

  it.effect("is refused as a whole when something with it is too much, too large or no image", () =>
    Effect.gen(function*() {
      const { chats } = yield* start()
      const { id } = yield* chats.create({ agent: null, model: null })
      const refused = (...attachments: ReadonlyArray<ReturnType<typeof image>>) =>
        Effect.map(
          Effect.flip(chats.send(id, message("look", { attachments }))),
          (error) => error._tag === "AttachmentRefused" ? error.reason : error._tag
        )
      assert.strictEqual(yield* refused(...Array.from({ length: Attachments.MOST + 1 }, () => image("a"))), "count")
      assert.strictEqual(yield* refused(image("a"), image("b", new Uint8Array(Attachments.MOST_BYTES + 1))), "size")
      assert.strictEqual(yield* refused(image("x.png", new TextEncoder().encode("<svg onload=alert(1)>"))), "type")
      assert.deepStrictEqual((yield* chats.get(id)).turns, [])
    }))

  it.effect("that begins with @ and the name of an agent is answered by that agent, this once", () =>
    Effect.gen(function*() {
      const other = { ...agent, name: "Code Reviewer", prompt: "Review." }
      const { asked, model: m } = yield* model(answers(2))
      const { chats } = yield* start({ models: { m }, environment: "m", agents: [agent, other] })
      const { id } = yield* chatWith(chats, "@code reviewer what of this?")
      yield* until(chats, id, (yield* chats.send(id, message("and now?"))).turn)
      assert.deepStrictEqual(
        (yield* chats.get(id)).turns.map((turn) => [turn.agent, turn.text]),
        [["Code Reviewer", "@code reviewer what of this?"], ["A", "and now?"]]
      )
      assert.strictEqual(Scripted.outline(asked[0]?.prompt.content ?? [])[1], "user \"what of this?\"")
    }))
})

describe("A chat", () => {
  it.effect("takes another title, agent and model, and leaves what is not named", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model(answers(1))
      const { chats } = yield* start({ models: { m }, agents: [agent, { ...agent, name: "B" }] })
      const { id } = yield* chats.create({ agent: null, model: null })
      yield* chats.update(id, { title: "  My\n chat ", agent: "B" })
      const changed = yield* chats.update(id, { model: "m" })
      assert.deepInclude(changed, { title: "My chat", titledBy: "person", agent: "B", model: "m" })
      assert.deepInclude(yield* chats.update(id, { agent: null }), { agent: null, model: "m", title: "My chat" })
      assert.strictEqual((yield* Effect.flip(chats.update(id, { title: " " })))._tag, "BlankTitle")
      assert.strictEqual((yield* Effect.flip(chats.update(id, { agent: "no" })))._tag, "UnknownAgent")
      assert.strictEqual((yield* Effect.flip(chats.update(id, { model: "no" })))._tag, "ModelUnavailable")
      yield* chats.send(id, message("a first message"))
      assert.strictEqual((yield* chats.get(id)).title, "My chat")
    }))

  it.effect("is found by words of its messages and answers, with where they stand", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[...says("The heron is a bird."), finish()], [finish()]])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "What is that?")
      yield* chatWith(chats, "something else")
      const [found, ...more] = yield* chats.search("heron what", 10)
      assert.strictEqual(found?.id, id)
      assert.include(found?.excerpt, "heron")
      assert.deepStrictEqual(more, [])
    }))

  it.effect("sums what its turns used, replaced ones included", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([[finish("stop", 10, 2)], [finish("stop", 5, 1)]])
      const { chats } = yield* start({ models: { m }, environment: "m" })
      const { id } = yield* chatWith(chats, "one")
      yield* chats.send(id, message("one", { replaces: 1 }))
      yield* until(chats, id, 2)
      assert.deepInclude((yield* chats.get(id)).usage, { inputTokens: 15, outputTokens: 3, cost: null })
    }))

  it.effect("R98: is read while servers are down, connecting, or cannot even be asked for", () =>
    Effect.gen(function*() {
      const store = yield* newStore
      const before = yield* start({ store })
      const { id, parts } = yield* chatWith(before.chats, "hello")
      yield* before.close
      const { chats, world } = yield* start({ store, world: { settled: Effect.never } })
      world.servers = [Scripted.status("dead", "failed", "exit 3"), Scripted.status("slow", "connecting")]
      assert.deepStrictEqual((yield* chats.get(id)).turns[0]?.parts, [...parts])
      assert.deepStrictEqual((yield* chats.list).map((chat) => chat.id), [id])
      assert.deepStrictEqual(yield* until(chats, id, 1), parts)
    }))

  it.effect("is named by its model after the first answer, unless a person was faster", () =>
    Effect.gen(function*() {
      const { model: m } = yield* model([
        [...says("It rains."), finish("stop", 10, 2)],
        [...says("\"Rain", " in Bergen\".\n"), finish("stop", 7, 3)],
        [...says("It rains."), finish()],
        Stream.fromEffect(Effect.as(Effect.sleep("5 seconds"), finish()))
      ])
      const { chats } = yield* start({ models: { m }, environment: "m", titles: "model" })
      const { id } = yield* chatWith(chats, "What is the weather in Bergen?")
      yield* settle
      assert.deepInclude(yield* chats.get(id), { title: "Rain in Bergen", titledBy: "model" })
      assert.deepInclude((yield* chats.get(id)).usage, { inputTokens: 17, outputTokens: 5 }, "the title's, too")
      const other = yield* chatWith(chats, "And in Oslo?")
      yield* settle
      yield* chats.update(other.id, { title: "Oslo" })
      yield* TestClock.adjust("20 seconds")
      assert.deepInclude(yield* chats.get(other.id), { title: "Oslo", titledBy: "person" })
      assert.deepStrictEqual(brief((yield* chats.get(id)).turns[0]?.parts ?? []), ["1 It rains.", "1 stop"])
    }))
})
