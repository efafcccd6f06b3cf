/** The state that a single server keeps in files of its state folder, in the database of the fleet. */
import { type NamedState, StateStorage, StateStorageError } from "@boocode/mcp-client/StateStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { DataFolder } from "../../settings/DataFolder.ts"
import { SecretKey } from "../../users/SecretKey.ts"
import * as FleetTable from "./FleetTable.ts"

/**
 * Texts in one table, each with a version, sealed. Files of the state folder are kept under their names in it. A text that an
 * older BooCode kept there unsealed can be read, and is sealed with its next change.
 */
export const layer = Layer.effect(
  StateStorage,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const path = yield* Path.Path
    const { state } = yield* DataFolder
    const { open, seal } = yield* SecretKey
    yield* Effect.orDie(FleetTable.make(sql, "state_files", TABLE))
    yield* Effect.orDie(sql`ALTER TABLE state_files ADD COLUMN IF NOT EXISTS at TIMESTAMPTZ NOT NULL DEFAULT now()`)
    const opened = Effect.fnUntraced(function*(name: string, text: string) {
      if (!text.startsWith(SEALED)) return text
      const found = yield* open(text.slice(SEALED.length), placeOf(name))
      return found === null ? yield* new StateStorageError({ message: OTHER_SECRET }) : Redacted.value(found)
    })
    const sealed = (name: string, text: string) =>
      seal(Redacted.make(text), placeOf(name)).pipe(Effect.mapBoth({
        onSuccess: (made) => `${SEALED}${made}`,
        onFailure: inWords
      }))
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
        const text = yield* sealed(name, plain)
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

/** No text of a file begins so. */
const SEALED = "sealed "

/** A sealed text opens as the file that it is. */
const placeOf = (name: string): string => `state ${name}`

const OTHER_SECRET = "another BOOCODE_SECRET sealed it; give all nodes the same"

const inWords = ({ message }: { readonly message: string }) => new StateStorageError({ message })

const asked = <A>(effect: Effect.Effect<A, { readonly message: string }>) => FleetTable.bounded(effect, inWords)
