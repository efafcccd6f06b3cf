/**
 * Reads parts from the rows of a database. A warning takes the place of a part that this program cannot read, so that
 * the rest of the chat can be read.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SqlClient from "effect/sql/SqlClient"
import type { ChatTurn } from "../model/Chat.ts"
import { Part } from "../model/Part.ts"

export interface PartRow {
  readonly seq: number
  readonly turn: number
  readonly part: string
}

/** The row of a part, with the time at which it is kept; null for a part that was kept elsewhere. */
export const rowOf = (chat: string, part: Part, at: number | null) => ({
  chat,
  seq: part.seq,
  turn: part.turn,
  type: part.type,
  part: JSON.stringify(part),
  kept_at: at
})

export const ofTurns = (turns: ReadonlyArray<ChatTurn>): Array<Part> =>
  turns.flatMap(({ parts }) => parts).toSorted((one, other) => one.seq - other.seq)

const decodeAll = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Part)))
const decodeRow = Schema.decodeUnknownResult(Schema.fromJsonString(Part))

/**
 * Decodes rows, in their order: all rows at once when every one of them can be read, which takes a third of the time,
 * else one by one.
 */
export const decode = (chat: string, rows: ReadonlyArray<PartRow>): Effect.Effect<ReadonlyArray<Part>> =>
  Effect.suspend(() => {
    const all = decodeAll(`[${rows.map(({ part }) => part).join(",")}]`)
    // Rows that are no JSON one by one may still be a list when they are joined.
    if (Result.isSuccess(all) && all.success.length === rows.length && all.success.every(isOf(rows))) {
      return Effect.succeed(all.success)
    }
    return Effect.forEach(rows, (row) => decodeOne(chat, row))
  })

/** The parts of a turn with the times at which they were kept, and the time of the part before them. */
export const timed = Effect.fnUntraced(function*(sql: SqlClient.SqlClient, id: string, turn: number) {
  const rows = yield* sql<PartRow & { at: number | null }>`
    SELECT seq, turn, part, kept_at AS at FROM parts WHERE chat = ${id} AND turn = ${turn} ORDER BY seq`
  const [before] = yield* sql<{ at: number | null }>`
    SELECT kept_at AS at FROM parts WHERE chat = ${id} AND seq < ${rows[0]?.seq ?? 0} ORDER BY seq DESC LIMIT 1`
  const parts = yield* decode(id, rows)
  return { before: before?.at ?? null, parts: parts.map((part, index) => ({ part, at: rows[index]?.at ?? null })) }
})

/** The decoder's message names every kind of part that it expected, which takes many lines. */
const WHY_CHARACTERS = 100

const isOf = (rows: ReadonlyArray<PartRow>) => (part: Part, index: number): boolean =>
  rows[index]?.seq === part.seq && rows[index].turn === part.turn

const decodeOne = (chat: string, row: PartRow): Effect.Effect<Part> => {
  const part = decodeRow(row.part)
  if (Result.isSuccess(part) && isOf([row])(part.success, 0)) return Effect.succeed(part.success)
  const why = Result.isSuccess(part) ? "it is in another's place" : part.failure.message
  const unreadable: Part = {
    type: "warning",
    seq: row.seq,
    turn: row.turn,
    message: "Something that another version of BooCode wrote here cannot be shown by this one."
  }
  return Effect.logWarning(`part ${row.seq} of chat ${chat} cannot be read: ${why.slice(0, WHY_CHARACTERS)}`).pipe(
    Effect.as(unreadable)
  )
}
