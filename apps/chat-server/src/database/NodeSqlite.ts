/**
 * effect's SqlClient over Node's own SQLite. One connection, and every statement runs at once on the only thread: keep
 * them short.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"

/** Statements kept prepared; those with lists of values differ by their length. */
const PREPARED = 100

/** How long a statement waits for another program that writes. The thread waits too. */
const BUSY_MILLIS = 2000

/** Opened when the layer is built, closed with it. The file is made when it is not there. */
export const layer = (file: string): Layer.Layer<SqlClient.SqlClient, SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(file)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function*(file: string) {
  const database = yield* Effect.acquireRelease(
    attempt("open", () => open(file)),
    (database) => Effect.sync(() => database.close())
  )
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connectionOf(database)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => database.isTransaction
  })
  return yield* SqlClient.make({
    ...acquirers,
    driver: "node-sqlite",
    compiler: Statement.makeCompilerSqlite(),
    prepareTransactionControls: true,
    // A transaction that reads first and writes then would fail when another program writes in between.
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/**
 * A killed program loses nothing that it wrote (WAL), a loss of power the last moments
 * (NORMAL).
 */
const open = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: BUSY_MILLIS, enableForeignKeyConstraints: true })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
  return database
}

const connectionOf = (database: DatabaseSync): Connection => {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, known)
    const [oldest] = prepared.size > PREPARED ? prepared.keys() : []
    if (oldest !== undefined) prepared.delete(oldest)
    return known
  }
  const rows = (sql: string, values: ReadonlyArray<unknown>) =>
    attempt("execute", () => statement(sql).all(...values.map(valueOf)))
  const lists = (sql: string, values: ReadonlyArray<unknown>) =>
    Effect.map(rows(sql, values), (found) => found.map((row) => Object.values(row)))
  return {
    execute: (sql, values, transform) =>
      transform === undefined ? rows(sql, values) : Effect.map(rows(sql, values), transform),
    executeRaw: rows,
    executeUnprepared: (sql, values, transform) =>
      transform === undefined ? rows(sql, values) : Effect.map(rows(sql, values), transform),
    executeValues: lists,
    executeValuesUnprepared: lists,
    executeStream: (sql, values) => Stream.unwrap(Effect.map(rows(sql, values), (found) => Stream.fromIterable(found)))
  }
}

const valueOf = (value: unknown): SQLInputValue => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value
  if (value === null || value instanceof Uint8Array) return value
  // oxlint-disable-next-line house/no-throw -- a mistake in the statement
  throw new TypeError(`SQLite keeps no ${typeof value}`)
}

const attempt = <A>(operation: string, work: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({
    try: work,
    catch: (cause) =>
      new SqlError({ reason: classifySqliteError(numbered(cause), { operation, message: wordsOf(cause) }) })
  })

const PRIMARY_KEY_VIOLATED = 1555
const UNIQUE_VIOLATED = 2067

/** effect looks for SQLite's number of an error where other drivers put it. */
const numbered = (cause: unknown): unknown => {
  if (!(cause instanceof Error) || !("errcode" in cause)) return cause
  const errno = cause.errcode === PRIMARY_KEY_VIOLATED ? UNIQUE_VIOLATED : cause.errcode
  return Object.assign(cause, { errno })
}

const wordsOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
