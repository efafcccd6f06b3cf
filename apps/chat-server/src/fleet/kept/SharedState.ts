/** The state that a single server keeps in files of its state folder, in the database of the fleet. */
import { type NamedState, StateStorage, StateStorageError } from "@boocode/mcp-client/StateStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as SqlClient from "effect/sql/SqlClient"
import { DataFolder } from "../../settings/DataFolder.ts"
import * as FleetTable from "./FleetTable.ts"
import * as SealedRows from "./SealedRows.ts"

/** Texts in one table, each with a version, sealed. Files of the state folder are kept under their names in it. */
export const layer = Layer.effect(
  StateStorage,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const path = yield* Path.Path
    const { state } = yield* DataFolder
    const { open, seal } = yield* SealedRows.make("state")
    yield* Effect.orDie(FleetTable.make(sql, "state_files", TABLE))
    yield* Effect.orDie(sql`ALTER TABLE state_files ADD COLUMN IF NOT EXISTS at TIMESTAMPTZ NOT NULL DEFAULT now()`)
    const opened = (name: string, text: string) => Effect.mapError(open(name, text), inWords)
    return {
      nameOf: (file) => {
        const name = path.relative(state, file)
        return name.startsWith("..") || path.isAbsolute(name) ? null : name
      },
      read: Effect.fnUntraced(function*(name) {
        const [row] = yield* asked(
          sql<{ text: string; version: number }>`SELECT text, version FROM state_files WHERE name = ${name}`
        )
        return row === undefined ? null : { ...row, text: yield* opened(name, row.text) }
      }),
      write: Effect.fnUntraced(function*(name, plain, before) {
        const text = yield* Effect.mapError(seal(name, plain), inWords)
        const rows = yield* asked(
          before === 0
            ? sql`INSERT INTO state_files ${
              sql.insert({ name, text, version: 1 })
            } ON CONFLICT (name) DO NOTHING RETURNING name`
            : sql`
              UPDATE state_files SET text = ${text}, version = ${before + 1}
              WHERE name = ${name} AND version = ${before} RETURNING name`
        )
        return rows.length > 0
      }),
      list: Effect.fnUntraced(function*(prefix) {
        const rows = yield* asked(
          sql<NamedState>`SELECT name, text FROM state_files WHERE STARTS_WITH(name, ${prefix}) ORDER BY at, name`
        )
        return yield* Effect.forEach(
          rows,
          ({ name, text }) => Effect.map(opened(name, text), (text) => ({ name, text }))
        )
      }),
      remove: (name) => Effect.asVoid(asked(sql`DELETE FROM state_files WHERE name = ${name}`))
    }
  })
)

const TABLE = `
  name TEXT COLLATE "C" PRIMARY KEY,
  version INTEGER NOT NULL,
  text TEXT NOT NULL`

const inWords = ({ message }: { readonly message: string }) => new StateStorageError({ message })

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) => FleetTable.bounded(effect, inWords)
