/**
 * How the tables came to be what they are: each step once, in order, all that a program brings in one transaction.
 */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { ChatStoreUnusable } from "./ChatStoreFailed.ts"
import * as Chats from "./migrations/Chats.ts"

const TABLE = "chat_migrations"

/** Append only: what was released stays as it is. */
const STEPS = { "1_chats": Chats.migration }

const NEWEST = Object.keys(STEPS).length

/** Brings the tables up to date. Fails when a newer program did already. */
export const run = (database: string): Effect.Effect<void, ChatStoreUnusable, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrator.make({})({ loader: Migrator.fromRecord(STEPS), table: TABLE })
    const [last] = yield* sql<{ id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(TABLE)}`
    if ((last?.id ?? 0) > NEWEST) return yield* newer(database)
  }).pipe(Effect.mapError((error) => error._tag === "ChatStoreUnusable" ? error : unusable(database, error)))

const newer = (database: string) =>
  new ChatStoreUnusable({
    database,
    why: "a newer BooCode made them",
    hint: "update this BooCode, or choose another database",
    isOutOfReach: false
  })

const unusable = (database: string, error: { readonly message: string }) =>
  new ChatStoreUnusable({
    database,
    why: `its tables cannot be brought up to date: ${reasonOf(error)}`,
    hint:
      "see that it is a database of BooCode's own and that its disk is not full; restore a backup when it is damaged",
    isOutOfReach: false,
    cause: error
  })

/** The words of the database, at the bottom of what the migrator says. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}
