/** Where the items of a backup are on this machine, and the files in them. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { DataFolder } from "../settings/DataFolder.ts"
import * as BackupItems from "./BackupItems.ts"

export interface Places {
  readonly data: string
  readonly state: string
  /** The path of a name in a root. `mcp.json` and its pins have the name of the file that is used here. */
  readonly pathOf: (root: BackupItems.Root, name: string) => string
}

export const make = Effect.gen(function*() {
  const path = yield* Path.Path
  const { dataFile, folder, state } = yield* DataFolder
  const named = new Map([
    ["mcp.json", dataFile],
    ["mcp.lock.json", `${dataFile.replace(/\.jsonc?$/, "")}.lock.json`]
  ])
  const places: Places = {
    data: folder,
    state,
    pathOf: (root, name) =>
      root === "state"
        ? path.join(state, ...name.split("/"))
        : named.get(name) ?? path.join(folder, ...name.split("/"))
  }
  return places
})

export interface Found {
  /** With the root, such as `data/agents/reader.md`. */
  readonly archived: string
  readonly path: string
}

/**
 * The files of an item. Skipped are links, which may lead anywhere, folders that cannot be read, and names that not every
 * system can have.
 */
export const filesOf = Effect.fnUntraced(function*(places: Places, item: BackupItems.Item) {
  const skipped: Array<string> = []
  const all = yield* below(places.pathOf(item.root, item.name), `${item.root}/${item.name}`, skipped)
  const found = all.filter(({ archived }) => !BackupItems.isLeftOut(archived))
  const isNamed = ({ archived }: Found) => BackupItems.find(archived) !== undefined
  return {
    found: found.filter(isNamed),
    skipped: [...skipped, ...found.filter((one) => !isNamed(one)).map(({ path }) => path)]
  }
})

const below = (
  path: string,
  archived: string,
  skipped: Array<string>
): Effect.Effect<ReadonlyArray<Found>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const isLink = yield* Effect.isSuccess(fs.readLink(path))
    // The file with the servers may be a link into another place: what it leads to is what counts.
    if (isLink && archived !== "data/mcp.json") {
      skipped.push(path)
      return []
    }
    const info = yield* Effect.orElseSucceed(fs.stat(path), () => null)
    if (info?.type === "File" && !archived.endsWith("/")) return [{ archived, path }]
    if (info?.type !== "Directory" || !archived.endsWith("/")) return []
    const names = yield* Effect.orElseSucceed(fs.readDirectory(path), () => null)
    if (names === null) {
      skipped.push(path)
      return []
    }
    const inside = yield* Effect.forEach(names.toSorted((one, other) => one < other ? -1 : 1), (name) => {
      const child = paths.join(path, name)
      return Effect.flatMap(Effect.orElseSucceed(fs.stat(child), () => null), (info) =>
        below(child, `${archived}${name}${info?.type === "Directory" ? "/" : ""}`, skipped))
    })
    return inside.flat()
  })
