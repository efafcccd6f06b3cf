/**
 * The journal of a restore, so that a killed one is done or undone at the next start. Until everything of a backup is
 * checked, the journal says `staging`, and the start removes what came so far. After that it says `moving`, and the start
 * goes on. Nothing is removed: what a restore replaces moves to `before-restore` of its root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as FileLock from "../database/FileLock.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as PrivateFile from "../settings/PrivateFile.ts"
import { RestoreUnfinished } from "./BackupError.ts"

export interface Step {
  /** Null where nothing comes in the place of the target. */
  readonly staged: string | null
  readonly target: string
  readonly kept: string
}

export interface Journal {
  readonly state: "staging" | "moving"
  /** The folders for what is brought, one for each root. */
  readonly folders: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
}

const FILE = "restore.json"
const LOCK = "restore.lock"

const fileOf = Effect.gen(function*() {
  return (yield* Path.Path).join((yield* DataFolder).state, FILE)
})

/** One restore at a time, also beside starts that finish one. Given back when the scope closes. */
export const locked = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { state } = yield* DataFolder
  const file = (yield* Path.Path).join(state, LOCK)
  yield* unfinished(fs.makeDirectory(state, { recursive: true, mode: 0o700 }), file)
  yield* Effect.acquireRelease(
    Effect.mapError(
      Effect.try(() => FileLock.take(file)),
      () =>
        new RestoreUnfinished({
          message: "a backup is being restored into this folder now",
          hint: "wait until boocode restore is done, and run this again",
          file
        })
    ),
    (held) => Effect.sync(() => FileLock.release(held, file))
  )
})

export const put = Effect.fnUntraced(function*(journal: Journal) {
  yield* PrivateFile.write(yield* fileOf, JSON.stringify(journal))
})

/** Does what the journal says; a step that is done already is not done again. */
export const carryOut = Effect.fnUntraced(function*(journal: Journal) {
  const fs = yield* FileSystem.FileSystem
  if (journal.state === "moving") yield* Effect.forEach(journal.steps, move, { discard: true })
  yield* Effect.forEach(journal.folders, (folder) => fs.remove(folder, { recursive: true, force: true }))
  yield* fs.remove(yield* fileOf, { force: true })
})

/** As `carryOut`. Fails with `RestoreUnfinished`: the next start goes on. */
export const completed = (journal: Journal) => Effect.flatMap(fileOf, (file) => unfinished(carryOut(journal), file))

const move = Effect.fnUntraced(function*({ kept, staged, target }: Step) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const waits = staged === null || (yield* fs.exists(staged))
  if (waits && !(yield* fs.exists(kept)) && (yield* fs.exists(target))) {
    yield* fs.makeDirectory(path.dirname(kept), { recursive: true, mode: 0o700 })
    yield* fs.rename(target, kept)
  }
  if (staged === null || !waits) return
  yield* fs.makeDirectory(path.dirname(target), { recursive: true })
  yield* fs.rename(staged, target)
})

/** Before anything of the folder is read: ends a restore that was killed. Costs one look where there is none. */
export const finish = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fileOf
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) return
  yield* locked
  const text = yield* unfinished(PrivateFile.read(file), file)
  // Another start may have ended it meanwhile.
  if (text === null) return
  const journal = yield* read(text, file)
  yield* completed(journal)
  const done = journal.state === "moving" ? "was finished" : "was undone: nothing had changed"
  yield* Effect.logWarning(`a restore that was interrupted ${done}`)
}).pipe(Effect.scoped)

const read = (text: string, file: string) =>
  Effect.try({
    // oxlint-disable-next-line typescript/consistent-type-assertions -- only this program writes it, in one piece
    try: () => JSON.parse(text) as Journal,
    catch: (cause) => failed(file, cause)
  })

const unfinished = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>, file: string) =>
  Effect.mapError(effect, (cause) => failed(file, cause))

const failed = (file: string, cause: unknown) =>
  new RestoreUnfinished({
    message: `a restore that was interrupted cannot go on: ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: `see that the disk has room and may be written, and start again; ${file} says what is to be moved where`,
    file,
    cause
  })
