/** Changes of the workspace, one at a time: files, folders, moves and the bin, each with what undoing it takes. */
import type { WriteUndo } from "@boocode/toolkit"
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Semaphore from "effect/Semaphore"
import { type Change, MOST_BYTES, UndoStore } from "../store/UndoStore.ts"
import * as FileMoves from "./FileMoves.ts"
import * as TextEdit from "./TextEdit.ts"
import * as Workspace from "./Workspace.ts"
import { type Spot, UnusablePath } from "./Workspace.ts"
import * as WorkspaceBin from "./WorkspaceBin.ts"
import * as WorkspaceUndo from "./WorkspaceUndo.ts"

/** A change that was made. */
export interface Written {
  /** For the model, without a full stop. */
  readonly text: string
  /** Null when there was nothing to change. */
  readonly undo: WriteUndo | null
}

/** Changes one workspace. Paths are relative to it, or absolute, and lead nowhere else. */
export interface Writes {
  /** Makes a file, with the folders on its way, or replaces all of it. At most 10 MB. */
  readonly write: (path: string, content: string) => Effect.Effect<Written, UnusablePath>
  /** Replaces text in a UTF-8 file of at most 10 MB; a byte order mark and the ends of lines stay. */
  readonly edit: (path: string, edit: TextEdit.TextEdit) => Effect.Effect<Written, UnusablePath>
  /** Makes a folder, with those on its way. */
  readonly makeDir: (path: string) => Effect.Effect<Written, UnusablePath>
  /** Moves a file or folder to a path where nothing is. */
  readonly move: (from: string, to: string) => Effect.Effect<Written, UnusablePath>
  /** Moves a file or folder into the bin: at most 10,000 entries and 100 MB at once. */
  readonly remove: (path: string) => Effect.Effect<Written, UnusablePath>
  /** As `Workspace.real`. */
  readonly real: Workspace.Workspace["real"]
  /** The text that a file holds now; null when it is no text, when it is more than 64 kB, and when it cannot be read. */
  readonly before: (path: string) => Effect.Effect<string | null>
  /**
   * Undoes one of these changes, where nothing changed since what it left; a file or folder that it made goes into the
   * bin. Gives words for a person.
   */
  readonly undo: WorkspaceUndo.Undo
}

