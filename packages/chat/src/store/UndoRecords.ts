/** The records of what writes replaced, by id. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"

/** A failure in words. */
export interface Failure {
  readonly message: string
}

/** Keeps a line that says what each record is, and the content that was replaced. */
export interface UndoRecords {
  /** For a sentence. */
  readonly place: string
  /** Whole or not at all, in place of the one before. */
  readonly put: (id: string, line: string, before: Uint8Array) => Effect.Effect<void, Failure>
  /** Null when there is none. */
  readonly line: (id: string) => Effect.Effect<string | null, Failure>
  readonly get: (
    id: string
  ) => Effect.Effect<{ readonly line: string; readonly before: Uint8Array } | null, Failure>
  readonly remove: (id: string) => Effect.Effect<void, Failure>
  /** Also those of drafts, which end with `.new`. */
  readonly ids: Effect.Effect<ReadonlyArray<string>, Failure>
}

/** A file for each: the line, then the content. */
export const inFolder = Effect.fnUntraced(function*(
  folder: string
): Effect.fn.Return<UndoRecords, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fileOf = (id: string) => path.join(folder, id)
  /** The beginning of a file, with the line. */
  const beginning = (file: string) =>
    Effect.scoped(Effect.gen(function*() {
      const handle = yield* fs.open(file)
      const buffer = new Uint8Array(LINE_BYTES)
      let at = 0
      for (let count = -1; count !== 0 && at < buffer.length; at += count) {
        count = yield* handle.read(buffer.subarray(at))
      }
      return buffer.slice(0, at)
    }))
  const read = (id: string, bytesOf: (file: string) => Effect.Effect<Uint8Array, PlatformError.PlatformError>) =>
    bytesOf(fileOf(id)).pipe(
      Effect.map((bytes) => {
        const end = bytes.indexOf(LINE_FEED)
        return { line: new TextDecoder().decode(bytes.subarray(0, end)), before: bytes.slice(end + 1) }
      }),
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null))
    )
  return {
    place: folder,
    put: Effect.fnUntraced(function*(id, text, before) {
      const line = new TextEncoder().encode(`${text}\n`)
      const bytes = new Uint8Array(line.length + before.length)
      bytes.set(line)
      bytes.set(before, line.length)
      const draft = fileOf(`${id}.new`)
      yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
      yield* fs.writeFile(draft, bytes, { mode: 0o600, flag: "w" })
      yield* fs.rename(draft, fileOf(id))
    }),
    line: (id) => Effect.map(read(id, beginning), (found) => found?.line ?? null),
    get: (id) => read(id, fs.readFile),
    remove: (id) => fs.remove(fileOf(id), { force: true }),
    ids: Effect.flatMap(fs.exists(folder), (isThere) => isThere ? fs.readDirectory(folder) : Effect.succeed([]))
  }
})

const LINE_FEED = 10
/** No change has so long a line; a path has a few thousand bytes at most. */
const LINE_BYTES = 65_536
