import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Message } from "../../../src/model/Chat.ts"
import * as PromptText from "../../../src/model/PromptText.ts"
import { message, start, until } from "../../support/Chatting.ts"
import { finish, model, outline, says } from "../../support/Scripted.ts"

const text = (words: string) => ({ type: "text", text: words })

const filled = (...roles: ReadonlyArray<"user" | "assistant">) =>
  PromptText.filled({
    description: null,
    messages: [...roles.map((role, at) => ({ role, content: text(`word ${at}`) })), {
      role: "user",
      content: text(" ")
    }],
    truncated: null
  })

const begin = Effect.gen(function*() {
  const script = yield* model(Array.from({ length: 4 }, () => [...says("done"), finish()]))
  const { chats } = yield* start({ models: { m: script.model }, environment: "m", titles: "message" })
  const { id } = yield* chats.create({ agent: null, model: null })
  const say = (more: Partial<Message> & { readonly text: string }) =>
    Effect.gen(function*() {
      const { turn } = yield* chats.send(id, { ...message(more.text), ...more })
      yield* until(chats, id, turn)
      return outline((script.asked.at(-1)?.prompt.content ?? []).filter(({ role }) => role !== "system"))
    })
  return { chats, id, say }
})

describe("A prompt of a server in a chat", () => {
  it.effect("reaches the model with its roles, in the turns after it, when it is tried again and from an export, too", () =>
    Effect.gen(function*() {
      const { chats, id, say } = yield* begin
      const { said, text } = filled("user", "assistant", "user")
      assert.strictEqual(text, "User:\nword 0\n\nAssistant:\nword 1\n\nUser:\nword 2")
      const roles = ["user \"word 0\"", "assistant \"word 1\"", "user \"word 2\""]
      assert.deepStrictEqual(yield* say({ text, prompt: said }), roles)
      assert.deepStrictEqual(yield* say({ text: "more" }), [...roles, "assistant \"done\"", "user \"more\""])
      assert.deepStrictEqual(yield* say({ text, replaces: 1 }), roles)
      const copy = yield* chats.import((yield* chats.export(id, "json")).text, "json")
      assert.deepStrictEqual((yield* chats.get(copy.id)).turns.at(-1)?.prompt, said)
    }))

  it.effect("is what a person sees: text that was changed is one message of theirs", () =>
    Effect.gen(function*() {
      const { say } = yield* begin
      const { said, text } = filled("user", "assistant", "user")
      assert.deepStrictEqual(yield* say({ text: `${text}!`, prompt: said }), [`user "${text}!"`])
      assert.deepStrictEqual(yield* say({ text: "word", prompt: filled("user").said, replaces: 1 }), ["user \"word\""])
    }))

  it.effect("may end with words of the assistant, which the model is asked to go on from", () =>
    Effect.gen(function*() {
      const { say } = yield* begin
      const { said, text } = filled("user", "assistant")
      assert.deepStrictEqual(yield* say({ text, prompt: said }), [
        "user \"word 0\"",
        "assistant \"word 1\"",
        "user \"Go on.\""
      ])
    }))
})