/** Changes what each person has of the workspace, one change at a time. */
export class WorkspaceWrites extends Context.Service<WorkspaceWrites, {
  readonly of: (person: string) => Effect.Effect<Writes>
}>()("chat/WorkspaceWrites") {
  /** Changes this folder. It may be absent: `write` and `makeDir` make it. */
  static readonly layer = (
    folder: string
  ): Layer.Layer<WorkspaceWrites, never, FileSystem.FileSystem | Path.Path | UndoStore> =>
    Layer.effect(
      WorkspaceWrites,
      Effect.gen(function*() {
        const services = yield* Effect.context<
          FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom | UndoStore
        >()
        const turn = yield* Semaphore.make(1)
        return WorkspaceWrites.of({ of: (person) => Effect.provideContext(make(folder, person, turn), services) })
      })
    ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

  /** Makes the folder where it is not there. If it cannot be made, what is done in it fails and says that there is none. */
  static readonly makeFolder = (folder: string): Effect.Effect<void, never, FileSystem.FileSystem> =>
    FileSystem.FileSystem.use((fs) => Effect.ignore(fs.makeDirectory(folder, { recursive: true })))
}

const BEFORE_BYTES = 64_000

const make = Effect.fnUntraced(function*(folder: string, person: string, turn: Semaphore.Semaphore) {
  const fs = yield* FileSystem.FileSystem
  const store = yield* UndoStore
  const workspace = yield* Workspace.make(folder, person)
  const moves = yield* FileMoves.make(workspace)
  const bin = yield* WorkspaceBin.make(workspace, moves)
  const undo = yield* WorkspaceUndo.make(workspace, moves, bin)
  const encoder = new TextEncoder()

  /** A link that stays inside is followed to the file behind it, as reading does. */
  const fileSpot = Effect.fnUntraced(function*(input: string) {
    const first = yield* workspace.spot(input)
    const spot = first.info?.type === "SymbolicLink"
      ? yield* workspace.spot((yield* workspace.place(input)).path)
      : first
    if (spot.info !== null && spot.info.type !== "File") {
      return yield* new UnusablePath({
        detail: spot.info.type === "Directory" ? `${spot.name} is a folder` : `${spot.name} is not a file`
      })
    }
    return spot
  })

  /** The thing that moves or is deleted: the thing itself, never the target of a link. */
  const standing = Effect.fnUntraced(function*(input: string) {
    const { info, ...spot } = yield* workspace.spot(input)
    if (info === null) return yield* new UnusablePath({ detail: `${spot.name} does not exist in the workspace` })
    if (info.type !== "File" && info.type !== "Directory") {
      return yield* new UnusablePath({ detail: `${spot.name} is a link or a device; these tools leave it alone` })
    }
    return { ...spot, info }
  })

  const content = ({ info, name, path: at }: Spot) =>
    info === null
      ? Effect.succeed(new Uint8Array())
      : workspace.bytes({ path: at, name, info }, MOST_BYTES)

  const hashOf = (spot: Spot) => Effect.provideService(WorkspaceUndo.hashOf(workspace, spot), UndoStore, store)

  /** Keeps what the change replaces, makes it, and forgets what it kept if it could not be made. */
  const keeping = Effect.fnUntraced(function*(
    change: Change,
    before: Uint8Array,
    made: Effect.Effect<void, UnusablePath>
  ) {
    const undo = yield* store.keep(change, before)
    yield* Effect.onError(made, () => undo.id === null ? Effect.void : store.drop(undo.id))
    return undo
  })

  const replace = Effect.fnUntraced(function*(spot: Spot, before: Uint8Array, after: Uint8Array) {
    const change: Change = {
      kind: "file",
      root: yield* workspace.root,
      path: spot.name,
      isNew: spot.info === null,
      left: yield* store.hash(after),
      folders: spot.missing
    }
    return yield* keeping(change, before, moves.replace(spot, after))
  })

  const write = Effect.fnUntraced(function*(input: string, text: string) {
    const after = encoder.encode(text)
    const spot = yield* fileSpot(input)
    const size = Number(spot.info?.size ?? 0)
    if (after.length > MOST_BYTES) {
      return yield* new UnusablePath({ detail: `the content has ${after.length} bytes, more than ${MOST_BYTES}` })
    }
    if (spot.info === null) {
      const undo = yield* replace(spot, new Uint8Array(), after)
      return { text: `made ${spot.name} (${after.length} bytes)`, undo }
    }
    const done = `replaced ${spot.name} (${after.length} bytes; it had ${size})`
    // Too large to be read; so it is too large to be kept.
    if (size > MOST_BYTES) {
      yield* moves.replace(spot, after)
      const why = `what it replaced has ${size} bytes; at most ${MOST_BYTES} are kept`
      return { text: done, undo: { id: null, possible: false, why } }
    }
    const before = yield* content(spot)
    if (isSame(before, after)) return { text: `${spot.name} has this content already`, undo: null }
    return { text: done, undo: yield* replace(spot, before, after) }
  })

  const edit = Effect.fnUntraced(function*(input: string, edit: TextEdit.TextEdit) {
    const spot = yield* fileSpot(input)
    if (spot.info === null) {
      return yield* new UnusablePath({
        detail: `${spot.name} does not exist in the workspace; make it with write_file`
      })
    }
    const before = yield* content(spot)
    // The mark at the beginning is no part of the text for models, but it stays.
    const text = decoder.decode(before)
    if (!isSame(encoder.encode(text), before)) {
      return yield* new UnusablePath({ detail: `${spot.name} is no UTF-8 text` })
    }
    const mark = text.startsWith(MARK) ? MARK : ""
    const edited = yield* Effect.mapError(
      Effect.fromResult(TextEdit.apply(text.slice(mark.length), edit)),
      (why) => new UnusablePath({ detail: `${spot.name} was not changed: ${why}` })
    )
    const after = encoder.encode(mark + edited)
    if (after.length > MOST_BYTES) {
      return yield* new UnusablePath({ detail: `${spot.name} would have more than ${MOST_BYTES} bytes` })
    }
    const times = edit.count === 1 ? "1 replacement" : `${edit.count} replacements`
    return { text: `changed ${spot.name} (${times})`, undo: yield* replace(spot, before, after) }
  })

  const makeDir = Effect.fnUntraced(function*(input: string) {
    const spot = yield* workspace.spot(input)
    if (spot.info !== null) {
      const isThere = (yield* workspace.place(input)).info.type === "Directory"
      if (isThere) return { text: `${spot.name} is there already`, undo: null }
      return yield* new UnusablePath({ detail: `${spot.name} is there already, and is not a folder` })
    }
    const folders = [...spot.missing, spot.name]
    const change: Change = { kind: "folder", root: yield* workspace.root, folders }
    const undo = yield* keeping(change, new Uint8Array(), moves.makeFolders({ ...spot, missing: folders }))
    return { text: `made the folder ${spot.name}`, undo }
  })

  const move = Effect.fnUntraced(function*(from: string, to: string) {
    const source = yield* standing(from)
    const target = yield* workspace.spot(to)
    if (target.info !== null) {
      const advice = target.info.type === "Directory" ? "; name the new path in full" : "; delete it first"
      return yield* new UnusablePath({ detail: `${target.name} exists already${advice}` })
    }
    if (`${target.name}/`.startsWith(`${source.name}/`)) {
      return yield* new UnusablePath({ detail: `${source.name} cannot be moved into itself` })
    }
    const change: Change = {
      kind: "move",
      root: yield* workspace.root,
      from: source.name,
      to: target.name,
      left: source.info.type === "File" ? yield* hashOf(source) : null,
      folders: target.missing
    }
    const made = Effect.andThen(moves.makeFolders(target), moves.relocate(source.path, target.path, source.name))
    return { text: `moved ${source.name} to ${target.name}`, undo: yield* keeping(change, new Uint8Array(), made) }
  })

  const remove = Effect.fnUntraced(function*(input: string) {
    const spot = yield* standing(input)
    const { files, id } = yield* bin.take(spot)
    const what = spot.info.type === "Directory" ? `${spot.name} (${files} files)` : spot.name
    return { text: `${what} is in the bin, where it stays for 30 days`, undo: { id, possible: true, why: null } }
  })

  const before = (input: string) =>
    Effect.gen(function*() {
      const place = yield* workspace.place(input)
      return Workspace.text(yield* workspace.bytes(place, BEFORE_BYTES))
    }).pipe(Effect.orElseSucceed(() => null))

  const there = Effect.provideService(WorkspaceWrites.makeFolder(folder), FileSystem.FileSystem, fs)

  const inTurn = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    turn.withPermit(Effect.uninterruptible(change))
  return {
    write: (path, content) => inTurn(Effect.andThen(there, write(path, content))),
    edit: (path, change) => inTurn(edit(path, change)),
    makeDir: (path) => inTurn(Effect.andThen(there, makeDir(path))),
    move: (from, to) => inTurn(move(from, to)),
    remove: (path) => inTurn(remove(path)),
    real: workspace.real,
    before,
    undo: (id, change, before) => inTurn(undo(id, change, before))
  } satisfies Writes
})

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const MARK = "\uFEFF"

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])
