import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as History from "../../src/history/History.ts"
import type { ChatTurn } from "../../src/model/Chat.ts"
import { NO_USAGE, type Part, type TurnPart } from "../../src/model/Part.ts"
import * as Earlier from "../support/Earlier.ts"
import * as Scripted from "../support/Scripted.ts"

const turn = (number: number, text: string, ...parts: ReadonlyArray<TurnPart>): ChatTurn => ({
  turn: number,
  key: null,
  text,
  agent: "A",
  model: "m",
  createdAt: "2026-11-22T00:00:00.000Z",
  state: "ended",
  replacedBy: null,
  attachments: [],
  parts: parts.map((part, index): Part => ({ ...part, seq: index + 1, turn: number }))
})

const text = (delta: string): TurnPart => ({ type: "text-delta", text: delta })
const call = (id: string): TurnPart => ({ type: "tool-call", id, name: `f_${id}`, server: null, args: { id } })
const result = (id: string, answer = `ok ${id}`): Extract<TurnPart, { type: "tool-result" }> => ({
  type: "tool-result",
  id,
  isError: false,
  text: answer,
  content: [],
  truncated: null,
  origin: null,
  millis: 1
})

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const outline = (...turns: ReadonlyArray<ChatTurn>) =>
  Effect.map(Earlier.fromTurns(turns), Scripted.outline).pipe(Effect.provide(Scripted.files()))

/** What providers refuse: calls without exactly one result directly after them, results without a call, empty text. */
const check = (messages: ReadonlyArray<Prompt.Message>): void => {
  for (const [index, message] of messages.entries()) {
    if (message.role === "user" || message.role === "assistant") {
      assert.isAbove(message.content.length, 0)
      for (const part of message.content) if (part.type === "text") assert.notStrictEqual(part.text.trim(), "")
    }
    if (message.role === "user") assert.notStrictEqual(messages[index + 1]?.role, "user")
    const ids = message.role === "assistant"
      ? message.content.filter((part) => part.type === "tool-call").map(({ id }) => id)
      : []
    assert.strictEqual(new Set(ids).size, ids.length)
    const after = messages[index + 1]
    const answers = after?.role === "tool"
      ? after.content.map((part) => part.type === "tool-result" ? part.id : "")
      : []
    if (message.role !== "tool") assert.deepStrictEqual(answers, ids)
  }
}

