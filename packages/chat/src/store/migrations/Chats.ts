/**
 * The first tables. What a chat, a turn and a part are stands in them as JSON, beside what is asked for.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Dialect from "../Dialect.ts"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { columns, createIndex } = yield* Dialect.make
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
  // What is short comes first: who asks for it need not read the pages that a long part fills.
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
