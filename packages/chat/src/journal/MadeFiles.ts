/** Files that tools of servers on this machine made where nothing was: a move into the bin undoes that. */
import type { WriteUndo } from "@boocode/toolkit"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as Schema from "effect/Schema"
import { ChangedSince, type UndoError, UndoFailed } from "../store/UndoError.ts"
import { type ChangeOf, MOST_BYTES, UndoStore } from "../store/UndoStore.ts"
import * as FileMoves from "../workspace/FileMoves.ts"
import * as ServerFolders from "./ServerFolders.ts"

/** The files that calls of servers' tools make. */
export interface MadeFiles {
  /** The paths that an argument may mean, as far as nothing is there; none unless the target says that it names a file. */
  readonly vacant: (target: ServerFolders.Target, value: Schema.Json) => Effect.Effect<ReadonlyArray<string>>
  /** Keeps how to undo the file that is now at one of these paths; null where none is. */
  readonly keep: (server: string, vacant: ReadonlyArray<string>) => Effect.Effect<WriteUndo | null>
  /** Moves the file into the bin, where it holds what the call left. Gives words for a person. */
  readonly undo: (change: ChangeOf<"made">) => Effect.Effect<string, UndoError>
}

export const make: Effect.Effect<MadeFiles, never, FileSystem.FileSystem | Path.Path | UndoStore> = Effect.gen(
  function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const store = yield* UndoStore
    const relocate = yield* FileMoves.relocating
    const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

    const isVacant = (at: string) =>
      fs.lstat(at).pipe(
        Effect.as(false),
        Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(true)),
        Effect.orElseSucceed(() => false)
      )

    /** The content of a file, or why it cannot be read. */
    const contentOf = Effect.fnUntraced(function*(at: string) {
      const info = yield* fs.lstat(at)
      if (info.type !== "File") return "is not a file"
      return info.size > BigInt(MOST_BYTES) ? `has more than ${MOST_BYTES} bytes` : yield* fs.readFile(at)
    })

    const keep = Effect.fnUntraced(function*(server: string, at: string) {
      const content = yield* contentOf(at)
      if (typeof content === "string") return null
      const left = yield* store.hash(content)
      return yield* store.keep({ kind: "made", server, path: yield* fs.realPath(at), left }, new Uint8Array())
    })

    const undo = Effect.fnUntraced(function*({ left, path: at, server }: ChangeOf<"made">) {
      const content = yield* contentOf(at).pipe(
        Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed("is not there any more")),
        Effect.mapError(() => new UndoFailed({ why: `${at} cannot be read` }))
      )
      if (typeof content === "string") return yield* new ChangedSince({ name: at, found: content })
      if ((yield* store.hash(content)) !== left) {
        return yield* new ChangedSince({ name: at, found: "was changed since" })
      }
      const change = { kind: "delete", root: path.dirname(at), path: path.basename(at) } as const
      const place = yield* store.bin(change, content.length)
      yield* relocate(at, place.at, at).pipe(
        Effect.onError(() => store.drop(place.id)),
        Effect.mapError(({ detail }) => new UndoFailed({ why: detail }))
      )
      return `${at}, which a tool of ${server} made, is in the bin`
    })

    return {
      vacant: Effect.fnUntraced(function*(target: ServerFolders.Target, value: Schema.Json) {
        const { file, folders } = target
        if (file !== true || folders === undefined || typeof value !== "string" || value.includes("\0")) return []
        const begin = path.isAbsolute(value) ? ["/"] : yield* ServerFolders.of(target)
        return yield* Effect.filter(begin.map((folder) => path.resolve(folder, value)), isVacant)
      }, Effect.provideContext(services)),
      keep: (server: string, vacant: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          for (const at of vacant) {
            const kept = yield* Effect.orElseSucceed(keep(server, at), () => null)
            if (kept !== null) return kept
          }
          return null
        }),
      undo
    }
  }
).pipe(Effect.provide(SecureRandom.layerWebCrypto))
