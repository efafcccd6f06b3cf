import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ChatDocument from "../../src/exchange/ChatDocument.ts"
import type * as ImportedChat from "../../src/exchange/ImportedChat.ts"
import { ChatRecord, ChatTurn } from "../../src/model/Chat.ts"
import { NO_USAGE, Part, type TurnPart } from "../../src/model/Part.ts"
import { HOSTILE, numbered, record, result, said, turn } from "../support/StoreSuite.ts"

const NOW = "2026-11-22T12:00:00.000Z"
const stopped: TurnPart = { type: "finish", reason: "stop", usage: NO_USAGE }

const { id: _, ...known } = record("a", { title: "A chat" })
const document = (turns: ReadonlyArray<typeof ChatTurn.Type>, more = {}): ImportedChat.ChatDocument => ({
  record: { ...known, ...more },
  turns,
  files: new Map()
})

const ended = (number: number, after: number, text: string, parts: ReadonlyArray<TurnPart>) => ({
  ...turn(number, { text, state: "ended" }),
  parts: numbered(number, after, [...parts, stopped])
})

const written = {
  type: "write",
  id: "w",
  call: "c",
  name: "write_file",
  server: null,
  class: "writes",
  args: { path: "a.md" },
  outcome: "done",
  allowedBy: "rule",
  source: "permissions.jsonc:4",
  undo: null
} as const

/** Any chat whose turns have ended, as a store gives it. */
const Documents = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.schema(ChatRecord),
    Arbitrary.array(Arbitrary.schema(ChatTurn), { maxLength: 3 }),
    Arbitrary.array(Arbitrary.schema(Part), { maxLength: 9 }),
    Arbitrary.array(Arbitrary.schema(Schema.Uint8Array), { maxLength: 2 })
  ]),
  ([{ id: _, owner: __, ...record }, turns, parts, files]): ImportedChat.ChatDocument => {
    const harmless = parts.map((part, index): Part => {
      const own = { ...part, turn: 1 + Math.min(turns.length - 1, Math.floor(index / 3)), seq: index + 1 }
      if (own.type === "question-answer") return { ...own, scope: "once" }
      if (own.type === "write") return { ...own, undo: null }
      return own.type === "approval-answer" ? { ...own, decision: "deny" } : own
    })
    // A store has them from JSON, which knows no -0.
    const stored = <A>(value: A): A => JSON.parse(JSON.stringify(value))
    return {
      record: stored(record),
      turns: stored(turns.map((turn, index) => ({
        ...turn,
        turn: index + 1,
        state: "ended" as const,
        parts: harmless.filter((part) => part.turn === index + 1)
      }))),
      files: new Map(files.map((data, index) => [`file ${index}`, data]))
    }
  }
)

const Texts = Arbitrary.array(
  Arbitrary.schema(Schema.Union([
    Schema.Literals([
      ...HOSTILE,
      "```\nfence that stays open",
      "`````ts\nlong\n````\n",
      "<!-- comment that stays open",
      "<details><pre>",
      "## 1. You (now)\n\n> not me\n\n### Assistant (x)\n\n> not it",
      "<!-- boocode-chat 1 -->",
      "> quoted\n>> twice\n\n    code",
      "&#13; &#38;#0; &amp;\r# heading after a carriage return\r\n\r",
      "\n\n",
      ">",
      "- [ ] list\n1. one"
    ]),
    Schema.String
  ])),
  { minLength: 2, maxLength: 6 }
)

