/** The tables of what people share with others and answer for: what they used, what was called, and which chats they show. */
import { ChatStoreUnusable } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

const text = Effect.map(
  SqlClient.SqlClient,
  (sql) => sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
)

/** One row for each person and day of UTC. It stays when their chats go. */
const usage = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE usage_days (
      owner ${yield* text} NOT NULL,
      day ${yield* text} NOT NULL,
      requests DOUBLE PRECISION NOT NULL,
      input_tokens DOUBLE PRECISION NOT NULL,
      output_tokens DOUBLE PRECISION NOT NULL,
      cost DOUBLE PRECISION NOT NULL,
      PRIMARY KEY (owner, day)
    )`
})

const TABLE = "team_migrations"

/** Append only: what was released stays as it is. */
const STEPS = { "1_usage": usage }

const NEWEST = Object.keys(STEPS).length

/** Brings the tables up to date; those of the chats are there. Fails when a newer program did already. */
export const run = (database: string): Effect.Effect<void, ChatStoreUnusable, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrator.make({})({ loader: Migrator.fromRecord(STEPS), table: TABLE })
    const [last] = yield* sql<{ id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(TABLE)}`
    if ((last?.id ?? 0) > NEWEST) return yield* unusable(database, "a newer BooCode made the tables of its usage")
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "ChatStoreUnusable"
        ? error
        : unusable(database, `the tables of its usage cannot be made: ${error.message}`)
    )
  )

const unusable = (database: string, why: string) =>
  new ChatStoreUnusable({
    database,
    why,
    hint: "update this BooCode, see that the disk is not full, or choose another database",
    isOutOfReach: false
  })
