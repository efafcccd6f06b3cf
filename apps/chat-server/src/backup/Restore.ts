/** Brings a backup back: reads and checks all of it first, asks, and then moves it into place by a journal. */
import { Environment } from "@boocode/mcp-config"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as DatabasePurpose from "../database/DatabasePurpose.ts"
import * as SqliteFile from "../database/SqliteFile.ts"
import { DataFolder } from "../settings/DataFolder.ts"
import * as BackupArchive from "./BackupArchive.ts"
import { RestoreRefused, RestoreUnfinished } from "./BackupError.ts"
import * as BackupItems from "./BackupItems.ts"
import * as BackupManifest from "./BackupManifest.ts"
import * as BackupPlaces from "./BackupPlaces.ts"
import * as ChatCopy from "./ChatCopy.ts"
import * as RestoreJournal from "./RestoreJournal.ts"
import * as SealedFiles from "./SealedFiles.ts"

/** A backup that was read and can be restored. */
export interface Found {
  readonly createdAt: string
  readonly kinds: ReadonlyArray<BackupItems.Kind>
  readonly files: number
  /** The folder that it would come into. */
  readonly folder: string
}

export interface Options {
  readonly archive: string
  /** Asked for where the backup has credentials; null restores the rest. */
  readonly passphrase: Effect.Effect<Redacted.Redacted | null>
  /** Whether to go on, after everything was checked. */
  readonly confirm: (found: Found) => Effect.Effect<boolean>
}

export interface Restored extends Found {
  /** Where what was there before is now; those that are not there replaced nothing. */
  readonly kept: ReadonlyArray<string>
}

const SIDES = ["chats.sqlite-wal", "chats.sqlite-shm"]

/** Null where the person did not want it. Nothing is changed before everything is checked. */
export const run = Effect.fnUntraced(
  function*(options: Options) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { folder, state } = yield* DataFolder
    yield* RestoreJournal.finish
    yield* RestoreJournal.locked
    yield* unlessInUse
    const stages = { data: path.join(folder, ".restore"), state: path.join(state, "restore") }
    const journal: RestoreJournal.Journal = { state: "staging", folders: [stages.state, stages.data], steps: [] }
    yield* RestoreJournal.put(journal)
    const undone = Effect.ignore(RestoreJournal.carryOut(journal))
    const staged = Effect.gen(function*() {
      yield* fs.makeDirectory(stages.state, { recursive: true, mode: 0o700 })
      const manifest = yield* BackupArchive.extract(options.archive, stages.state)
      const kinds = yield* unsealed(options, stages.state, manifest)
      yield* checkChats(options.archive, path.join(stages.state, "state", DatabasePurpose.FILE))
      const found: Found = { createdAt: manifest.createdAt, kinds, files: manifest.files.length, folder }
      return { found, isWanted: yield* options.confirm(found) }
    })
    const { found, isWanted } = yield* Effect.onError(staged, () => undone)
    if (!isWanted) return yield* Effect.as(undone, null)
    const kept = yield* Effect.uninterruptible(Effect.gen(function*() {
      const { keep, steps } = yield* Effect.onError(planned(found.kinds, stages), () => undone)
      yield* RestoreJournal.put({ ...journal, state: "moving", steps })
      yield* RestoreJournal.completed({ ...journal, state: "moving", steps })
      return yield* Effect.filter(keep, (one) => fs.exists(one))
    }))
    return { ...found, kept }
  },
  Effect.scoped,
  (effect, { archive }) => Effect.mapError(effect, (error) => inWords(error, archive))
)

const inWords = (
  error: RestoreRefused | RestoreUnfinished | { readonly _tag: string; readonly message: string },
  file: string
): RestoreRefused | RestoreUnfinished =>
  error instanceof RestoreRefused || error instanceof RestoreUnfinished ? error : new RestoreRefused({
    message: `${file} cannot be restored: ${error.message}`,
    hint: "see that the data folder and the state folder may be written and their disks have room",
    file,
    cause: error
  })

