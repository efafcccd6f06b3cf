/** Databases of chats from before there were people. */
import { ChatStore, FIRST, SqlChatStore } from "@boocode/chat"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as StoreSuite from "../../packages/chat/test/support/StoreSuite.ts"

const store = Layer.fresh(SqlChatStore.layer("the chats"))

/** The tables as the release before made them, with one chat. */
const before = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.provide(ChatStore.use((chats) => chats.put(StoreSuite.record("old"))), store)
  const { owner: _, ...record } = StoreSuite.record("old")
  yield* sql`UPDATE chats SET record = ${JSON.stringify(record)}`
  yield* sql`ALTER TABLE parts DROP COLUMN kept_at`
  yield* sql`DROP INDEX chats_owner`
  yield* sql`ALTER TABLE chats DROP COLUMN owner`
  yield* sql`DELETE FROM chat_migrations WHERE migration_id > 1`
})

/** Its chats are those of the first person, and later ones have an owner. */
export const brought = Effect.gen(function*() {
  yield* before
  yield* Effect.provide(
    Effect.gen(function*() {
      const chats = yield* ChatStore
      assert.deepStrictEqual(yield* chats.list(FIRST.id), [StoreSuite.record("old")])
      assert.strictEqual(yield* chats.owner("old"), FIRST.id)
      yield* chats.put(StoreSuite.record("new", { owner: "bob" }))
      assert.deepStrictEqual((yield* chats.list("bob")).map(({ id }) => id), ["new"])
      assert.lengthOf(yield* chats.list(FIRST.id), 1)
    }),
    store
  )
})
