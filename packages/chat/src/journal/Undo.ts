/** Undoes a write of the journal, whichever tool made it. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { Part } from "../model/Part.ts"
import { NothingToUndo, type UndoError } from "../store/UndoError.ts"
import { UndoStore } from "../store/UndoStore.ts"
import { WorkspaceWrites } from "../workspace/WorkspaceWrites.ts"
import * as MadeFiles from "./MadeFiles.ts"
import * as ServerTarget from "./ServerTarget.ts"

/**
 * Undoes what is kept under an id, once, for this person. `callOf` gives the calls of a server, its writers included. Gives what was done,
 * in words for a person. Fails, and changes nothing, where something else changed it since.
 */
export const undo = Effect.fn("Undo.undo")(
  (
    id: string,
    callOf: (server: string) => ServerTarget.CallTool,
    person: string
  ): Effect.Effect<string, UndoError, FileSystem.FileSystem | Path.Path | UndoStore | WorkspaceWrites> =>
    // Each undo is noted as well, but a server that is silent can be left.
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const store = yield* UndoStore
        const { before, change } = yield* store.get(id)
        const words = change.kind === "server"
          ? yield* restore(
            store.inTurn(change.server)(ServerTarget.undo(change, before, { store, call: callOf(change.server) }))
          )
          : change.kind === "made"
          ? yield* store.inTurn(change.server)((yield* MadeFiles.make).undo(change))
          : yield* (yield* (yield* WorkspaceWrites).of(person)).undo(id, change, before)
        yield* store.close(id)
        return words
      })
    )
)

/**
 * The id under which the undo of a write is kept: that of the write with this id, else of the last write of the call
 * with it. Fails, with the reason, for one that cannot be undone.
 */
export const idOf = (parts: ReadonlyArray<Part>, id: string): Effect.Effect<string, NothingToUndo> => {
  const writes = parts.filter((part) => part.type === "write")
  const found = writes.find((part) => part.id === id) ?? writes.findLast((part) => part.call === id)
  if (found === undefined) return new NothingToUndo({ id, why: "no write of this chat has this id" })
  const kept = found.undo?.id ?? null
  if (kept !== null) return Effect.succeed(kept)
  return new NothingToUndo({ id, why: found.undo?.why ?? NOTHING_KEPT })
}

/** Why a write cannot be undone of which nothing is known. */
export const NOTHING_KEPT = "nothing is kept of what it replaced"