describe("History", () => {
  it.effect("gives the steps of a turn as answer, results, answer (Decision 16)", () =>
    Effect.gen(function*() {
      const turns = [
        turn(
          1,
          "hi",
          { type: "reasoning-delta", text: "hm" },
          text("Let me "),
          text("look."),
          call("a"),
          call("b"),
          result("b"),
          { type: "tool-progress", id: "a", progress: 1, total: null, message: null },
          result("a"),
          text("Once more."),
          call("c"),
          result("c"),
          text("Done."),
          { type: "finish", reason: "stop", usage: NO_USAGE }
        ),
        turn(2, "thanks", { type: "warning", message: "w" }, text("Welcome."))
      ]
      assert.deepStrictEqual(yield* outline(...turns), [
        "user \"hi\"",
        "assistant \"Let me look.\", call a f_a, call b f_b",
        "tool result a ok a, result b ok b",
        "assistant \"Once more.\", call c f_c",
        "tool result c ok c",
        "assistant \"Done.\"",
        "user \"thanks\"",
        "assistant \"Welcome.\""
      ])
    }))

  it.effect("shows a call with the arguments that were sent, when a person changed them", () =>
    Effect.gen(function*() {
      const asked = (id: string, of: string): TurnPart => ({
        type: "approval",
        id,
        call: of,
        name: `f_${of}`,
        server: null,
        tool: of,
        isTrusted: true,
        args: { id: of },
        annotations: {}
      })
      const yes: TurnPart = { type: "approval-answer", id: "2", decision: "once", reason: null, args: { id: "mine" } }
      const given = yield* Earlier.fromTurns([
        turn(1, "go", call("a"), call("b"), asked("1", "a"), asked("2", "b"), yes, result("a"), result("b"))
      ]).pipe(Effect.provide(Scripted.files()))
      assert.deepStrictEqual(
        given.flatMap((message) =>
          message.role === "assistant"
            ? message.content.flatMap((part) => part.type === "tool-call" ? [part.params] : [])
            : []
        ),
        [{ id: "a" }, { id: "mine" }]
      )
    }))

  it.effect("fills a result that never came with an error that says so (R31)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* outline(turn(1, "hi", call("a"), call("b"), call("c"), result("b")), turn(2, "go on")),
        [
          "user \"hi\"",
          "assistant call a f_a, call b f_b, call c f_c",
          `tool error a ${History.MISSING_RESULT}, result b ok b, error c ${History.MISSING_RESULT}`,
          "user \"go on\""
        ]
      )
    }))

  it.effect("makes one message of questions that got no answer, and keeps them apart in it", () =>
    Effect.gen(function*() {
      const failed: TurnPart = { type: "error", _tag: "RateLimitError", message: "slow down", hint: "wait" }
      assert.deepStrictEqual(
        yield* outline(turn(1, "one", failed), turn(2, "two", text("")), turn(3, "three", text("ok"))),
        [
          "user \"one\", \"two\", \"three\"",
          "assistant \"ok\""
        ]
      )
    }))

  it.effect("gives a model the beginning and end of a long result, and its images", () =>
    Effect.gen(function*() {
      const kept: Array<string> = []
      const long = "x".repeat(200_000)
      const part = yield* History.resultPart({ id: "a", name: "f" }, {
        isError: false,
        text: long,
        content: [{ type: "image", data: PNG, mimeType: "image/png" }],
        truncated: {
          bytes: 200_000,
          shownBytes: 200_000,
          file: "result-1",
          text: { bytes: 200_000, file: "result-1" }
        },
        origin: null
      }).pipe(Effect.provide(Scripted.files(kept)))
      assert.isBelow(String(part.result).length, 100_001)
      assert.include(String(part.result), "view_file result-1")
      assert.deepStrictEqual(kept, [])
      assert.deepStrictEqual(part.modelOutput?.map(({ type }) => type), ["text", "file"])
    }))

  it.effect("puts a line in place of an image that providers refuse, and says what the others are (R63)", () =>
    Effect.gen(function*() {
      const image = (data: string, mimeType = "image/png") => ({ type: "image", data, mimeType })
      const part = yield* History.resultPart({ id: "a", name: "f" }, {
        isError: false,
        text: "four images",
        content: [
          image(PNG),
          image("not base64!"),
          image(btoa("<svg/>"), "image/svg+xml"),
          image(`data:image/jpeg;base64,${PNG}`, "image/jpeg")
        ],
        truncated: null,
        origin: null
      }).pipe(Effect.provide(Scripted.files()))
      const [text, ...files] = part.modelOutput ?? []
      assert.deepStrictEqual(files.map((file) => file.type === "file" ? [file.mediaType, file.data] : null), [
        ["image/png", PNG],
        ["image/png", PNG]
      ])
      assert.deepStrictEqual(text?.type === "text" ? text.text.split("\n") : [], [
        "four images",
        "[an image was left out: its data is not base64]",
        "[an image was left out: its data is no PNG, JPEG, GIF or WebP]"
      ])
    }))

  it.effect("sends no image of an earlier turn, so that a refused one ends one turn alone (R63)", () =>
    Effect.gen(function*() {
      const content = [{ type: "image", data: PNG, mimeType: "image/png" }]
      const messages = yield* Earlier.fromTurns([turn(1, "hi", call("a"), { ...result("a"), content })])
      const answers = messages.flatMap((message) => message.role === "tool" ? message.content : [])
      assert.deepStrictEqual(answers.map((part) => part.type === "tool-result" ? part.modelOutput : null), [undefined])
    }).pipe(Effect.provide(Scripted.files())))

  const ids = ["a", "b", "c", "d"]
  const Event = Schema.Literals([
    "say",
    "empty",
    "blank",
    "think",
    "error",
    "retry",
    ...ids.flatMap((id) => [`call ${id}`, `result ${id}`])
  ])
  const partOf = (event: string, step: number): TurnPart => {
    const [kind, id = ""] = event.split(" ")
    if (kind === "call") return call(`${id}${step}`)
    if (kind === "result") return result(`${id}${step}`)
    if (kind === "say") return text("words")
    if (kind === "retry") return { type: "retry", attempt: 2, limit: 5, delayMillis: 1, message: "overloaded" }
    if (kind === "empty" || kind === "blank") return text(kind === "empty" ? "" : "\n\n")
    return kind === "think"
      ? { type: "reasoning-delta", text: "hm" }
      : { type: "error", _tag: "E", message: "m", hint: "h" }
  }

  it.effect.prop("is what providers accept, wherever turns were cut (R31)", {
    turns: Arbitrary.array(Arbitrary.array(Arbitrary.schema(Event), { minLength: 0, maxLength: 10 }), {
      minLength: 1,
      maxLength: 4
    })
  }, ({ turns }) =>
    Effect.gen(function*() {
      const stored = turns.map((events, index) =>
        turn(index + 1, "question", ...events.map((event) => partOf(event, index)))
      )
      const messages = yield* Earlier.fromTurns(stored)
      check(History.repair([...messages, Prompt.userMessage({ content: [Prompt.textPart({ text: "next" })] })]))
      assert.deepStrictEqual(History.repair(messages), messages)
    }).pipe(Effect.provide(Scripted.files())), { arbitrary: { runs: 150 } })

  it.effect.prop("keeps every result of a well-formed turn, cut at any point (R31)", {
    cut: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))
  }, ({ cut }) =>
    Effect.gen(function*() {
      const whole = [
        text("look"),
        call("a"),
        call("b"),
        call("c"),
        result("c"),
        result("a"),
        result("b"),
        text("again"),
        call("d"),
        result("d"),
        text("done")
      ]
      const messages = yield* Earlier.fromTurns([turn(1, "q", ...whole.slice(0, cut))])
      check(messages)
      const answers = messages.flatMap((message) => message.role === "tool" ? message.content : [])
      const kept = answers.filter((part) => part.type === "tool-result" && part.result !== History.MISSING_RESULT)
      assert.strictEqual(kept.length, whole.slice(0, cut).filter((part) => part.type === "tool-result").length)
    }).pipe(Effect.provide(Scripted.files())))
})
