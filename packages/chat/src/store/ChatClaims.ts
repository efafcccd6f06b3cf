/** Which of several programs on one database writes a chat: the one that claimed it, until it ends. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { ChatStoreFailed, ChatWriter } from "./ChatStore.ts"

/** Ids of chats here are keys of the database. A write to a chat of another program fails with `ChatStoreFailed`. */
export interface ChatClaims {
  readonly writer: ChatWriter
  /** Makes a chat this program's own, unless it is. In a fleet the node that was given the chat takes it from any other. */
  readonly claim: (id: string) => Effect.Effect<void, SqlError | ChatStoreFailed>
  /** Writes to a chat that is this program's own, or becomes it. In a fleet `claim` alone makes it so. */
  readonly owning: <A, E>(
    id: string,
    write: Effect.Effect<A, E>
  ) => Effect.Effect<A | void, E | SqlError | ChatStoreFailed>
  /** Writes to a chat that need not be claimed. In a fleet it is checked as `owning` does. */
  readonly checked: <A, E>(
    id: string,
    write: Effect.Effect<A, E>
  ) => Effect.Effect<A | void, E | SqlError | ChatStoreFailed>
  readonly forget: (id: string) => Effect.Effect<void>
}

/** The writer of chats from before there was anybody. */
export const NOBODY = ""

export const make: Effect.Effect<ChatClaims, never, SqlClient.SqlClient> = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const writer = yield* ChatWriter
  const own = new Set<string>()
  const { isFenced = false } = writer
  const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR NO KEY UPDATE"), orElse: () => sql.literal("") })

  /** A chat is the writer's own from the first turn or part it adds until its program ends. */
  const claim = Effect.fnUntraced(function*(id: string) {
    const [chat] = yield* sql<{ writer: string }>`SELECT writer FROM chats WHERE id = ${id}`
    if (chat === undefined) return
    if (isFenced) yield* sql`UPDATE chats SET writer = ${writer.id} WHERE id = ${id}`
    else if (chat.writer !== writer.id) {
      if (chat.writer !== NOBODY && (yield* writer.isAlive(chat.writer))) return yield* taken()
      const [won] = yield* sql`
        UPDATE chats SET writer = ${writer.id} WHERE id = ${id} AND writer = ${chat.writer} RETURNING id`
      if (won === undefined) return yield* taken()
    }
    own.add(id)
  })

  /** Only `claim` makes a chat this program's own then. The row is locked: no other can claim it until this is written. */
  const fenced = <A, E>(id: string, write: Effect.Effect<A, E>) =>
    sql.withTransaction(Effect.flatMap(
      sql<{ writer: string }>`SELECT writer FROM chats WHERE id = ${id} ${locked}`,
      ([chat]): Effect.Effect<A | void, E | ChatStoreFailed> => {
        if (chat === undefined ? !own.has(id) : chat.writer === NOBODY || chat.writer === writer.id) return write
        own.delete(id)
        // A chat that was removed is not put there again.
        return chat === undefined ? Effect.void : taken()
      }
    ))

  return {
    writer,
    claim: (id) => Effect.asVoid(Effect.when(claim(id), Effect.sync(() => isFenced || !own.has(id)))),
    owning: (id, write) => isFenced ? fenced(id, write) : own.has(id) ? write : Effect.andThen(claim(id), write),
    checked: (id, write) => isFenced ? fenced(id, write) : write,
    forget: (id) =>
      Effect.sync(() => {
        own.delete(id)
      })
  }
})

const taken = () =>
  new ChatStoreFailed({
    operation: "write",
    why: "another BooCode that runs now goes on with this chat: use that one, or end it first"
  })
