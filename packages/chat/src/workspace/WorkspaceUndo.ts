/** Takes back what the writing tools did to the workspace, where nothing changed it since. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { ChangedSince, NothingToUndo, type UndoError, UndoFailed } from "../store/UndoError.ts"
import { type Change, type ChangeOf, MOST_BYTES, UndoStore } from "../store/UndoStore.ts"
import type { FileMoves } from "./FileMoves.ts"
import type { Spot, UnusablePath, Workspace } from "./Workspace.ts"
import type { WorkspaceBin } from "./WorkspaceBin.ts"

/** A change of a workspace. */
export type WorkspaceChange = Exclude<Change, ChangeOf<"made" | "server">>

/** Undoes a change and says in words what it did. `id` is what the change is kept under, `before` what it replaced. */
export type Undo = (id: string, change: WorkspaceChange, before: Uint8Array) => Effect.Effect<string, UndoError>

export const make = Effect.fnUntraced(function*(
  workspace: Workspace,
  moves: FileMoves,
  bin: WorkspaceBin
): Effect.fn.Return<Undo, never, Path.Path | UndoStore> {
  const path = yield* Path.Path
  const store = yield* UndoStore

  /** Fails unless the file holds what the write left. */
  const unchanged = Effect.fnUntraced(function*(name: string, left: string) {
    const spot = yield* workspace.spot(name)
    if (spot.info === null) return yield* new ChangedSince({ name, found: "is not there any more" })
    if (spot.info.type !== "File") return yield* new ChangedSince({ name, found: "is not a file any more" })
    if ((yield* hashOf(workspace, spot)) === left) return spot
    return yield* new ChangedSince({ name, found: "was changed since" })
  }, Effect.provideService(UndoStore, store))

  const free = Effect.fnUntraced(function*(name: string) {
    const spot = yield* workspace.spot(name)
    if (spot.info === null) return spot
    return yield* new ChangedSince({ name, found: "is there again" })
  })

  /** The outermost of the folders that a write made goes, if nobody put anything into any of them. */
  const removeFolders = Effect.fnUntraced(function*(folders: ReadonlyArray<string>) {
    const [outermost] = folders
    if (outermost === undefined) return false
    const spot = yield* workspace.spot(outermost)
    if (spot.info?.type !== "Directory" || (yield* bin.extent(spot.path, spot.name)).files > 0) return false
    yield* bin.take(spot)
    return true
  })

  /** The request itself is done already, so folders that stay are no failure. */
  const tidied = (folders: ReadonlyArray<string>) => Effect.ignore(removeFolders(folders))

  const file = Effect.fnUntraced(function*(change: ChangeOf<"file">, before: Uint8Array) {
    const spot = yield* unchanged(change.path, change.left)
    if (!change.isNew) {
      yield* moves.replace(spot, before)
      return `${change.path} is as it was before`
    }
    yield* bin.take(spot)
    yield* tidied(change.folders)
    return `${change.path}, which was made, is in the bin`
  })

  const folder = Effect.fnUntraced(function*({ folders }: ChangeOf<"folder">) {
    const name = folders.at(-1) ?? ""
    if (yield* removeFolders(folders)) return `the folder ${name}, which was made, is in the bin`
    return yield* new ChangedSince({ name, found: "is not there any more, or is not empty" })
  })

  const move = Effect.fnUntraced(function*({ folders, from, left, to }: ChangeOf<"move">) {
    const spot = left === null ? yield* workspace.spot(to) : yield* unchanged(to, left)
    if (spot.info === null) return yield* new ChangedSince({ name: to, found: "is not there any more" })
    const target = yield* free(from)
    yield* moves.makeFolders(target)
    yield* moves.relocate(spot.path, target.path, to)
    yield* tidied(folders)
    return `${to} is ${from} again`
  })

  const deleted = Effect.fnUntraced(function*(id: string, { path: name }: ChangeOf<"delete">) {
    const target = yield* free(name)
    yield* moves.makeFolders(target)
    yield* moves.relocate(store.binned(id), target.path, name)
    return `${name} is back`
  })

  const undone = (
    id: string,
    change: WorkspaceChange,
    before: Uint8Array
  ): Effect.Effect<string, UndoError | UnusablePath> => {
    switch (change.kind) {
      case "file":
        return file(change, before)
      case "folder":
        return folder(change)
      case "move":
        return move(change)
      case "delete":
        return deleted(id, change)
    }
  }

  return Effect.fn("WorkspaceWrites.undo")(function*(id, change, before) {
    const root = yield* Effect.mapError(workspace.root, ({ detail }) => new UndoFailed({ why: detail }))
    if (path.relative(change.root, root) !== "") {
      return yield* new NothingToUndo({ id, why: `it was done in another workspace, ${change.root}` })
    }
    return yield* Effect.catchTag(
      undone(id, change, before),
      "UnusablePath",
      ({ detail }) => new UndoFailed({ why: detail })
    )
  })
})

/** The hash of what a file holds; null for one of more than 10 MB. */
export const hashOf = Effect.fnUntraced(function*(
  workspace: Workspace,
  { info, name, path }: Pick<Spot, "info" | "name" | "path">
): Effect.fn.Return<string | null, UnusablePath, UndoStore> {
  if (info === null || info.size > BigInt(MOST_BYTES)) return null
  const store = yield* UndoStore
  return yield* store.hash(yield* workspace.bytes({ path, name, info }, MOST_BYTES))
})