const unlessInUse = Effect.gen(function*() {
  const file = (yield* Path.Path).join((yield* DataFolder).state, DatabasePurpose.FILE)
  if (!(yield* SqliteFile.isInUse(file))) return
  return yield* new RestoreRefused({
    message: "a server or another command uses the chats now",
    hint: "end boocode serve and boocode chat, then run boocode restore again",
    file
  })
})

/** The kinds that come back: without a passphrase no credentials. */
const unsealed = Effect.fnUntraced(function*(options: Options, stage: string, manifest: BackupManifest.Manifest) {
  if (!manifest.kinds.includes("credentials")) return manifest.kinds
  const passphrase = yield* options.passphrase
  if (passphrase === null) return manifest.kinds.filter((kind) => kind !== "credentials")
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = yield* SealedFiles.open(yield* fs.readFile(path.join(stage, BackupManifest.SEALED)), passphrase)
  if (files === null) {
    return yield* new RestoreRefused({
      message: "the credentials cannot be read: the passphrase is wrong, or they are damaged",
      hint: `run boocode restore ${options.archive} again; with --without-credentials it leaves them out`,
      file: options.archive
    })
  }
  for (const [name, bytes] of Object.entries(files)) {
    if (BackupItems.find(name)?.kind !== "credentials") {
      return yield* BackupArchive.damaged(options.archive, `${name} is no credential`)
    }
    const target = path.join(stage, ...name.split("/"))
    yield* fs.makeDirectory(path.dirname(target), { recursive: true, mode: 0o700 })
    yield* fs.writeFile(target, bytes, { mode: 0o600 })
  }
  return manifest.kinds
})

const checkChats = Effect.fnUntraced(function*(archive: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file)) || (yield* ChatCopy.check(file))) return
  return yield* BackupArchive.damaged(archive, "its chats are no database that can be read")
})

/**
 * The moves, each with its source and target. All that was read lies in the state folder so far; its part for the data
 * folder goes beside that.
 */
const planned = Effect.fnUntraced(function*(
  kinds: ReadonlyArray<BackupItems.Kind>,
  stages: Readonly<Record<BackupItems.Root, string>>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const places = yield* BackupPlaces.make
  const now = DateTime.formatIso(yield* DateTime.now).replace(/[:.]/g, "-")
  const keep = {
    data: path.join(places.data, ".before-restore", now),
    state: path.join(places.state, "before-restore", now)
  }
  const url = ((yield* Environment).variables["DATABASE_URL"] ?? "").trim()
  const isPostgres = url !== ""
  yield* fs.makeDirectory(stages.data, { recursive: true, mode: 0o700 })
  const read = path.join(stages.state, "data")
  if (yield* fs.exists(read)) yield* fs.copy(read, path.join(stages.data, "data"))
  const items = BackupItems.ITEMS.filter(({ kind, name }) =>
    kinds.includes(kind) && !(isPostgres && name === DatabasePurpose.FILE)
  )
  const steps = yield* Effect.forEach(
    items,
    Effect.fnUntraced(function*({ name, root }) {
      const staged = path.join(stages[root], root, ...name.split("/"))
      const step: RestoreJournal.Step = {
        staged: (yield* fs.exists(staged)) ? staged : null,
        target: places.pathOf(root, name),
        kept: path.join(keep[root], ...name.split("/"))
      }
      return step
    })
  )
  const sides = isPostgres || !kinds.includes("chats") ? [] : SIDES.map((name) => ({
    staged: null,
    target: places.pathOf("state", name),
    kept: path.join(keep.state, name)
  }))
  // Last: what fails before leaves the chats as they are.
  if (isPostgres) {
    yield* intoDatabase(path.join(stages.state, "state", DatabasePurpose.FILE), Redacted.make(url), keep.state)
  }
  return { steps: [...sides, ...steps], keep: Object.values(keep) }
})

/** Where PostgreSQL has the chats they go there at once, all or none; those before are kept in a file. */
const intoDatabase = Effect.fnUntraced(function*(file: string, url: Redacted.Redacted, keep: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file))) return
  yield* fs.makeDirectory(keep, { recursive: true, mode: 0o700 })
  yield* ChatCopy.fromPostgres(url, (yield* Path.Path).join(keep, DatabasePurpose.FILE))
  yield* ChatCopy.intoPostgres(file, url)
})
