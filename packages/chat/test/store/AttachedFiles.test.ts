import { PdfReader, PdfUnreadable } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ChatRecord } from "../../src/model/Chat.ts"
import * as AttachedFiles from "../../src/store/AttachedFiles.ts"
import { newStore } from "../support/Chatting.ts"

const record: ChatRecord = {
  id: "c",
  owner: "first",
  title: "c",
  titledBy: "none",
  agent: null,
  model: null,
  pinned: false,
  folder: null,
  off: { servers: [], tools: [] },
  write: null,
  createdAt: "",
  updatedAt: ""
}

const utf8 = (text: string) => new TextEncoder().encode(text)
const words = (bytes: Uint8Array | null) => bytes === null ? null : new TextDecoder().decode(bytes)

const setup = Effect.gen(function*() {
  const store = yield* newStore
  yield* store.put(record)
  yield* store.putFile("c", "1-1", utf8("%PDF-"))
  let reads = 0
  const read = Effect.suspend(() => {
    reads += 1
    return reads === 1
      ? Effect.fail(new PdfUnreadable({ detail: "busy", hint: "wait" }))
      : Effect.succeed({ pages: 1, texts: ["One"] })
  })
  const file = (id: string) =>
    Effect.map(Effect.provideService(AttachedFiles.of(store, "c")(id), PdfReader, { read: () => read }), words)
  return { file, store, reads: () => reads }
})

describe("The files of a chat", () => {
  it.effect("have the text of a PDF that came without it, which is then kept; a failure is tried again", () =>
    Effect.gen(function*() {
      const { file, reads, store } = yield* setup
      assert.strictEqual(yield* file("1-1"), "%PDF-")
      assert.isNull(yield* file("1-1-text"))
      assert.strictEqual(yield* file("1-1-text"), "[page 1]\nOne\n")
      assert.strictEqual(yield* file("1-1-text"), "[page 1]\nOne\n")
      assert.strictEqual(reads(), 2)
      assert.strictEqual(words(yield* store.file("c", "1-1-text")), "[page 1]\nOne\n")
    }))

  it.effect("are null when they are not there, and so is the text of no PDF", () =>
    Effect.gen(function*() {
      const { file, reads } = yield* setup
      assert.deepStrictEqual([yield* file("1-2"), yield* file("1-2-text")], [null, null])
      assert.strictEqual(reads(), 0)
    }))
})