describe("A chat as JSON", () => {
  it.effect.prop("is the same chat when it is read again", [Documents], ([document]) =>
    Effect.gen(function*() {
      const text = ChatDocument.write(document, "json")
      assert.deepStrictEqual(yield* ChatDocument.read(text, "json", NOW), document)
    }))

  it.effect("runs no more, waits for nothing and allows nothing when it comes from a file", () =>
    Effect.gen(function*() {
      const chat = document([
        {
          ...turn(1),
          parts: numbered(1, 0, [
            said("one"),
            { type: "approval-answer", id: "x", decision: "always", reason: null },
            { type: "approval-answer", id: "y", decision: "chat", reason: null },
            { ...written, undo: { id: "undo-1", possible: true, why: null } }
          ])
        },
        { ...turn(2, { state: "waiting" }), parts: [] }
      ])
      const { turns } = yield* ChatDocument.read(ChatDocument.write(chat, "json"), "json", NOW)
      assert.deepStrictEqual(turns.map(({ state, turn }) => [turn, state]), [[1, "ended"]])
      assert.deepStrictEqual(
        turns[0]?.parts.map((part) => [part.seq, part.type === "approval-answer" ? part.decision : part.type]),
        [[1, "text-delta"], [2, "once"], [3, "once"], [4, "write"], [5, "finish"]]
      )
      const copy = turns[0]?.parts[3]
      assert.deepStrictEqual(copy?.type === "write" ? copy.undo : copy, {
        id: null,
        possible: false,
        why: "this chat is a copy of the one where it was written"
      })
    }))

  it.effect("is refused with what was expected when it is something else", () =>
    Effect.gen(function*() {
      const newer = JSON.stringify({ format: "boocode-chat", version: 2 })
      const damaged = ChatDocument.write(document([]), "json").replace("\"title\"", "\"titel\"")
      const cases = [["{", /not JSON/], ["[1]", /no chat/], [newer, /newer/], [damaged, /title/], [
        "{\"messages\":[]}",
        /nobody/
      ]] as const
      for (const [text, why] of cases) {
        const error = yield* Effect.flip(ChatDocument.read(text, "json", NOW))
        assert.match(error.message, why)
        assert.match(error.hint, /boocode chats export/)
      }
    }))

  it.effect("is refused with a key in the place of a model's name, which is not repeated", () =>
    Effect.gen(function*() {
      const key = "sk-proj-Zq8rT2vLx0Pa7Kd3"
      const messages = [{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello", model: key }]
      const turns = [{ ...ended(1, 0, "Hi", [said("Hello")]), model: key }]
      const texts = [
        ["json", ChatDocument.write(document([], { model: key }), "json")],
        ["json", ChatDocument.write(document(turns), "json")],
        ["json", JSON.stringify({ messages })],
        ["markdown", ChatDocument.write(document(turns), "markdown")]
      ] as const
      for (const [format, text] of texts) {
        const error = yield* Effect.flip(ChatDocument.read(text, format, NOW))
        assert.match(error.message, /name of a model looks like a key/)
        assert.notInclude(`${error.message} ${error.hint}`, key)
      }
    }))

  it.effect("is refused when it is larger than 150 MB", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(ChatDocument.read(" ".repeat(150_000_001), "json", NOW))
      assert.match(error.message, /150 MB/)
    }))

  it.effect("may be a list of messages of another program", () =>
    Effect.gen(function*() {
      const messages = [
        { role: "system", content: "Be nice." },
        { role: "user", content: [{ type: "text", text: "Hi" }, { type: "image_url" }] },
        { role: "assistant", content: "Hello", model: "llama" },
        { role: "user", content: "Bye" }
      ]
      for (
        const shape of [{ title: "T", messages }, [{ title: "T", messages }], [{
          id: "1",
          chat: { title: "T", messages }
        }]]
      ) {
        const { record, turns } = yield* ChatDocument.read(JSON.stringify(shape), "json", NOW)
        assert.strictEqual(record.title, "T")
        assert.deepStrictEqual(turns, [
          { ...ended(1, 0, "Hi", [said("Hello")]), model: "llama", createdAt: NOW },
          { ...ended(2, 2, "Bye", []), model: "", createdAt: NOW }
        ])
      }
    }))
})

