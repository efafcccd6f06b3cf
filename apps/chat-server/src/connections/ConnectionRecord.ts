/** The record of each connection in the state folder, for its owner alone: the old file, and the changes in it. */
import { OrdinaryFile } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"

const Switched = Schema.Struct({
  name: Schema.String,
  entry: Schema.NullOr(Schema.Json),
  was: Schema.NullOr(Schema.Json)
})

const Written = Schema.Struct({
  /** The file of the application; absolute. */
  file: Schema.String,
  /** The text that was written. */
  after: Schema.String,
  /** The servers that were switched off there. */
  switched: Schema.Array(Switched)
})

/** A connection. `before` is the text of the file without it; null for a file that was not there. */
export interface ConnectionRecord extends Schema.Schema.Type<typeof Written> {
  readonly before: string | null
}

const Stored = Schema.fromJsonString(Written)

const FOLDER = "connected"

const paths = Effect.fnUntraced(function*(client: string, file: string) {
  const path = yield* Path.Path
  const { state } = yield* DataFolder
  const folder = path.resolve(state, FOLDER, client)
  return { folder, record: path.join(folder, "connection.json"), kept: path.join(folder, path.basename(file)) }
})

/** The record of an application; null where there is none that can be read. */
export const read = Effect.fnUntraced(function*(client: string) {
  const { record } = yield* paths(client, "")
  const text = yield* Effect.orElseSucceed(PrivateFile.read(record), () => null)
  if (text === null) return null
  const written = yield* Effect.orElseSucceed(Schema.decodeEffect(Stored)(text), () => null)
  if (written === null) return null
  const { kept } = yield* paths(client, written.file)
  const before = (yield* Effect.orElseSucceed(OrdinaryFile.read(kept), () => ({ text: null }))).text
  return { ...written, before } satisfies ConnectionRecord
})

/** Keeps a record, and gives the path of the old file; null where there was none. */
export const write = Effect.fnUntraced(function*(client: string, { before, ...written }: ConnectionRecord) {
  const { kept, record } = yield* paths(client, written.file)
  if (before !== null) yield* PrivateFile.write(kept, before)
  yield* PrivateFile.write(record, yield* Effect.orDie(Schema.encodeEffect(Stored)(written)))
  return before === null ? null : kept
})

/** Removes a record, and the old file with it. Never fails. */
export const remove = Effect.fnUntraced(function*(client: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const { folder, kept, record } = yield* paths(client, file)
  yield* Effect.forEach([record, kept], (one) => Effect.ignore(fs.remove(one)), { discard: true })
  yield* Effect.ignore(fs.remove(folder, { recursive: true }))
})
