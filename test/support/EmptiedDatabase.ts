/** A database for one test after the other: a new one for each is a thousand files that are written and removed. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

/** The address of the database that `made` makes when it is first needed, empty each time. */
export const make = (made: Effect.Effect<string>): Effect.Effect<string> => {
  let kept: string | null = null
  return Effect.suspend(() => kept === null ? made : Effect.as(emptied(kept), kept)).pipe(
    Effect.tap((url) =>
      Effect.sync(() => {
        kept = url
      })
    )
  )
}

const emptied = (url: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.andThen(sql`DROP SCHEMA public CASCADE`, sql`CREATE SCHEMA public`)
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url) })), Effect.orDie)
