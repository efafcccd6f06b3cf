/** Chats that go from one PostgreSQL by way of a file into another. */
import { ChatStore, SqlChatStore } from "@boocode/chat"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { truncateSync } from "node:fs"
import * as ChatCopy from "../../apps/chat-server/src/backup/ChatCopy.ts"
import * as DatabasePostgres from "../../apps/chat-server/src/database/Postgres.ts"
import * as StoreSuite from "../../packages/chat/test/support/StoreSuite.ts"

/** The file takes the place of what the second one had; a damaged file takes the place of nothing. */
export const prove = Effect.fnUntraced(function*<E, R>(database: Effect.Effect<string, E, R>, file: string) {
  const [from, to] = [yield* database, yield* database]
  const at = <A, E>(url: string, use: (store: ChatStore["Service"]) => Effect.Effect<A, E>) =>
    Effect.provide(
      Effect.flatMap(ChatStore, use),
      Layer.provideMerge(SqlChatStore.layer("test"), DatabasePostgres.layer(Redacted.make(url), "server")),
      { local: true }
    )
  const turns = at(
    to,
    (store) => Effect.forEach(["a", "old"], (id) => Effect.map(store.get(id), (chat) => chat?.turns.length ?? null))
  )
  yield* at(
    from,
    (store) =>
      Effect.andThen(store.put(StoreSuite.record("a")), store.putTurn("a", { ...StoreSuite.turn(1), state: "ended" }))
  )
  yield* at(to, (store) => store.put(StoreSuite.record("old")))
  yield* ChatCopy.fromPostgres(Redacted.make(from), file)
  assert.isTrue(yield* ChatCopy.check(file))
  yield* ChatCopy.intoPostgres(file, Redacted.make(to))
  assert.deepStrictEqual(yield* turns, [1, null])
  truncateSync(file, 5000)
  yield* Effect.flip(ChatCopy.intoPostgres(file, Redacted.make(to)))
  assert.deepStrictEqual(yield* turns, [1, null])
})
