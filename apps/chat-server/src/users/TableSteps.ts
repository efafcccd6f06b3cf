/** The steps that bring some tables of the database of the chats up to date, and how their failures are told. */
import { ChatStoreUnusable } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

type Step = Effect.Effect<void, unknown, SqlClient.SqlClient>

export interface TableSteps {
  /** The table that knows which steps are done. */
  readonly table: string
  /** The tables in words, such as `users`. */
  readonly what: string
  /** By number and name, such as `1_users`. Append only: a released step stays as it is. */
  readonly steps: Readonly<Record<string, Step>>
}

/** Brings the tables up to date. Fails when a newer program did already. */
export const run = (
  database: string,
  { steps, table, what }: TableSteps
): Effect.Effect<void, ChatStoreUnusable, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* Migrator.make({})({ loader: Migrator.fromRecord({ ...steps }), table })
    const [last] = yield* sql<{ id: number }>`SELECT MAX(migration_id) AS id FROM ${sql(table)}`
    if ((last?.id ?? 0) > Object.keys(steps).length) {
      return yield* unusable(database, `a newer BooCode made the tables of its ${what}`)
    }
  }).pipe(
    Effect.mapError((error) =>
      error._tag === "ChatStoreUnusable"
        ? error
        : unusable(database, `the tables of its ${what} cannot be made: ${error.message}`)
    )
  )

const unusable = (database: string, why: string) =>
  new ChatStoreUnusable({
    database,
    why,
    hint: "update this BooCode, see that the disk is not full, or choose another database",
    isOutOfReach: false
  })
