/**
 * Finds words in the chats of a database. Titles and messages are indexed when they are written. Answers are when their
 * turn ends, or when somebody searches while it runs: a chat knows up to which `seq` it is.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { answerOf, excerptOf, searchable, wordsOf } from "./SearchWords.ts"
import * as SqlFlavor from "./SqlFlavor.ts"

/** Also their order in a turn. The title has the turn 0. */
export const Kind = { title: 0, message: 1, answer: 2 } as const

/** A chat as its row has it, and where the first word stands. */
export interface Hit {
  readonly record: string
  readonly excerpt: string
}

export const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const dialect = yield* SqlFlavor.make

  /** Makes a text found; an empty one no more. */
  const write = Effect.fnUntraced(function*(chat: string, turn: number, kind: number, whole: string) {
    const text = searchable(whole)
    const [there] = yield* sql<{ id: number; text: string }>`
      SELECT id, text FROM search_texts WHERE chat = ${chat} AND turn = ${turn} AND kind = ${kind}`
    if ((there?.text ?? "") === text) return
    if (there !== undefined) yield* sql`DELETE FROM search_texts WHERE id = ${there.id}`
    if (text === "") return
    const [added] = yield* sql<{ id: number }>`
      INSERT INTO search_texts ${sql.insert({ chat, turn, kind, text })} RETURNING id`
    if (added !== undefined) yield* dialect.indexWords(added.id, wordsOf(text))
  })

  const answer = Effect.fnUntraced(function*(chat: string, turn: number) {
    const rows = yield* sql<{ type: string; part: string | null }>`
      SELECT type, CASE WHEN type = 'text-delta' THEN part END AS part FROM parts
      WHERE chat = ${chat} AND turn = ${turn} AND type IN ('text-delta', 'tool-call', 'tool-result', 'retry')
      ORDER BY seq`
    yield* write(chat, turn, Kind.answer, answerOf(rows.map(({ part, type }) => ({ type, text: textOf(part) }))))
  })

  /** Brings the answers of a chat up to date. */
  const refresh = (chat: string) =>
    Effect.gen(function*() {
      const [last] = yield* sql<{ seq: number }>`SELECT MAX(seq) AS seq FROM parts WHERE chat = ${chat}`
      const turns = yield* sql<{ turn: number }>`
        SELECT DISTINCT turn FROM parts
        WHERE chat = ${chat} AND seq > (SELECT indexed_seq FROM chats WHERE id = ${chat})`
      yield* Effect.forEach(turns, ({ turn }) => answer(chat, turn), { discard: true })
      yield* sql`UPDATE chats SET indexed_seq = ${last?.seq ?? 0} WHERE id = ${chat}`
    }).pipe(sql.withTransaction)

  const refreshAll = Effect.gen(function*() {
    const stale = yield* sql<{ id: string }>`
      SELECT id FROM chats WHERE indexed_seq < (SELECT MAX(seq) FROM parts WHERE chat = chats.id)`
    yield* Effect.forEach(stale, ({ id }) => refresh(id), { discard: true })
  })

  /** Brings every chat up to date, then finds. There is at least one word. */
  const find = Effect.fnUntraced(function*(words: ReadonlyArray<string>, limit: number) {
    yield* refreshAll
    const [first = ""] = words
    const having = words.map((word) => sql`id IN (SELECT chat FROM search_texts WHERE ${dialect.hasWord(word)})`)
    const chats = yield* sql<{ id: string; record: string }>`
      SELECT id, record FROM chats WHERE ${sql.and(having)} ORDER BY updated_at DESC, id LIMIT ${limit}`
    return yield* Effect.forEach(chats, ({ id, record }) =>
      Effect.map(
        sql<{ text: string }>`
          SELECT text FROM search_texts WHERE chat = ${id} AND ${dialect.hasWord(first)}
          ORDER BY turn, kind LIMIT 1`,
        ([text]): Hit => ({ record, excerpt: excerptOf(text?.text ?? "", first) })
      ))
  })

  return { write, refresh, find }
})

const Delta = Schema.fromJsonString(Schema.Struct({ text: Schema.String }))
const decodeDelta = Schema.decodeOption(Delta)

const textOf = (part: string | null): string => {
  if (part === null) return ""
  const delta = decodeDelta(part)
  return delta._tag === "Some" ? delta.value.text : ""
}
