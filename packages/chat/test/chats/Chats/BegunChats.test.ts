import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SaidMessage } from "../../../src/exchange/BegunChat.ts"
import { message, start, until } from "../../support/Chatting.ts"
import { finish, model, outline, says } from "../../support/Scripted.ts"

const said = (role: SaidMessage["role"], text: string, more: Partial<SaidMessage> = {}): SaidMessage => ({
  role,
  text,
  attachments: [],
  ...more
})

const notes = { kind: "file", name: "notes.txt", mediaType: "text/plain", server: null, uri: null } as const

const OFF = { mode: "off", until: null } as const

const began = (instructions: string | null, messages: ReadonlyArray<SaidMessage>) =>
  Effect.gen(function*() {
    const script = yield* model([[...says("done"), finish()]])
    const { chats } = yield* start({ models: { m: script.model }, environment: "m", titles: "model" })
    const begun = {
      agent: null,
      model: null,
      title: "A long story",
      folder: "Elsewhere",
      instructions,
      said: messages,
      write: OFF
    }
    const { id } = yield* chats.begin(begun)
    const { turn } = yield* chats.send(id, message("and now?"))
    yield* until(chats, id, turn)
    return { chats, id, prompt: outline(script.asked.at(-1)?.prompt.content ?? []), asked: script.asked.length }
  })

describe("A chat that goes on with a conversation of another program", () => {
  it.effect("shows the model what was said, with its files, and what that program adds to the agent's prompt", () =>
    Effect.gen(function*() {
      const data = new TextEncoder().encode("seven")
      const { prompt } = yield* began("Answer in verse.", [
        said("assistant", "Welcome."),
        said("user", "read this", { attachments: [{ ...notes, data }] }),
        said("assistant", "It says seven."),
        said("assistant", "Anything else?"),
        said("user", "wait")
      ])
      const [system, ...rest] = prompt
      assert.match(system ?? "", /^system Be brief\.\n\nAnswer in verse\./)
      assert.match(
        rest.join("\n"),
        /Welcome\.[^]*seven[^]*read this[^]*It says seven\.[^]*Anything else\?[^]*and now\?/
      )
    }))

  it.effect("has the title, the folder and the write mode that it was given, and asks no model for a better one", () =>
    Effect.gen(function*() {
      const { asked, chats, id } = yield* began(null, [])
      const { folder, title, titledBy, write } = yield* chats.get(id)
      const all = [title, titledBy, folder, write, asked]
      assert.deepStrictEqual(all, ["A long story", "person", "Elsewhere", OFF, 1])
    }))

  it.effect("keeps those words when it is forked, and loses them in a file, where a reader does not see them", () =>
    Effect.gen(function*() {
      const { chats, id } = yield* began("Answer in verse.", [])
      const fork = yield* chats.fork(id, 1)
      const copy = yield* chats.import((yield* chats.export(id, "json")).text, "json")
      assert.deepStrictEqual([fork.instructions, copy.instructions], ["Answer in verse.", undefined])
    }))

  it.effect("does not begin where no chat takes one of its files", () =>
    Effect.gen(function*() {
      const { chats } = yield* start({})
      const file = { ...notes, data: new Uint8Array([0, 1, 2, 0]) }
      const refused = yield* Effect.flip(chats.begin({
        agent: null,
        model: null,
        title: "t",
        folder: null,
        instructions: null,
        write: null,
        said: [said("user", "look", { attachments: [file] })]
      }))
      assert.strictEqual(refused._tag, "AttachmentRefused")
      assert.deepStrictEqual(yield* chats.list, [])
    }))
})
