import { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as HistoryRepair from "../../../src/history/HistoryRepair.ts"
import type { StoredChat } from "../../../src/store/ChatStore.ts"
import { message, newStore, settle, start, until } from "../../support/Chatting.ts"
import * as HistoryRules from "../../support/HistoryRules.ts"
import { calls, finish, model, outline, says, tool } from "../../support/Scripted.ts"

/** What a disk holds when the program is killed after so many parts of the last turn. */
const left = Effect.fnUntraced(function*(chat: StoredChat, parts: number) {
  const copy = yield* newStore
  const { id } = chat.record
  yield* copy.put(chat.record)
  for (const { parts: said, ...turn } of chat.turns) {
    yield* copy.putTurn(id, turn)
    for (const part of said.slice(0, parts)) yield* copy.append(id, [part])
  }
  return copy
})

describe("Chats over what a killed program left", () => {
  it.effect("go on with each call answered exactly once, right after it, wherever it was killed (R31)", () =>
    Effect.gen(function*() {
      const { model: before } = yield* model([
        [...says("I look"), calls("a", "quick"), calls("b", "slow"), calls("c", "slow"), finish("tool-calls")]
      ])
      const quick = tool("quick", () => Effect.succeed(ToolResult.success("done")))
      const slow = tool("slow", () => Effect.never)
      const store = yield* newStore
      const killed = yield* start({ models: { before }, environment: "before", builtIn: [quick, slow], store })
      const { id } = yield* killed.chats.create({ agent: null, model: null })
      yield* killed.chats.send(id, message("go"))
      yield* settle
      const chat = (yield* store.get(id)) ?? assert.fail("no chat")
      const all = chat.turns.flatMap(({ parts }) => [...parts])
      const closing = yield* Effect.forkChild(killed.close)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(closing)
      assert.isTrue(all.some((part) => part.type === "tool-result" && part.id === "a"))
      assert.isFalse(all.some((part) => part.type === "finish"))
      for (let parts = 0; parts <= all.length; parts++) {
        const { asked, model: after } = yield* model([[...says("ok"), finish()]])
        const revived = yield* start({
          models: { after },
          environment: "after",
          builtIn: [quick, slow],
          store: yield* left(chat, parts)
        })
        const { turn } = yield* revived.chats.send(id, message("and now?", { model: "after" }))
        assert.strictEqual((yield* until(revived.chats, id, turn, parts)).at(-1)?.type, "finish")
        const messages = asked[0]?.prompt.content ?? assert.fail("nothing was asked")
        assert.deepStrictEqual(HistoryRules.promptFaults(messages), [])
        assert.deepStrictEqual(HistoryRepair.prompt(messages).repairs, [])
        if (parts === all.length) {
          assert.include(outline(messages).join("\n"), "done")
          assert.include(JSON.stringify(messages), "the chat server ended before it finished")
        }
      }
    }))
})
