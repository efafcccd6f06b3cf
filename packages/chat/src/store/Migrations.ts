/** How the tables came to be what they are: each step once, in order, all that a program brings in one transaction. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { FIRST } from "../users/CurrentUser.ts"
import { ChatStoreUnusable } from "./ChatStore.ts"
import * as SqlFlavor from "./SqlFlavor.ts"

const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { columns, createIndex } = yield* SqlFlavor.make
  const [text, bytes, counter] = [columns.text, columns.bytes, columns.counter].map((type) => sql.literal(type))
  yield* sql`
    CREATE TABLE chats (
      id ${text} PRIMARY KEY,
      record ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      last_turn INTEGER NOT NULL DEFAULT 0,
      indexed_seq INTEGER NOT NULL DEFAULT 0,
      writer ${text} NOT NULL DEFAULT ''
    )`
  yield* sql`
    CREATE TABLE turns (
      chat ${text} NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
      turn INTEGER NOT NULL,
      state ${text} NOT NULL,
      record ${text} NOT NULL,
      PRIMARY KEY (chat, turn)
    )`
  yield* sql`CREATE INDEX turns_unfinished ON turns (chat) WHERE state <> 'ended'`
  // Short columns come first: to read them costs no page that a long part fills.
  yield* sql`
    CREATE TABLE parts (
      chat ${text} NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      turn INTEGER NOT NULL,
      type ${text} NOT NULL,
      part ${text} NOT NULL,
      PRIMARY KEY (chat, seq)
    )`
  yield* sql`
    CREATE TABLE files (
      chat ${text} NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
      file ${text} NOT NULL,
      data ${bytes} NOT NULL,
      PRIMARY KEY (chat, file)
    )`
  yield* sql`
    CREATE TABLE search_texts (
      id ${counter},
      chat ${text} NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
      turn INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      text ${text} NOT NULL,
      UNIQUE (chat, turn, kind)
    )`
  yield* createIndex
})

/** Rows from before there were people belong to the first person. */
const owners = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { columns } = yield* SqlFlavor.make
  const text = sql.literal(`${columns.text} NOT NULL DEFAULT '${FIRST.id}'`)
  yield* sql`ALTER TABLE chats ADD COLUMN owner ${text}`
  yield* sql`CREATE INDEX chats_owner ON chats (owner, updated_at)`
})

/** When each part was kept, in milliseconds since 1970; null for those from before, and those of chats that were brought here. */
const times = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE parts ADD COLUMN kept_at DOUBLE PRECISION`
})

const TABLE = "chat_migrations"

/** Append only: what was released stays as it is. */
const STEPS = { "1_chats": migration, "2_owners": owners, "3_times": times }

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
