/** The tables of what people share with others and answer for: what they used, what was called, and which chats they show. */
import type { ChatStoreUnusable } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TableSteps from "../users/TableSteps.ts"

const text = Effect.map(
  SqlClient.SqlClient,
  (sql) => sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
)

/** One row for each person and day of UTC, until step 4. It stays when their chats go. */
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

const numbers = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
    sql.literal(sql.onDialectOrElse({
      pg: () => "INTEGER PRIMARY KEY GENERATED ALWAYS AS IDENTITY",
      orElse: () => "INTEGER PRIMARY KEY AUTOINCREMENT"
    }))
)

/** One row for each call, without its arguments. */
const audit = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const type = yield* text
  const counter = yield* numbers
  yield* sql`
    CREATE TABLE audit_calls (
      id ${counter},
      at ${type} NOT NULL,
      owner ${type} NOT NULL,
      tool ${type} NOT NULL,
      server ${type},
      class ${type} NOT NULL,
      origin ${type} NOT NULL,
      place ${type},
      outcome ${type} NOT NULL,
      allowed_by ${type} NOT NULL,
      source ${type} NOT NULL,
      millis INTEGER NOT NULL
    )`
  yield* sql`CREATE INDEX audit_calls_owner ON audit_calls (owner, id)`
  yield* sql`CREATE INDEX audit_calls_at ON audit_calls (at)`
})

/** Chats that their owners show to others. They go with the chat. */
const shares = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const type = yield* text
  yield* sql`
    CREATE TABLE chat_shares (
      id ${type} PRIMARY KEY,
      chat ${type} NOT NULL UNIQUE REFERENCES chats (id) ON DELETE CASCADE,
      created_at ${type} NOT NULL
    )`
})

/** One row for each person, day of UTC, model and agent; what was used before is under no model and no agent. */
const usageBy = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const type = yield* text
  yield* sql`
    CREATE TABLE usage_by (
      owner ${type} NOT NULL,
      day ${type} NOT NULL,
      model ${type} NOT NULL,
      agent ${type} NOT NULL,
      requests DOUBLE PRECISION NOT NULL,
      input_tokens DOUBLE PRECISION NOT NULL,
      output_tokens DOUBLE PRECISION NOT NULL,
      cost DOUBLE PRECISION NOT NULL,
      PRIMARY KEY (owner, day, model, agent)
    )`
  yield* sql`
    INSERT INTO usage_by
    SELECT owner, day, '', '', requests, input_tokens, output_tokens, cost FROM usage_days`
  yield* sql`DROP TABLE usage_days`
  yield* sql`ALTER TABLE usage_by RENAME TO usage_days`
})

/** The events of the last days of the servers that all share. */
const events = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const type = yield* text
  yield* sql`
    CREATE TABLE server_events (
      id ${yield* numbers},
      at ${type} NOT NULL,
      server ${type} NOT NULL,
      kind ${type} NOT NULL,
      reason ${type}
    )`
  yield* sql`CREATE INDEX server_events_server ON server_events (server, at)`
  yield* sql`CREATE INDEX audit_calls_server ON audit_calls (server, at)`
})

/** The owner of a personal server; empty for one that all share. */
const eventOwners = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE server_events ADD COLUMN owner ${yield* text} NOT NULL DEFAULT ''`
})

/** Brings the tables up to date; those of the chats are there. Fails when a newer program did already. */
export const run = (database: string): Effect.Effect<void, ChatStoreUnusable, SqlClient.SqlClient> =>
  TableSteps.run(database, {
    table: "team_migrations",
    what: "usage",
    steps: {
      "1_usage": usage,
      "2_audit": audit,
      "3_shares": shares,
      "4_usage_by": usageBy,
      "5_events": events,
      "6_event_owners": eventOwners
    }
  })
