import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ChatDocument from "../../src/exchange/ChatDocument.ts"
import * as JsonElements from "../../src/exchange/JsonElements.ts"
import { ChatStore } from "../../src/store/ChatStore.ts"
import * as MemoryChatStore from "../../src/store/MemoryChatStore.ts"
import { FIRST } from "../../src/users/CurrentUser.ts"

const NOW = "2026-11-22T12:00:00.000Z"

const read = (chat: Schema.Json) => ChatDocument.read(JSON.stringify(chat), "json", NOW)

/** What was said: the messages, and the texts of their answers. */
const said = ({ turns }: { readonly turns: ReadonlyArray<ChatDocument.ChatDocument["turns"][number]> }) =>
  turns.map((
    { parts, text }
  ) => [text, parts.flatMap((part) => part.type === "text-delta" ? [part.text] : []).join("")])

const gptNode = (
  id: string,
  parent: string | null,
  role: string,
  parts: ReadonlyArray<Schema.Json>,
  more: object = {}
) => ({
  [id]: {
    id,
    parent,
    children: [],
    message: {
      id,
      author: { role, name: null, metadata: {} },
      create_time: 1_700_000_000 + Number(id.replace(/\D/g, "")),
      content: { content_type: "text", parts },
      status: "finished_successfully",
      weight: 1,
      recipient: "all",
      metadata: { model_slug: "gpt-4o" },
      ...more
    }
  }
})

// After public descriptions of the format; no real export was read.
const gpt = {
  title: "Soup",
  create_time: 1_700_000_000,
  update_time: 1_700_000_100.5,
  conversation_id: "8f3a2b1c-0000-4000-8000-000000000001",
  current_node: "n9",
  mapping: {
    root: { id: "root", message: null, parent: null, children: ["n1"] },
    ...gptNode("n1", "root", "system", ["You are helpful."]),
    ...gptNode("n2", "n1", "user", ["How do I make soup?"], {
      metadata: { attachments: [{ id: "f", name: "recipe.pdf", mime_type: "application/pdf" }] }
    }),
    ...gptNode("n3", "n2", "assistant", ["An answer of another branch"]),
    ...gptNode("n4", "n2", "assistant", [""]),
    ...gptNode("n5", "n4", "assistant", [], {
      recipient: "python",
      content: { content_type: "code", language: "python", text: "print(1)" }
    }),
    ...gptNode("n6", "n5", "tool", [], {
      author: { role: "tool", name: "python" },
      content: { content_type: "execution_output", text: "1" }
    }),
    ...gptNode("n7", "n6", "assistant", [], { content: { content_type: "thoughts", thoughts: [] } }),
    ...gptNode("n8", "n7", "assistant", ["Boil water."]),
    ...gptNode("n9", "n8", "user", [
      { content_type: "image_asset_pointer", asset_pointer: "file-service://x" },
      "And this?"
    ], {
      content: {
        content_type: "multimodal_text",
        parts: [{ content_type: "image_asset_pointer", asset_pointer: "file-service://x" }, "And this?"]
      }
    })
  }
}

const claudeMessage = (uuid: string, parent: string | null, sender: string, text: string, more: object = {}) => ({
  uuid,
  ...(parent === null ? {} : { parent_message_uuid: parent }),
  sender,
  text,
  created_at: "2025-03-01T10:00:00.000000Z",
  content: [{ type: "text", text }],
  attachments: [],
  files: [],
  ...more
})

const claude = {
  uuid: "c0ffee00-0000-4000-8000-000000000002",
  name: "Trip",
  created_at: "2025-03-01T09:59:00.000000Z",
  updated_at: "2025-03-02T10:00:00.000000Z",
  account: { uuid: "a" },
  chat_messages: [
    claudeMessage("m1", "00000000-0000-4000-8000-000000000000", "human", "Where to?", {
      attachments: [{ file_name: "list.txt", file_type: "txt", extracted_content: "Rome" }],
      files: [{ file_name: "map.png" }]
    }),
    claudeMessage("m2", "m1", "assistant", "An earlier answer"),
    claudeMessage("m3", "m1", "assistant", "", {
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "tool_use", name: "search", input: { q: "Rome" } },
        { type: "tool_result", name: "search", content: [{ type: "text", text: "Found" }] },
        { type: "text", text: "Rome." }
      ]
    }),
    claudeMessage("m4", "m3", "human", "Thanks", { content: [] }),
    claudeMessage("m5", "m4", "assistant", "")
  ]
}

