/** The documents of apps, sealed, in rows that all nodes of a fleet read: any of them sends what another showed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { SharedDocuments } from "../../database/SharedDocuments.ts"
import { FleetSettings } from "../FleetSettings.ts"
import * as FleetTable from "./FleetTable.ts"
import * as SealedRows from "./SealedRows.ts"

/** A browser fetches a document at once, and again when it restores a tab. */
const KEPT_HOURS = 24

export const layer = Layer.effect(
  SharedDocuments,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { open, seal } = yield* SealedRows.make("app_documents")
    yield* Effect.orDie(FleetTable.make(sql, "app_documents", TABLE))
    return {
      put: Effect.fnUntraced(function*(id: string, text: string) {
        const document = yield* seal(id, text)
        yield* asked(sql`INSERT INTO app_documents ${sql.insert({ id, document })}`)
        yield* asked(sql`DELETE FROM app_documents WHERE at < now() - ${`${KEPT_HOURS} hours`}::interval`)
      }),
      get: Effect.fnUntraced(function*(id: string) {
        const [row] = yield* asked(sql<{ document: string }>`SELECT document FROM app_documents WHERE id = ${id}`)
        return row === undefined ? null : yield* open(id, row.document)
      })
    }
  })
).pipe(Layer.provide(FleetTable.pool), Layer.provide(SealedRows.key), Layer.provide(FleetSettings.layer))

const TABLE = `
  id TEXT COLLATE "C" PRIMARY KEY,
  at TIMESTAMPTZ NOT NULL DEFAULT now(),
  document TEXT NOT NULL`

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) =>
  FleetTable.bounded(effect, ({ message }) => ({ message }))
