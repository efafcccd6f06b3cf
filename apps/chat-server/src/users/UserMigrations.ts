/** The tables of people, their sessions, tokens and invitations, in the database of the chats. */
import type { ChatStoreUnusable } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TableSteps from "./TableSteps.ts"

const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const text = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
  // `name_key` is the name without case; `subject` says who they are to an identity provider.
  yield* sql`
    CREATE TABLE users (
      id ${text} PRIMARY KEY,
      name ${text} NOT NULL,
      name_key ${text} NOT NULL UNIQUE,
      role ${text} NOT NULL,
      groups ${text} NOT NULL,
      password ${text},
      subject ${text} UNIQUE,
      created_at ${text} NOT NULL
    )`
  yield* sql`
    CREATE TABLE user_sessions (
      id ${text} PRIMARY KEY,
      user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash ${text} NOT NULL UNIQUE,
      device ${text} NOT NULL,
      created_at ${text} NOT NULL,
      last_used ${text} NOT NULL,
      until ${text} NOT NULL
    )`
  yield* sql`CREATE INDEX user_sessions_of ON user_sessions (user_id)`
  yield* sql`
    CREATE TABLE user_tokens (
      id ${text} PRIMARY KEY,
      user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      hash ${text} NOT NULL UNIQUE,
      name ${text} NOT NULL,
      scopes ${text} NOT NULL,
      created_at ${text} NOT NULL,
      last_used ${text}
    )`
  yield* sql`CREATE INDEX user_tokens_of ON user_tokens (user_id)`
  yield* sql`
    CREATE TABLE user_invitations (
      user_id ${text} PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
      hash ${text} NOT NULL UNIQUE,
      until ${text} NOT NULL
    )`
})

/** The values that people give for entries, sealed. The one person of a server without people has some, too, and no row. */
const secrets = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const text = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
  yield* sql`
    CREATE TABLE user_secrets (
      user_id ${text} NOT NULL,
      name ${text} NOT NULL,
      sealed ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      PRIMARY KEY (user_id, name)
    )`
})

/** Brings the tables up to date. Fails when a newer program did already. */
export const run = (database: string): Effect.Effect<void, ChatStoreUnusable, SqlClient.SqlClient> =>
  TableSteps.run(database, {
    table: "user_migrations",
    what: "users",
    steps: { "1_users": migration, "2_secrets": secrets }
  })
