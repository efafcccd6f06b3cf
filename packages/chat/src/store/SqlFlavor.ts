/** Where SQLite and PostgreSQL differ: the kinds of columns, and how words are found. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"

export interface SqlFlavor {
  readonly columns: {
    /** Compared by its characters alone, whatever the language of the database. */
    readonly text: string
    readonly bytes: string
    /** A number that counts up by itself. */
    readonly counter: string
  }
  /** Makes what `indexWords` and `hasWord` use, beside a table `search_texts` with an `id`. */
  readonly createIndex: Effect.Effect<void, SqlError, SqlClient.SqlClient>
  /** Makes a new text found by these words. When the text is deleted, so are they. */
  readonly indexWords: (id: number, words: ReadonlyArray<string>) => Effect.Effect<void, SqlError>
  /** True of the rows of `search_texts` that have a word which begins so. A word has letters and digits only. */
  readonly hasWord: (word: string) => Fragment
}

export const make: Effect.Effect<SqlFlavor, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => sql.onDialectOrElse({ pg: () => postgres(sql), orElse: () => sqlite(sql) })
)

/** Words are in an FTS5 table that keeps no text. They are folded already, and its `ascii` tokenizer leaves them so. */
const sqlite = (sql: SqlClient.SqlClient): SqlFlavor => ({
  columns: { text: "TEXT", bytes: "BLOB", counter: "INTEGER PRIMARY KEY AUTOINCREMENT" },
  createIndex: Effect.gen(function*() {
    yield* sql`
      CREATE VIRTUAL TABLE search_words USING fts5(
        words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
      )`
    yield* sql`
      CREATE TRIGGER search_texts_deleted AFTER DELETE ON search_texts
      BEGIN DELETE FROM search_words WHERE rowid = old.id; END`
  }),
  indexWords: (id, words) =>
    Effect.asVoid(sql`INSERT INTO search_words (rowid, words) VALUES (${id}, ${words.join(" ")})`),
  hasWord: (word) => sql`id IN (SELECT rowid FROM search_words WHERE search_words MATCH ${`"${word}"*`})`
})

const postgres = (sql: SqlClient.SqlClient): SqlFlavor => ({
  columns: { text: `TEXT COLLATE "C"`, bytes: "BYTEA", counter: "INTEGER PRIMARY KEY GENERATED ALWAYS AS IDENTITY" },
  createIndex: Effect.gen(function*() {
    yield* sql`ALTER TABLE search_texts ADD COLUMN words tsvector NOT NULL DEFAULT ''`
    yield* sql`CREATE INDEX search_texts_words ON search_texts USING gin (words)`
  }),
  indexWords: (id, words) =>
    words.length === 0 ? Effect.void : Effect.asVoid(sql`
      UPDATE search_texts SET words = array_to_tsvector(string_to_array(${words.join(" ")}, ' ')) WHERE id = ${id}`),
  hasWord: (word) => sql`words @@ ${`'${word}':*`}::tsquery`
})
