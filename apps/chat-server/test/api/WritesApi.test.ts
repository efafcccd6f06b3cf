import { type JournaledWrite, UndoErrors, UnknownChat } from "@boocode/chat"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { json, open, post } from "../support/Scripted.ts"

const WRITE: JournaledWrite = {
  id: "w",
  turn: 1,
  call: "c",
  name: "write_file",
  server: null,
  class: "writes",
  args: { path: "a.md", content: "two" },
  outcome: "done",
  allowedBy: "person",
  source: "a person's yes",
  undo: { possible: true, undoneAt: null, why: null }
}

describe("What tools wrote, over HTTP", () => {
  it.effect("is listed for a chat, with what can be undone", () =>
    Effect.gen(function*() {
      const list = (chat: string) => chat === "c" ? Effect.succeed([WRITE]) : Effect.fail(new UnknownChat({ id: chat }))
      const ask = yield* open({ undos: { list } })
      const response = yield* ask("/api/chats/c/writes")
      assert.deepStrictEqual([response.status, yield* json(response)], [200, { writes: [WRITE] }])
      assert.strictEqual((yield* ask("/api/chats/x/writes")).status, 404)
    }))

  it.effect("is undone by its id, and the answer says what was done", () =>
    Effect.gen(function*() {
      const ask = yield* open({ undos: { undo: (chat, id) => Effect.succeed(`${chat} ${id} is as it was before`) } })
      const response = yield* ask("/api/chats/c/writes/w/undo", post({}))
      assert.deepStrictEqual(
        [response.status, yield* json(response)],
        [200, { undone: true, text: "c w is as it was before" }]
      )
    }))

  it.effect("stays where undoing it would take something else back, and the answer says why", () =>
    Effect.gen(function*() {
      const cases = [
        [new UndoErrors.NothingToUndo({ id: "w", why: "no write of this chat has this id" }), 404, undefined],
        [new UndoErrors.ChangedSince({ name: "a.md", found: "was changed since" }), 409, "changed"],
        [new UndoErrors.AlreadyUndone({ id: "w", at: "2026-11-23T07:00:00.000Z" }), 409, "undone"],
        [new UndoErrors.UndoFailed({ why: "the disk refused" }), 500, undefined],
        [new UnknownChat({ id: "c" }), 404, undefined]
      ] as const
      for (const [error, status, state] of cases) {
        const ask = yield* open({ undos: { undo: () => Effect.fail(error) } })
        const response = yield* ask("/api/chats/c/writes/w/undo", post({}))
        const body = Object(yield* json(response))
        assert.deepStrictEqual([response.status, body._tag, body.state], [status, error._tag, state])
        assert.deepStrictEqual([body.detail, body.hint], [error.message, error.hint])
      }
    }))
})
