/** The records of what writes replaced, sealed, in rows that all nodes of a fleet read. */
import { UndoStore } from "@boocode/chat/UndoStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as SqlClient from "effect/sql/SqlClient"
import { DataFolder } from "../../settings/DataFolder.ts"
import { FleetSettings } from "../FleetSettings.ts"
import * as FleetTable from "./FleetTable.ts"
import * as SealedRows from "./SealedRows.ts"
import * as SharedWorkspace from "./SharedWorkspace.ts"

const inRows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { open, openBytes, seal, sealBytes } = yield* SealedRows.make("undo_records")
  yield* Effect.orDie(FleetTable.make(sql, "undo_records", TABLE))
  const one = <A extends object>(rows: Effect.Effect<ReadonlyArray<A>, { readonly message: string }>) =>
    Effect.map(asked(rows), ([row]) => row ?? null)
  return {
    place: "the database",
    put: Effect.fnUntraced(function*(id: string, line: string, before: Uint8Array) {
      const row = { id, line: yield* seal(id, line), before: yield* sealBytes(id, before) }
      yield* asked(sql`
        INSERT INTO undo_records ${sql.insert(row)}
        ON CONFLICT (id) DO UPDATE SET line = excluded.line, before = excluded.before`)
    }),
    line: Effect.fnUntraced(function*(id: string) {
      const row = yield* one(sql<{ line: string }>`SELECT line FROM undo_records WHERE id = ${id}`)
      return row === null ? null : yield* open(id, row.line)
    }),
    get: Effect.fnUntraced(function*(id: string) {
      const row = yield* one(
        sql<{ line: string; before: Uint8Array }>`SELECT line, before FROM undo_records WHERE id = ${id}`
      )
      return row === null ? null : { line: yield* open(id, row.line), before: yield* openBytes(id, row.before) }
    }),
    remove: (id: string) => Effect.asVoid(asked(sql`DELETE FROM undo_records WHERE id = ${id}`)),
    ids: Effect.map(
      asked(sql<{ id: string }>`SELECT id FROM undo_records`),
      (rows) => rows.map(({ id }) => id)
    )
  }
})

const TABLE = `
  id TEXT COLLATE "C" PRIMARY KEY,
  line TEXT NOT NULL,
  before BYTEA NOT NULL`

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) =>
  FleetTable.bounded(effect, ({ message }) => ({ message }))

/** The workspace is the folder that nodes share, so deleted files lie there. */
export const layer = Layer.unwrap(Effect.gen(function*() {
  const { workspace } = yield* DataFolder
  const path = yield* Path.Path
  return UndoStore.layerRecords(inRows, path.join(SharedWorkspace.ownFolder(path, workspace), "bin"))
})).pipe(
  Layer.provide(FleetTable.pool),
  Layer.provide(SealedRows.key),
  Layer.provide(FleetSettings.layer)
)
