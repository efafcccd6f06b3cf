/** Keeps what writes replaced and deleted for a while, so that a person can bring it back. */
import type { WriteUndo } from "@boocode/toolkit"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as PersonFolder from "../users/PersonFolder.ts"
import { AlreadyUndone, NothingToUndo, UndoFailed } from "./UndoError.ts"
import * as UndoRecords from "./UndoRecords.ts"

/** SHA-256 in hexadecimal digits. */
const Hash = Schema.String

/** Folders that the write made on its way, the outermost first. */
const folders = Schema.Array(Schema.String)

/** The change of one write, as undoing it needs it. Paths of the workspace are relative to `root`, with `/`. */
export const Change = Schema.Union([
  /** A file was written. `left` is what it held then. */
  Schema.Struct({
    kind: Schema.Literal("file"),
    root: Schema.String,
    path: Schema.String,
    isNew: Schema.Boolean,
    left: Hash,
    folders
  }),
  Schema.Struct({ kind: Schema.Literal("folder"), root: Schema.String, folders }),
  /** `left` is what the moved file held; null for a folder. */
  Schema.Struct({
    kind: Schema.Literal("move"),
    root: Schema.String,
    from: Schema.String,
    to: Schema.String,
    left: Schema.NullOr(Hash),
    folders
  }),
  /** Something lies in the bin. */
  Schema.Struct({ kind: Schema.Literal("delete"), root: Schema.String, path: Schema.String }),
  /** A tool of a server wrote text that another tool of it reads. */
  Schema.Struct({
    kind: Schema.Literal("server"),
    server: Schema.String,
    /** The raw names of its tools. */
    read: Schema.String,
    write: Schema.String,
    /** The argument that says where, and its value. */
    path: Schema.String,
    value: Schema.Json,
    /** The argument of `write` that takes the text. */
    content: Schema.String,
    left: Hash
  }),
  /** A tool of a server made a file where nothing was. */
  Schema.Struct({
    kind: Schema.Literal("made"),
    server: Schema.String,
    /** Absolute. */
    path: Schema.String,
    left: Hash
  })
])
export type Change = typeof Change.Type

/** A change by its kind. */
export type ChangeOf<Kind extends Change["kind"]> = Extract<Change, { readonly kind: Kind }>

/** The record that is kept of one write. */
export interface Kept {
  readonly change: Change
  /** The file's content before; empty when there was no file. */
  readonly before: Uint8Array
}

/** The writes of all chats that can be undone. */
export class UndoStore extends Context.Service<UndoStore, {
  /**
   * Keeps what a change replaces, at most 10 MB. Never fails: what could not be kept cannot be undone, and the answer
   * says why.
   */
  readonly keep: (change: Change, before: Uint8Array) => Effect.Effect<WriteUndo>
  /**
   * A place in the bin for what is deleted, of this many bytes. The caller moves it to `at`, or drops the id when that
   * fails.
   */
  readonly bin: (
    change: ChangeOf<"delete">,
    bytes: number
  ) => Effect.Effect<{ readonly id: string; readonly at: string }, UndoFailed>
  /** Where the bin has what was deleted under this id. */
  readonly binned: (id: string) => string
  /** When the write that is kept under an id was undone, in ISO 8601; null when it was not. */
  readonly undoneAt: (id: string) => Effect.Effect<string | null, NothingToUndo | UndoFailed>
  /** The record under an id, across restarts. */
  readonly get: (id: string) => Effect.Effect<Kept, NothingToUndo | AlreadyUndone | UndoFailed>
  /** Forgets what was kept for a write that was not made. */
  readonly drop: (id: string) => Effect.Effect<void>
  /** Forgets the writes in the folder of a person who is gone. */
  readonly forget: (person: string) => Effect.Effect<void>
  /** Notes that a write was undone, and lets go of what was kept of it. */
  readonly close: (id: string) => Effect.Effect<void>
  /**
   * Writes of one server that are kept, and undoing them, run one at a time: otherwise one would be taken for what another
   * one left, and undone with it.
   */
  readonly inTurn: (server: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The SHA-256 of a content, as changes have it. */
  readonly hash: (bytes: Uint8Array) => Effect.Effect<string>
}>()("chat/UndoStore") {
  /**
   * Keeps the records in this folder, which its owner alone can read and no project can write. Records older than 30
   * days are removed, and the oldest when they are more than 100 MB, or 1 GB in the bin: at each write, when the layer
   * is built, and every day.
   */
  static readonly layer = (folder: string): Layer.Layer<UndoStore, never, FileSystem.FileSystem | Path.Path> =>
    Layer.unwrap(
      Effect.map(Path.Path, (path) => UndoStore.layerRecords(UndoRecords.inFolder(folder), path.join(folder, "bin")))
    )

  /** Keeps them in another place, just as long, and what is deleted in the folder `bin`. */
  static readonly layerRecords = <E, R>(
    records: Effect.Effect<UndoRecords.UndoRecords, E, R>,
    bin: string
  ): Layer.Layer<UndoStore, E, FileSystem.FileSystem | Path.Path | Exclude<R, Scope.Scope>> =>
    Layer.effect(UndoStore, Effect.flatMap(records, (kept) => make(kept, bin))).pipe(
      Layer.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto])
    )
}