describe("ForeignChat", () => {
  it.effect("reads the current branch of a conversation of ChatGPT, with its tools as text and its files by name", () =>
    Effect.gen(function*() {
      const found = yield* read(gpt)
      assert.deepStrictEqual(said(found), [
        [
          "How do I make soup?\n\nAttached: recipe.pdf",
          "Called python:\n\n```\nprint(1)\n```\n\nResult of python:\n\n```\n1\n```\n\nBoil water."
        ],
        ["And this?\n\nAttached: an image", ""]
      ])
      assert.strictEqual(found.id, "8f3a2b1c-0000-4000-8000-000000000001")
      assert.deepStrictEqual([found.record.title, found.record.createdAt, found.record.updatedAt], [
        "Soup",
        "2023-11-14T22:13:20.000Z",
        "2023-11-14T22:15:00.500Z"
      ])
      assert.deepStrictEqual(found.turns.map(({ createdAt, model }) => [createdAt, model]), [
        ["2023-11-14T22:13:22.000Z", "gpt-4o"],
        ["2023-11-14T22:13:29.000Z", ""]
      ])
    }))

  it.effect("reads the current branch of a conversation of Claude, and one without branches as a list", () =>
    Effect.gen(function*() {
      const found = yield* read(claude)
      const first = [
        "Where to?\n\nAttached: list.txt\n\nAttached: map.png",
        "Called search:\n\n```\n{\n  \"q\": \"Rome\"\n}\n```\n\nResult of search:\n\n```\nFound\n```\n\nRome."
      ]
      assert.deepStrictEqual(said(found), [first, ["Thanks", ""]])
      assert.strictEqual(found.id, "c0ffee00-0000-4000-8000-000000000002")
      assert.deepStrictEqual([found.record.title, found.record.updatedAt], ["Trip", "2025-03-02T10:00:00.000Z"])
      const chosen = yield* read({ ...claude, current_leaf_message_uuid: "m2" })
      assert.deepStrictEqual(said(chosen), [[first[0] ?? "", "An earlier answer"]])
      const list = claude.chat_messages.slice(0, 2).map(({ parent_message_uuid: _, ...message }) => message)
      assert.deepStrictEqual(said(yield* read({ ...claude, chat_messages: list })), said(chosen))
    }))

  it.effect("takes the newest branch where none is current, and ends at circles and at what it cannot understand", () =>
    Effect.gen(function*() {
      const { current_node: _, ...open } = gpt
      assert.strictEqual(said(yield* read(open)).length, 2)
      const circle = { ...gpt, mapping: { ...gpt.mapping, root: { ...gpt.mapping.root, parent: "n9" } } }
      assert.strictEqual(said(yield* read(circle)).length, 2)
      const odd = { ...gpt, mapping: { ...gpt.mapping, ...gptNode("n8", "n7", "assistant", [], { author: 7 }) } }
      assert.include(said(yield* read(odd))[0]?.[0], "How do I make soup?")
      const silent = yield* Effect.flip(read({ ...gpt, mapping: {} }))
      assert.include(silent.message, "nobody says anything in it")
    }))

  it.effect("imports a conversation once, however often it is read", () =>
    Effect.gen(function*() {
      const store = yield* ChatStore
      const text = JSON.stringify(claude)
      const once = yield* ChatDocument.imported(store, { id: "new", owner: FIRST.id }, text, "json")
      yield* store.put({ ...once, title: "My own title" })
      const twice = yield* ChatDocument.imported(store, { id: "newer", owner: FIRST.id }, text, "json")
      assert.deepStrictEqual([once.id, twice.id, twice.title], [once.id, once.id, "My own title"])
      assert.lengthOf(yield* store.list(FIRST.id), 1)
      const [bobs, again] = yield* Effect.forEach(["x", "y"], (id) =>
        ChatDocument.imported(store, { id, owner: "bob" }, text, "json"))
      assert.deepInclude(bobs, { id: `${once.id}-bob`, owner: "bob" })
      assert.deepStrictEqual(again, bobs)
      assert.notStrictEqual(bobs?.title, "My own title")
    }).pipe(Effect.provide(MemoryChatStore.layer)))

  it.effect("imports a conversation once whose id is no UUID, under an id that is one", () =>
    Effect.gen(function*() {
      const idOf = (id: string) => Effect.map(read({ ...gpt, conversation_id: id }), (found) => found.id ?? "")
      assert.match(yield* idOf("conv_1"), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.strictEqual(yield* idOf("conv_1"), yield* idOf("conv_1"))
      const all = yield* Effect.forEach(Array.from({ length: 300 }, (_, at) => `conv_${at}`), idOf)
      assert.strictEqual(new Set(all).size, 300)
    }))

  it.effect("gives the elements of a list whose text comes in pieces of any size, and refuses one that is cut off", () =>
    Effect.gen(function*() {
      const list = [gpt, { a: "]}\\\"", b: [[], {}] }, claude, [], { c: "é😀" }]
      const text = JSON.stringify(list, null, 1)
      for (const size of [1, 2, 7, 1000, text.length]) {
        const pieces = Array.from(
          { length: Math.ceil(text.length / size) },
          (_, at) => text.slice(at * size, (at + 1) * size)
        )
        const found = yield* Stream.runCollect(JsonElements.elements(Stream.fromIterable(pieces)))
        assert.deepStrictEqual(found.map((one) => JSON.parse(one)), list)
      }
      const cut = yield* Effect.flip(Stream.runDrain(JsonElements.elements(Stream.make(text.slice(0, -3)))))
      assert.include(cut.message, "it ends in the middle")
    }))

  it.effect("keeps one element in memory at a time", () =>
    Effect.gen(function*() {
      const element = JSON.stringify({ ...claude, padding: "x".repeat(1000) })
      let made = 0
      let taken = 0
      const text = Stream.map(Stream.rechunk(Stream.range(1, 2000), 1), (number) => {
        made = number
        return `${number === 1 ? "[" : ","}${element}${number === 2000 ? "]" : ""}`
      })
      yield* Stream.runForEach(JsonElements.elements(text), () =>
        Effect.sync(() => {
          taken += 1
          assert.isAtMost(made - taken, 20)
        }))
      assert.strictEqual(taken, 2000)
    }))
})
