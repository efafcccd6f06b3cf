/** Results that are too long for a message, in rows that all nodes of a fleet read. */
import { ResultFiles } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { FleetSettings } from "../FleetSettings.ts"
import * as FleetTable from "./FleetTable.ts"
import * as SealedRows from "./SealedRows.ts"

/** A longer one is not kept. */
const MOST_BYTES = 64 * 1024 * 1024

const inRows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { openBytes, sealBytes } = yield* SealedRows.make("kept_results")
  yield* Effect.orDie(FleetTable.make(sql, "kept_results", TABLE))
  return {
    place: "the database",
    put: (handle: string, bytes: Uint8Array) =>
      bytes.length > MOST_BYTES
        ? Effect.fail({ message: `it has more than ${MOST_BYTES} bytes` })
        : Effect.flatMap(sealBytes(handle, bytes), (content) =>
          asked(sql`INSERT INTO kept_results ${sql.insert({ handle, content })} ON CONFLICT (handle) DO NOTHING`)),
    renew: (handle: string, bytes: number) =>
      Effect.map(
        asked(sql`
          UPDATE kept_results SET at = now()
          WHERE handle = ${handle} AND LENGTH(content) IN (${bytes}::int, ${bytes + SealedRows.OVERHEAD}::int)
          RETURNING handle`),
        ({ length }) => length > 0
      ),
    get: (handle: string) =>
      Effect.flatMap(
        asked(sql<{ content: Uint8Array }>`SELECT content FROM kept_results WHERE handle = ${handle}`),
        ([row]) => row === undefined ? Effect.succeed(null) : openBytes(handle, row.content)
      ),
    removeOlder: (oldest: number) =>
      asked(sql`DELETE FROM kept_results WHERE at < TO_TIMESTAMP(${oldest / 1000}::float8)`)
  }
})

const TABLE = `
  handle TEXT COLLATE "C" PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  content BYTEA NOT NULL`

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) =>
  FleetTable.bounded(effect, ({ message }) => ({ message }))

export const layer = ResultFiles.layerStore(inRows).pipe(
  Layer.provide(FleetTable.pool),
  Layer.provide(SealedRows.key),
  Layer.provide(FleetSettings.layer)
)