/** A larger content is not kept. */
export const MOST_BYTES = 10_000_000

const DAYS = Duration.toMillis("30 days")
const CLEANED_EVERY = Duration.days(1)
const TOTALS = { undo: 100_000_000, bin: 1_000_000_000 } as const
type Kind = keyof typeof TOTALS

/** The name of a file tells when it was made and how much it counts, so that the old are found without opening any. */
const ID = /^(?<kind>undo|bin)-(?<millis>\d{1,16})-(?<bytes>\d{1,16})-[0-9a-f]{12}$/

const Header = Schema.fromJsonString(Schema.Struct({ change: Change, undoneAt: Schema.NullOr(Schema.String) }))
const encodeHeader = Schema.encodeEffect(Header)
const decodeHeader = Schema.decodeEffect(Header)
type Header = typeof Header.Type

const make = Effect.fnUntraced(function*(records: UndoRecords.UndoRecords, folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const turns = new Map<string, Semaphore.Semaphore>()
  const binOf = (id: string) => path.join(folder, id)

  const newId = Effect.fnUntraced(function*(kind: Kind, bytes: number) {
    const unique = (yield* random.uuidV4()).slice(-12)
    return `${kind}-${yield* Clock.currentTimeMillis}-${bytes}-${unique}`
  })

  const put = Effect.fnUntraced(function*(id: string, header: Header, before: Uint8Array) {
    yield* records.put(id, yield* Effect.orDie(encodeHeader(header)), before)
  })

  const remove = Effect.fnUntraced(function*(id: string) {
    yield* fs.remove(binOf(id), { recursive: true, force: true })
    yield* records.remove(id)
  })

  const clean = Effect.gen(function*() {
    const old = outdated(yield* records.ids, yield* Clock.currentTimeMillis)
    yield* Effect.forEach(old, remove, { discard: true })
  }).pipe(
    Effect.catch((error) => Effect.logWarning(`what old writes replaced could not be removed: ${error.message}`))
  )

  const headerOf = Effect.fnUntraced(function*(id: string, line: string | null) {
    if (line === null) return yield* new NothingToUndo({ id, why: GONE })
    return yield* Effect.mapError(
      decodeHeader(line),
      () => new NothingToUndo({ id, why: "what was kept is damaged" })
    )
  })

  const asked = <A>(
    id: string,
    ask: (id: string) => Effect.Effect<A, UndoRecords.Failure>
  ): Effect.Effect<A, NothingToUndo | UndoFailed> =>
    ID.test(id)
      ? Effect.mapError(ask(id), (error) => new UndoFailed({ why: `${id} cannot be read: ${error.message}` }))
      : Effect.fail(new NothingToUndo({ id, why: "nothing is kept under this id" }))

  const header = (id: string) => Effect.flatMap(asked(id, records.line), (line) => headerOf(id, line))

  const unkept = (error: UndoRecords.Failure) =>
    Effect.logWarning(`${records.place} cannot be used, which keeps what writes replace: ${error.message}`)

  const keep = Effect.fn("UndoStore.keep")(
    function*(change: Change, before: Uint8Array) {
      if (before.length > MOST_BYTES) {
        return lost(`what it replaced has ${before.length} bytes; at most ${MOST_BYTES} are kept`)
      }
      const id = yield* newId("undo", before.length)
      yield* put(id, { change, undoneAt: null }, before)
      yield* clean
      return { id, possible: true, why: null }
    },
    Effect.catch((error) => Effect.as(unkept(error), lost("what it replaced could not be kept on the disk")))
  )

  const bin = Effect.fn("UndoStore.bin")(
    function*(change: ChangeOf<"delete">, bytes: number) {
      const id = yield* newId("bin", bytes)
      yield* put(id, { change, undoneAt: null }, new Uint8Array())
      yield* fs.makeDirectory(binOf(id), { recursive: true, mode: 0o700 })
      yield* clean
      return { id, at: path.join(binOf(id), ITEM) }
    },
    Effect.tapError((error) => unkept(error)),
    Effect.mapError(() => new UndoFailed({ why: "the bin cannot be used; the log says why" }))
  )

  yield* clean
  yield* Effect.forkScoped(Effect.forever(Effect.delay(clean, CLEANED_EVERY)))
  return UndoStore.of({
    keep,
    bin,
    binned: (id) => path.join(binOf(id), ITEM),
    undoneAt: (id) => Effect.map(header(id), ({ undoneAt }) => undoneAt),
    get: Effect.fn("UndoStore.get")(function*(id) {
      const found = yield* asked(id, records.get)
      const { change, undoneAt } = yield* headerOf(id, found?.line ?? null)
      if (undoneAt !== null) return yield* new AlreadyUndone({ id, at: undoneAt })
      return { change, before: found?.before ?? new Uint8Array() }
    }),
    drop: (id) => Effect.catch(remove(id), unkept),
    forget: Effect.fn("UndoStore.forget")(
      function*(person) {
        const isTheirs = PersonFolder.isOf(person)
        for (const id of yield* records.ids) {
          const kept = yield* Effect.orElseSucceed(header(id), () => null)
          if (kept !== null && "root" in kept.change && isTheirs(kept.change.root)) yield* remove(id)
        }
      },
      Effect.catch(unkept)
    ),
    close: Effect.fn("UndoStore.close")(
      function*(id) {
        yield* put(id, { ...yield* header(id), undoneAt: DateTime.formatIso(yield* DateTime.now) }, new Uint8Array())
        yield* fs.remove(binOf(id), { recursive: true, force: true })
      },
      Effect.catch((error) => Effect.logWarning(`that a write was undone could not be noted: ${error.message}`))
    ),
    inTurn: (server) => {
      const turn = turns.get(server) ?? Semaphore.makeUnsafe(1)
      turns.set(server, turn)
      return turn.withPermit
    },
    hash: (bytes) => digest.digestHex(Digest.sha256, bytes)
  })
})

const ITEM = "item"
const GONE = "nothing is kept of it any more"

const lost = (why: string): WriteUndo => ({ id: null, possible: false, why })

/** The ids whose time is over, and the oldest of those that are too much together. Drafts count as what they were for. */
const outdated = (names: ReadonlyArray<string>, now: number): ReadonlyArray<string> => {
  const found = names.flatMap((name) => {
    const { bytes, kind, millis } = ID.exec(name.replace(/\.new$/, ""))?.groups ?? {}
    // Each takes a block of the disk, however little it holds.
    return kind === undefined ? [] : [{ name, kind, millis: Number(millis), bytes: Math.max(BLOCK, Number(bytes)) }]
  })
  return (["undo", "bin"] as const).flatMap((kind) => {
    let bytes = 0
    return found.filter((one) => one.kind === kind).toSorted((one, other) => other.millis - one.millis)
      .filter((one) => (bytes += one.bytes) > TOTALS[kind] || one.millis < now - DAYS)
      .map(({ name }) => name)
  })
}

const BLOCK = 4096
