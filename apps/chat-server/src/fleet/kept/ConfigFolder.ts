/** The files of the configuration in a data folder, by the names that they have in the rows. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as BackupItems from "../../backup/BackupItems.ts"
import * as BackupPlaces from "../../backup/BackupPlaces.ts"
import { DataFolder } from "../../settings/DataFolder.ts"

/** Where files come that the fleet has otherwise, in the data folder. */
const ASIDE = ".before-fleet"

/** A larger file is left out: a person writes none. */
const MOST_BYTES = 1024 * 1024

/** Variables are those of each node, and the workspace is no configuration. */
const ITEMS = BackupItems.ITEMS.filter(({ kind, root }) =>
  root === "data" && kind !== "workspace" && kind !== "credentials"
)

const DATA = "data/"

export const make = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folder } = yield* DataFolder
  const places = yield* BackupPlaces.make
  yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
  /** An editor writes to where links lead. */
  const roots = new Set([path.resolve(folder), yield* Effect.orElseSucceed(fs.realPath(folder), () => folder)])
  const pathOf = (name: string) => places.pathOf("data", name)
  const named = new Map(
    ITEMS.filter(({ name }) => !name.endsWith("/")).map(({ name }) => [path.relative(folder, pathOf(name)), name])
  )
  const nameOf = (file: string): string | null => {
    for (const root of roots) {
      const relative = path.relative(root, path.resolve(file))
      const known = named.get(relative)
      if (known !== undefined) return known
      const inside = relative.split(path.sep).join("/")
      if (isKept(inside) && ITEMS.some((item) => item.name.endsWith("/") && BackupItems.isOf(item, "data", inside))) {
        return inside
      }
    }
    return null
  }
  const makeParent = (name: string) => fs.makeDirectory(path.dirname(pathOf(name)), { recursive: true, mode: 0o700 })
  const draftOf = (name: string) => {
    const file = pathOf(name)
    return path.join(path.dirname(file), `.${path.basename(file)}.fleet`)
  }
  return {
    pathOf,
    nameOf,
    makeParent,
    /** The files of these that a data folder has: no name of a row leads elsewhere. */
    known: <A>(rows: ReadonlyMap<string, A>) => new Map([...rows].filter(([name]) => nameOf(pathOf(name)) === name)),
    /** Those that are there. */
    names: Effect.forEach(ITEMS, (item) => BackupPlaces.filesOf(places, item)).pipe(
      Effect.map((all) =>
        all.flatMap(({ found }) => found.map(({ archived }) => archived.slice(DATA.length))).filter(isKept)
      )
    ),
    /** Null for a file that is not there, and for one of more than 1 MB. */
    read: (name: string) =>
      Effect.gen(function*() {
        const { size, type } = yield* fs.stat(pathOf(name))
        return type === "File" && size <= BigInt(MOST_BYTES) ? yield* fs.readFileString(pathOf(name)) : null
      }).pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null))),
    /** Replaces a file in one step; null removes it. */
    put: Effect.fnUntraced(function*(name: string, text: string | null) {
      if (text === null) return yield* fs.remove(pathOf(name), { force: true })
      yield* makeParent(name)
      yield* fs.writeFileString(draftOf(name), text, { mode: 0o600 })
      yield* fs.rename(draftOf(name), pathOf(name))
    }),
    /** Moves a file to where nobody reads it, in place of the one that was moved there before. */
    setAside: Effect.fnUntraced(function*(name: string) {
      const to = path.join(folder, ASIDE, ...name.split("/"))
      yield* fs.makeDirectory(path.dirname(to), { recursive: true, mode: 0o700 })
      yield* fs.rename(pathOf(name), to)
      yield* Effect.logWarning(`${name} differs from that of the fleet, which is used; it is kept as ${to}`)
    })
  }
})

/** Drafts and locks of editors begin with a dot. */
const isKept = (name: string): boolean => !name.split("/").some((part) => part.startsWith("."))