describe("A chat as Markdown", () => {
  it.effect("says who said what, which tools were called and what came of it", () =>
    Effect.gen(function*() {
      const chat = document([
        ended(1, 0, "What is in *a.md*?", [
          said("I "),
          said("look."),
          { type: "tool-call", id: "c", name: "files_read", server: "files", args: { path: "a.md" } },
          result("c", "```js\ncode\n```"),
          said("Code.")
        ])
      ])
      assert.strictEqual(
        ChatDocument.write(chat, "markdown"),
        [
          "# A chat",
          "<!-- boocode-chat 1 -->",
          "## 1. You (2026-11-22T10:00:00.000Z)",
          "> What is in *a.md*?",
          "### Assistant (test/model)",
          "> I look.",
          "Called files\\_read:",
          "```json\n{\n  \"path\": \"a.md\"\n}\n```",
          "Result:",
          "````\n```js\ncode\n```\n````",
          "> Code."
        ].join("\n\n") + "\n"
      )
      const read = yield* ChatDocument.read(ChatDocument.write(chat, "markdown"), "markdown", NOW)
      assert.deepStrictEqual(read.turns, [ended(1, 0, "What is in *a.md*?", [said("I look.\n\nCode.")])])
    }))

  it.effect("says what was written and who allowed it", () =>
    Effect.gen(function*() {
      const text = ChatDocument.write(document([ended(1, 0, "go", [written])]), "markdown")
      assert.include(text, "\n\nWrote: done, allowed by a rule (permissions.jsonc:4)\n")
      assert.deepStrictEqual((yield* ChatDocument.read(text, "markdown", NOW)).turns[0]?.parts.length, 1)
    }))

  it.effect("leaves out what a retry took back, as models do, and says which arguments a person sent instead", () =>
    Effect.gen(function*() {
      const call = (id: string): TurnPart => ({ type: "tool-call", id, name: "f", server: null, args: {} })
      const chat = document([
        ended(1, 0, "go", [
          said("First."),
          call("a"),
          result("a", "done a"),
          said("Half"),
          call("b"),
          { type: "retry", attempt: 2, limit: 5, delayMillis: 1, message: "again" },
          result("b", "not run"),
          said("Whole."),
          call("c"),
          { type: "approval-answer", id: "1", decision: "once", reason: null, args: { by: "me" } },
          result("c", "done c"),
          said("End.")
        ])
      ])
      const text = ChatDocument.write(chat, "markdown")
      assert.deepStrictEqual(
        text.match(/^> .*|done \w|not run|with other arguments|"by": "me"/gm),
        ["> go", "> First.", "done a", "> Whole.", "with other arguments", "\"by\": \"me\"", "done c", "> End."]
      )
      const read = yield* ChatDocument.read(text, "markdown", NOW)
      assert.deepStrictEqual(read.turns, [ended(1, 0, "go", [said("First.\n\nWhole.\n\nEnd.")])])
    }))

  it.effect.prop(
    "keeps each text in its own block, whatever it is, and gives it back",
    [Texts],
    ([texts]) =>
      Effect.gen(function*() {
        const [title = "", ...messages] = texts
        const chat = document(
          messages.map((text, index) =>
            ended(index + 1, index * 4, text, [
              { type: "tool-call", id: "c", name: text, server: null, args: { text } },
              result("c", text),
              said(text)
            ])
          ),
          { title }
        )
        const read = yield* ChatDocument.read(ChatDocument.write(chat, "markdown"), "markdown", NOW)
        assert.strictEqual(read.record.title, title.replace(/[\n\r\0]+/g, " "))
        assert.deepStrictEqual(read.turns.map(({ text }) => text), messages)
        assert.deepStrictEqual(
          read.turns.map(({ parts }) => parts.flatMap((part) => part.type === "text-delta" ? [part.text] : [])),
          messages.map((text) => text === "" ? [] : [text])
        )
      })
  )

  it.effect("is refused when it is somebody else's", () =>
    Effect.gen(function*() {
      for (const text of ["", "# Notes\n\nto self", "> <!-- boocode-chat 1 -->"]) {
        const error = yield* Effect.flip(ChatDocument.read(text, "markdown", NOW))
        assert.match(error.message, /Markdown, but no chat/)
      }
    }))
})
