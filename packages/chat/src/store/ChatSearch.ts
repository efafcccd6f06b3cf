/**
 * Finds words in the chats of a database. Titles and messages are indexed when they are written. Answers are when their
 * turn ends, or when somebody searches while it runs: a chat knows up to which `seq` it is.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { type FoundText, Kind, MOST_TEXTS } from "./SearchHits.ts"
import { answerOf, type AnswerPart, excerptOf, searchable, wordsOf } from "./SearchWords.ts"
import * as SqlFlavor from "./SqlFlavor.ts"

/** A chat as its row has it, and where the first word stands. */
export interface Hit {
  readonly record: string
  readonly excerpt: string
}

export interface Place {
  readonly record: string
  readonly text: FoundText
  /** The parts that an answer is made of; none for any other text. */
  readonly parts: ReadonlyArray<AnswerPart>
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

  const answering = Effect.fnUntraced(function*(chat: string, turn: number) {
    const rows = yield* sql<{ seq: number; type: string; part: string | null }>`
      SELECT seq, type, CASE WHEN type = 'text-delta' THEN part END AS part FROM parts
      WHERE chat = ${chat} AND turn = ${turn} AND type IN ('text-delta', 'tool-call', 'tool-result', 'retry')
      ORDER BY seq`
    return rows.map(({ part, seq, type }): AnswerPart => ({ seq, type, text: textOf(part) }))
  })

  const answer = (chat: string, turn: number) =>
    Effect.flatMap(answering(chat, turn), (parts) => write(chat, turn, Kind.answer, answerOf(parts)))

  const refresh = (chat: string) =>
    Effect.gen(function*() {
      const [last] = yield* sql<{ seq: number }>`SELECT MAX(seq) AS seq FROM parts WHERE chat = ${chat}`
      const turns = yield* sql<{ turn: number }>`
        SELECT DISTINCT turn FROM parts
        WHERE chat = ${chat} AND seq > (SELECT indexed_seq FROM chats WHERE id = ${chat})`
      yield* Effect.forEach(turns, ({ turn }) => answer(chat, turn), { discard: true })
      yield* sql`UPDATE chats SET indexed_seq = ${last?.seq ?? 0} WHERE id = ${chat}`
    }).pipe(sql.withTransaction)

  const refreshAll = Effect.fnUntraced(function*(owner: string) {
    const stale = yield* sql<{ id: string }>`
      SELECT id FROM chats
      WHERE owner = ${owner} AND indexed_seq < (SELECT MAX(seq) FROM parts WHERE chat = chats.id)`
    yield* Effect.forEach(stale, ({ id }) => refresh(id), { discard: true })
  })

  const chatsWith = (owner: string, words: ReadonlyArray<string>, limit: number) => {
    const having = words.map((word) => sql`id IN (SELECT chat FROM search_texts WHERE ${dialect.hasWord(word)})`)
    return sql<{ id: string; record: string }>`
      SELECT id, record FROM chats WHERE owner = ${owner} AND ${
      sql.and(having)
    } ORDER BY updated_at DESC, id LIMIT ${limit}`
  }

  /** Brings every chat of a person up to date, then finds. There is at least one word. */
  const find = Effect.fnUntraced(function*(owner: string, words: ReadonlyArray<string>, limit: number) {
    yield* refreshAll(owner)
    const [first = ""] = words
    return yield* Effect.forEach(yield* chatsWith(owner, words, limit), ({ id, record }) =>
      Effect.map(
        sql<{ text: string }>`
          SELECT text FROM search_texts WHERE chat = ${id} AND ${dialect.hasWord(first)}
          ORDER BY turn, kind LIMIT 1`,
        ([text]): Hit => ({ record, excerpt: excerptOf(text?.text ?? "", first) })
      ))
  })

  /** The texts of a chat with all these words, or with some of them where none has all. */
  const textsWith = Effect.fnUntraced(function*(chat: string, words: ReadonlyArray<string>, limit: number) {
    const having = words.map(dialect.hasWord)
    for (const which of [sql.and(having), sql.or(having)]) {
      const found = yield* sql<FoundText>`
        SELECT turn, kind, text FROM search_texts WHERE chat = ${chat} AND ${which} ORDER BY turn, kind LIMIT ${limit}`
      if (found.length > 0) return found
    }
    return []
  })

  /** As `find`, but each text by itself, with the parts of its turn where it is an answer. */
  const findTexts = Effect.fnUntraced(function*(owner: string, words: ReadonlyArray<string>, limit: number) {
    yield* refreshAll(owner)
    const hits: Array<Place> = []
    for (const { id, record } of yield* chatsWith(owner, words, limit)) {
      if (hits.length >= limit) break
      for (const text of yield* textsWith(id, words, Math.min(MOST_TEXTS, limit - hits.length))) {
        hits.push({ record, text, parts: text.kind === Kind.answer ? yield* answering(id, text.turn) : [] })
      }
    }
    return hits
  })

  return { write, refresh, find, findTexts }
})

const Delta = Schema.fromJsonString(Schema.Struct({ text: Schema.String }))
const decodeDelta = Schema.decodeOption(Delta)

const textOf = (part: string | null): string => {
  if (part === null) return ""
  const delta = decodeDelta(part)
  return delta._tag === "Some" ? delta.value.text : ""
}
