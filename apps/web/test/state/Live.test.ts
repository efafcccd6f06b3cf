import { assert, describe, it } from "@effect/vitest"
import type { ChatSummary } from "../../src/api/Types.ts"
import { chats, placeAnswered, placeChat } from "../../src/state/ListedChats.ts"

const chat = (id: string, title: string): ChatSummary => ({ id, title, updatedAt: "2026-01-01T00:00:00.000Z" }) as never

const titles = () => chats.value?.map(({ title }) => title)

describe("Live", () => {
  it("does not put a chat back to what a slow answer says when an event told of it meanwhile", () => {
    chats.value = [chat("a", "new"), chat("b", "other")]
    const place = placeAnswered("a")
    placeChat(chat("a", "waits for you"))
    place(chat("a", "new"))
    assert.deepStrictEqual(titles(), ["waits for you", "other"])
    placeAnswered("a")(chat("a", "renamed"))
    assert.deepStrictEqual(titles(), ["renamed", "other"])
    placeAnswered("c")(chat("c", "made"))
    assert.sameMembers([...titles() ?? []], ["renamed", "other", "made"])
  })
})
