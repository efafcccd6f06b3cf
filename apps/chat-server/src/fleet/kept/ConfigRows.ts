/** The configuration of a fleet: each file as rows of the database, one for each version, sealed. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import type { ConfigVersion } from "../../database/ConfigHistory.ts"
import { SecretKey } from "../../users/SecretKey.ts"
import * as FleetTable from "./FleetTable.ts"

/** So many versions of a file are kept. */
const KEPT = 50

/** The database does not answer, or what it has cannot be opened. */
export class ConfigRowsFailed extends Data.TaggedError("ConfigRowsFailed")<{ readonly message: string }> {
  readonly hint = "see that PostgreSQL runs at DATABASE_URL, and that BOOCODE_SECRET is that of the fleet"
}

export type { ConfigVersion } from "../../database/ConfigHistory.ts"

/** Files by their names in the data folder, such as `agents/reader.md`. */
export class ConfigRows extends Context.Service<ConfigRows, {
  /** The number of the newest version of each file, those of removed files included. */
  readonly newest: Effect.Effect<ReadonlyMap<string, number>, ConfigRowsFailed>
  /** Null for a version that removed the file, and for one that is not there. */
  readonly read: (name: string, version: number) => Effect.Effect<string | null, ConfigRowsFailed>
  /**
   * Writes the version after `before`, 0 for none; null removes the file. Tells the other nodes. Gives the new number, or
   * null where another version came in between: nothing was written then.
   */
  readonly write: (
    name: string,
    text: string | null,
    before: number,
    by: string
  ) => Effect.Effect<number | null, ConfigRowsFailed>
  /** The kept versions of a file, or of all, the newest first. */
  readonly history: (name: string | null) => Effect.Effect<ReadonlyArray<ConfigVersion>, ConfigRowsFailed>
  /** Writes all or nothing of what an effect writes, while no other node does this. */
  readonly alone: <A>(effect: Effect.Effect<A, { readonly message: string }>) => Effect.Effect<A, ConfigRowsFailed>
  /** Whenever a node wrote, this one included. Some are missed. */
  readonly changes: Stream.Stream<void>
}>()("chat-server/ConfigRows") {
  static readonly layer = Layer.effect(ConfigRows, Effect.suspend(() => make))
}

const CHANNEL = "boocode_config"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pg = yield* PgClient.PgClient
  const { open, seal } = yield* SecretKey
  const newest = Effect.map(
    asked(sql<{ name: string; version: number }>`SELECT name, MAX(version) AS version FROM config_files GROUP BY name`),
    (rows) => new Map(rows.map(({ name, version }) => [name, version]))
  )
  const written = Effect.fnUntraced(function*(name: string, sealed: string | null, before: number, by: string) {
    const rows = yield* sql`
      INSERT INTO config_files (name, version, sealed, by)
      SELECT ${name}, ${before + 1}::int, ${sealed}, ${by}
      WHERE (SELECT COALESCE(MAX(version), 0) FROM config_files WHERE name = ${name}) = ${before}::int
      ON CONFLICT DO NOTHING RETURNING name`
    if (rows.length === 0) return null
    yield* sql`DELETE FROM config_files WHERE name = ${name} AND version <= ${before + 1 - KEPT}::int`
    yield* sql`SELECT pg_notify(${CHANNEL}, ${name})`
    return before + 1
  })
  yield* Effect.orDie(FleetTable.make(sql, "config_files", TABLE))
  return ConfigRows.of({
    newest,
    read: Effect.fnUntraced(function*(name, version) {
      const [row] = yield* asked(
        sql<{ sealed: string | null }>`
          SELECT sealed FROM config_files WHERE name = ${name} AND version = ${version}`
      )
      if (row === undefined || row.sealed === null) return null
      const text = yield* open(row.sealed, placeOf(name))
      return text === null ? yield* new ConfigRowsFailed({ message: OTHER_SECRET }) : Redacted.value(text)
    }),
    write: Effect.fnUntraced(function*(name, text, before, by) {
      const sealed = text === null
        ? null
        : yield* Effect.mapError(seal(Redacted.make(text), placeOf(name)), inWords)
      return yield* asked(sql.withTransaction(written(name, sealed, before, by)))
    }),
    history: (name) =>
      asked(sql<ConfigVersion>`
        SELECT name, version, sealed IS NULL AS removed, by,
          TO_CHAR(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
        FROM config_files WHERE ${name}::text IS NULL OR name = ${name} ORDER BY config_files.at DESC, version DESC`),
    alone: (effect) => Effect.mapError(FleetTable.alone(sql, "config_files import", effect), inWords),
    changes: Stream.unwrap(Effect.map(pg.listen(CHANNEL), Stream.fromQueue)).pipe(
      Stream.retry(Schedule.spaced("1 second")),
      Stream.orDie,
      Stream.map(() => undefined)
    )
  })
})

const TABLE = `
  name TEXT COLLATE "C" NOT NULL,
  version INTEGER NOT NULL,
  sealed TEXT,
  by TEXT NOT NULL,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (name, version)`

/** A sealed text opens as the file that it is. */
const placeOf = (name: string): string => `configuration ${name}`

const OTHER_SECRET = "another BOOCODE_SECRET sealed the configuration; give all nodes the same"

const inWords = ({ message }: { readonly message: string }) => new ConfigRowsFailed({ message })

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) => FleetTable.bounded(effect, inWords)
