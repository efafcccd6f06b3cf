/** The configuration of a fleet from a folder and into one, for commands. No node needs to run. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as EnvironmentFile from "../../settings/EnvironmentFile.ts"
import { FleetSettings } from "../FleetSettings.ts"
import * as ConfigFolder from "./ConfigFolder.ts"
import { ConfigRows } from "./ConfigRows.ts"
import * as ConfigVersions from "./ConfigVersions.ts"
import * as FleetFolder from "./FleetFolder.ts"

/** Nothing was written. `boocode` prints the message and the hint. */
export class NotExchanged extends Data.TaggedError("NotExchanged")<{
  readonly message: string
  readonly hint: string
}> {}

/** The rows of the fleet that the variables name. */
export const rows = FleetFolder.rows.pipe(Layer.provide(FleetSettings.layer), Layer.provide(EnvironmentFile.layer))

const BY = "boocode fleet import"

/** Writes the files of the data folder into the rows, all or none. A file of the fleet that is not in the folder stays. */
export const imported = Effect.gen(function*() {
  const { alone, newest, read, write } = yield* ConfigRows
  const folder = yield* ConfigFolder.make
  const exchange = Effect.gen(function*() {
    const written: Array<string> = []
    const same: Array<string> = []
    const versions = yield* newest
    for (const name of yield* folder.names) {
      const text = yield* folder.read(name)
      const version = versions.get(name) ?? 0
      if (text === null) continue
      const isSame = text === (yield* read(name, version))
      if (!isSame && (yield* write(name, text, version, BY)) === null) {
        return yield* Effect.fail({ message: `a node changed ${name} at the same time; import again` })
      }
      ;(isSame ? same : written).push(name)
    }
    return { written, same }
  })
  return yield* alone(Effect.provideContext(exchange, yield* Effect.context<FileSystem.FileSystem | Path.Path>()))
})

/** Makes an older version of a file the newest one; the nodes take it over. Gives its number, the newest one where it is the same. */
export const restored = (name: string, version: number) =>
  ConfigVersions.restored(name, version, "boocode fleet restore", null)

/** Writes the newest version of each file into the data folder, which may have none of them. Gives their names. */
export const exported = Effect.gen(function*() {
  const { newest, read } = yield* ConfigRows
  const folder = yield* ConfigFolder.make
  const [taken] = yield* folder.names
  if (taken !== undefined) {
    return yield* new NotExchanged({
      message: `${folder.pathOf(taken)} is there already`,
      hint: "name a folder without a configuration; it is made when it is not there"
    })
  }
  const written: Array<string> = []
  for (const [name, version] of folder.known(yield* newest)) {
    const text = yield* read(name, version)
    if (text === null) continue
    yield* folder.put(name, text)
    written.push(name)
  }
  return written.toSorted()
})
