/** The tables of a fleet beside those of the engine: how they come to be, and how long the database may take. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Postgres from "../../database/Postgres.ts"
import { FleetSettings } from "../FleetSettings.ts"

/** The connections of a node for all these tables. */
export const pool = Layer.unwrap(Effect.map(FleetSettings, ({ database }) => Postgres.layerPool(database)))

const LIMIT = "10 seconds"

/** Makes a table that is not there. Nodes start at the same time. */
export const make = (
  sql: SqlClient.SqlClient,
  name: string,
  columns: string
): Effect.Effect<void, SqlError> =>
  sql.withTransaction(Effect.andThen(
    locked(sql, name),
    sql.unsafe(`CREATE TABLE IF NOT EXISTS ${name} (${columns})`)
  )).pipe(Effect.asVoid)

/** Runs in a transaction, one at a time in the whole fleet. */
export const alone = <A, E>(sql: SqlClient.SqlClient, what: string, effect: Effect.Effect<A, E>) =>
  sql.withTransaction(Effect.andThen(locked(sql, what), effect))

const locked = (sql: SqlClient.SqlClient, what: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`boocode ${what}`}, 0))`

/** Fails after ten seconds, and with a sentence. */
export const bounded = <A, E>(
  effect: Effect.Effect<A, { readonly message: string }>,
  inWords: (error: { readonly message: string }) => E
): Effect.Effect<A, E> =>
  effect.pipe(
    Effect.mapError(inWords),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.fail(inWords({ message: `the database did not answer within ${LIMIT}` }))
    })
  )
