/** The state that a single server keeps in files of its state folder, in the database of the fleet. */
import { StateStorage, StateStorageError } from "@boocode/mcp-client/StateStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Postgres from "../database/Postgres.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import { FleetSettings } from "./FleetSettings.ts"

const LIMIT = "10 seconds"

/** Texts in one table, each with a version. Files of the state folder are kept under their names in it. */
export const layer = Layer.effect(
  StateStorage,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const path = yield* Path.Path
    const { state } = yield* DataFolder
    yield* Effect.orDie(tables(sql))
    return {
      nameOf: (file) => {
        const name = path.relative(state, file)
        return name.startsWith("..") || path.isAbsolute(name) ? null : name
      },
      read: (name) =>
        sql<{ text: string; version: number }>`SELECT text, version FROM state_files WHERE name = ${name}`.pipe(
          Effect.map(([row]) => row ?? null),
          bounded
        ),
      write: (name, text, before) =>
        (before === 0
          ? sql`INSERT INTO state_files ${
            sql.insert({ name, text, version: 1 })
          } ON CONFLICT (name) DO NOTHING RETURNING name`
          : sql`
            UPDATE state_files SET text = ${text}, version = ${before + 1}
            WHERE name = ${name} AND version = ${before} RETURNING name`).pipe(
            Effect.map((rows) => rows.length > 0),
            bounded
          )
    }
  })
).pipe(
  Layer.provide(Layer.unwrap(Effect.map(FleetSettings, ({ database }) => Postgres.layerPool(database)))),
  Layer.provide(FleetSettings.layer)
)

/** Nodes start at the same time. */
const tables = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(Effect.andThen(
    sql`SELECT pg_advisory_xact_lock(hashtextextended('boocode state_files', 0))`,
    sql`
      CREATE TABLE IF NOT EXISTS state_files (
        name TEXT COLLATE "C" PRIMARY KEY,
        version INTEGER NOT NULL,
        text TEXT NOT NULL
      )`
  ))

const bounded = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, StateStorageError> =>
  effect.pipe(
    Effect.mapError(({ message }) => new StateStorageError({ message })),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(new StateStorageError({ message: `the database did not answer within ${LIMIT}` }))
    })
  )
