/** The bin: what is deleted from the workspace lies in the state folder for a while. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import { UndoStore } from "../store/UndoStore.ts"
import type { FileMoves } from "./FileMoves.ts"
import { type Spot, UnusablePath, type Workspace } from "./Workspace.ts"

/** How much there is in a file or folder. */
export interface Extent {
  /** Everything that is no folder. */
  readonly files: number
  readonly bytes: number
}

/** The bin of one workspace. */
export interface WorkspaceBin {
  /** Moves it into the bin and gives the id to bring it back by. Fails, and moves nothing, where it is too much. */
  readonly take: (spot: Spot) => Effect.Effect<Extent & { readonly id: string }, UnusablePath>
  /** How much lies there. Fails where it is more than the bin takes at once. */
  readonly extent: (at: string, name: string) => Effect.Effect<Extent, UnusablePath>
}

/** More than this at once is a decision for a person, who can delete it without these tools. */
const MOST = { entries: 10_000, bytes: 100_000_000 } as const

export const make = Effect.fnUntraced(function*(
  workspace: Workspace,
  moves: FileMoves
): Effect.fn.Return<WorkspaceBin, never, FileSystem.FileSystem | Path.Path | UndoStore> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const store = yield* UndoStore

  const extent = Effect.fnUntraced(
    function*(at: string, name: string) {
      const open = [at]
      let [entries, files, bytes] = [0, 0, 0]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        const info = yield* fs.lstat(next)
        if (info.type === "Directory") {
          const inside = yield* fs.readDirectory(next)
          for (const entry of inside) open.push(path.join(next, entry))
        } else {
          files += 1
          bytes += Number(info.size)
        }
        entries += 1
        if (entries + open.length > MOST.entries) return yield* tooMuch(name, `${MOST.entries} files and folders`)
        if (bytes > MOST.bytes) return yield* tooMuch(name, `${MOST.bytes} bytes`)
      }
      return { files, bytes }
    },
    (counted, _, name) => Effect.catchTag(counted, "PlatformError", (error) => unreadable(name, error))
  )

  const take = Effect.fnUntraced(function*(spot: Spot) {
    const found = yield* extent(spot.path, spot.name)
    const { at, id } = yield* Effect.mapError(
      store.bin({ kind: "delete", root: yield* workspace.root, path: spot.name }, found.bytes),
      ({ why }) => new UnusablePath({ detail: `${spot.name} was not deleted: ${why}` })
    )
    yield* Effect.onError(moves.relocate(spot.path, at, spot.name), () => store.drop(id))
    return { ...found, id }
  })

  return { take, extent }
})

const tooMuch = (name: string, most: string) =>
  new UnusablePath({
    detail: `${name} holds more than ${most}; the bin takes no more at once, so leave it to the person`
  })

const unreadable = (name: string, _error: PlatformError.PlatformError) =>
  new UnusablePath({ detail: `${name} cannot be read as a whole, so it was not deleted` })
