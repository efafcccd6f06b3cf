/** Copies of all chats, and of the people: a snapshot of SQLite's file, and the way between PostgreSQL and such a file. */
import { ChatDocument, ChatStore, SqlChatStore } from "@boocode/chat"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import * as NodeSqlite from "../database/NodeSqlite.ts"
import * as UserMigrations from "../users/UserMigrations.ts"
import { BackupFailed, RestoreRefused } from "./BackupError.ts"

const BUSY_MILLIS = 15_000

/** Copies the chats as they are at one moment, while others write to them, into a new file. */
export const snapshot = (file: string, target: string) =>
  Effect.try({
    try: () => {
      const database = new DatabaseSync(file, { timeout: BUSY_MILLIS })
      // oxlint-disable-next-line house/no-try -- the file is closed, whatever became of the copy
      try {
        database.prepare("VACUUM INTO ?").run(target)
      } finally {
        database.close()
      }
    },
    catch: (cause) =>
      new BackupFailed({
        message: `the chats in ${file} cannot be copied: ${wordsOf(cause)}`,
        hint: "see that the disk is not full; boocode chats list shows whether they can be read",
        file,
        cause
      })
  })

/** Whether a copy is a whole database of chats, of this version or an older one. */
export const check = (file: string) =>
  Effect.try({
    try: () => {
      const database = new DatabaseSync(file, { readOnly: true })
      // oxlint-disable-next-line house/no-try -- as above
      try {
        const [found] = database.prepare("PRAGMA quick_check(1)").all()
        return found?.["quick_check"] === "ok" &&
          database.prepare("SELECT COUNT(*) AS count FROM chats").all().length === 1
      } finally {
        database.close()
      }
    },
    catch: () => false
  }).pipe(Effect.catch(() => Effect.succeed(false)))

/** The chats, and the tables of people. */
const tables = (name: string) => Layer.merge(SqlChatStore.layer(name), Layer.effectDiscard(UserMigrations.run(name)))

const inFile = (file: string) => Layer.provideMerge(tables(file), NodeSqlite.layer(file))

const inPostgres = (url: Redacted.Redacted) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../database/Postgres.ts")),
      (Postgres) => Layer.provideMerge(tables(Postgres.nameOf(url)), Postgres.layer(url, "command"))
    )
  )

/** All chats of PostgreSQL as they are now, in a new file of SQLite. */
export const fromPostgres = (url: Redacted.Redacted, target: string) =>
  between(inPostgres(url), inFile(target), false).pipe(
    Effect.mapError((cause) =>
      new BackupFailed({
        message: `the chats of the database cannot be copied: ${cause.message}`,
        hint:
          "see that PostgreSQL runs and that DATABASE_URL is right; boocode chats list shows whether they can be read",
        cause
      })
    )
  )

/** The chats of a file in the place of all those of PostgreSQL: all of them or, where it fails, none. */
export const intoPostgres = (file: string, url: Redacted.Redacted) =>
  between(inFile(file), inPostgres(url), true).pipe(
    Effect.mapError((cause) =>
      new RestoreRefused({
        message: `the chats cannot be brought into the database: ${cause.message}`,
        hint: "see that PostgreSQL runs, has room and that DATABASE_URL is right; nothing was changed",
        cause
      })
    )
  )

/** Sessions and invitations stay behind: people sign in anew. */
const copyPeople = Effect.fnUntraced(function*(from: SqlClient.SqlClient, to: SqlClient.SqlClient) {
  for (const table of ["users", "user_tokens"]) {
    for (const row of yield* from`SELECT * FROM ${from(table)}`) {
      yield* to`INSERT INTO ${to(table)} ${to.insert({ ...row })}`
    }
  }
})

type Stores<E> = Layer.Layer<ChatStore | SqlClient.SqlClient, E>

const between = Effect.fnUntraced(function*<E1, E2>(from: Stores<E1>, to: Stores<E2>, replaces: boolean) {
  const begun = yield* Layer.build(from)
  const source = Context.get(begun, ChatStore)
  const services = yield* Layer.build(to)
  const [target, sql] = [Context.get(services, ChatStore), Context.get(services, SqlClient.SqlClient)]
  const origin = Context.get(begun, SqlClient.SqlClient)
  const copied = Effect.gen(function*() {
    if (replaces) {
      yield* sql`DELETE FROM chats`
      yield* sql`DELETE FROM users`
    }
    yield* copyPeople(origin, sql)
    // One chat at a time is in memory.
    yield* Effect.forEach(
      yield* source.ids,
      (id) => Effect.flatMap(ChatDocument.whole(source, id), (chat) => chat === null ? Effect.void : target.add(chat)),
      {
        discard: true
      }
    )
  })
  yield* sql.withTransaction(copied)
}, Effect.scoped)

const wordsOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
