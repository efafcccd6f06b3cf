/**
 * The folder that agents may read, and nothing beside it: every path is followed to where it really leads before
 * anything is read there.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"

/** A path that cannot be read, in words for a model. */
export class Unreadable extends Schema.TaggedError<Unreadable>()("Unreadable", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** A file or folder inside the workspace. */
export interface Place {
  /** Where it really is; holds no symbolic link. */
  readonly path: string
  /** Relative to the workspace, with `/`; `.` is the workspace itself. */
  readonly name: string
  readonly info: FileSystem.File.Info
}

/** One workspace. */
export interface Workspace {
  /** Follows a path, relative to the workspace or absolute, to a place inside. Fails for everything that leads out. */
  readonly place: (path: string) => Effect.Effect<Place, Unreadable>
  /**
   * The places directly in a folder, sorted by name, at most `limit`. An entry that leads out has a name and no place.
   */
  readonly entries: (folder: Place, limit: number) => Effect.Effect<{
    readonly entries: ReadonlyArray<{ readonly name: string; readonly link: boolean; readonly place: Place | null }>
    readonly total: number
  }, Unreadable>
  /** The bytes of a file of at most `maxBytes`. */
  readonly bytes: (file: Place, maxBytes: number) => Effect.Effect<Uint8Array, Unreadable>
}

/** The workspace at this folder. The folder may be absent: then nothing can be read, and the error says so. */
export const make = Effect.fnUntraced(function*(
  root: string
): Effect.fn.Return<Workspace, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(root)

  const inside = (base: string, target: string): boolean => {
    const relative = path.relative(base, target)
    return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
  }

  const realRoot = Effect.mapError(
    fs.realPath(folder),
    () => new Unreadable({ detail: "the workspace folder does not exist" })
  )

  const place = Effect.fnUntraced(function*(input: string) {
    if (input.includes("\0")) return yield* new Unreadable({ detail: "a path cannot hold a NUL character" })
    const base = yield* realRoot
    const target = path.resolve(folder, input)
    // A path that leads out by its name alone is refused without a look at the disk: the answer must not tell what exists.
    if (!inside(folder, target) && !inside(base, target)) return yield* outside(input)
    const real = yield* Effect.mapError(fs.realPath(target), (error) => unreadable(input, error))
    if (!inside(base, real)) return yield* outside(input)
    const info = yield* Effect.mapError(fs.stat(real), (error) => unreadable(input, error))
    return { path: real, name: path.relative(base, real).split(path.sep).join("/") || ".", info }
  })

  /**
   * Fails unless the place is where it was found, and is what was opened there: a process that swaps files and links
   * could else show what lies outside. Looked at more than once, since no two looks are one moment.
   */
  const unmoved = Effect.fnUntraced(function*(at: Place, opened: FileSystem.File.Info) {
    for (let look = 0; look < LOOKS; look++) {
      const real = yield* Effect.mapError(fs.realPath(at.path), (error) => unreadable(at.name, error))
      const info = yield* Effect.mapError(fs.stat(at.path), (error) => unreadable(at.name, error))
      if (real !== at.path || !sameFile(info, opened)) {
        return yield* new Unreadable({ detail: `${at.name} changed while it was read; try again` })
      }
    }
  })

  const open = (at: Place) =>
    fs.open(at.path, { noFollow: true }).pipe(
      // Windows does not know it.
      Effect.catchReason("PlatformError", "BadArgument", () => fs.open(at.path)),
      Effect.mapError((error) => unreadable(at.name, error))
    )

  const entries = Effect.fnUntraced(function*(at: Place, limit: number) {
    const names = yield* Effect.mapError(fs.readDirectory(at.path), (error) => unreadable(at.name, error))
    yield* unmoved(at, at.info)
    const shown = names.toSorted().slice(0, limit)
    const found = yield* Effect.forEach(shown, (name) =>
      // An entry that leads out, or that vanished meanwhile, is still named by the folder that holds it.
      Effect.map(Effect.orElseSucceed(place(path.join(at.path, name)), () => null), (entry) => ({
        name,
        link: entry === null || entry.path !== path.join(at.path, name),
        place: entry
      })))
    return { entries: found, total: names.length }
  })

  const bytes = Effect.fnUntraced(function*(file: Place, maxBytes: number) {
    // Reading a pipe or a device may never end.
    if (file.info.type !== "File") return yield* new Unreadable({ detail: `${file.name} is not a file` })
    const handle = yield* open(file)
    const info = yield* Effect.mapError(handle.stat, (error) => unreadable(file.name, error))
    yield* unmoved(file, info)
    if (info.size > BigInt(maxBytes)) {
      return yield* new Unreadable({ detail: `${file.name} has ${info.size} bytes, more than ${maxBytes}` })
    }
    return yield* Effect.mapError(readAll(handle, Number(info.size)), (error) => unreadable(file.name, error))
  }, Effect.scoped)

  return { place, entries, bytes }
})

const LOOKS = 3

const sameFile = (one: FileSystem.File.Info, other: FileSystem.File.Info): boolean =>
  one.dev === other.dev && Option.getOrNull(one.ino) === Option.getOrNull(other.ino)

const readAll = Effect.fnUntraced(function*(file: FileSystem.File, size: number) {
  const content = new Uint8Array(size)
  let at = 0
  while (at < size) {
    const read = yield* file.read(content.subarray(at))
    if (read === 0) break
    at += read
  }
  return content.subarray(0, at)
})

/** The text of bytes, or null for bytes that are no UTF-8 text. */
export const text = (bytes: Uint8Array): string | null => {
  if (bytes.subarray(0, 8192).includes(0)) return null
  const decoded = new TextDecoder("utf-8").decode(bytes)
  // U+FFFD stands for bytes that are not UTF-8, unless the file holds that very character.
  return decoded.includes("\uFFFD") && !holdsReplacement(bytes) ? null : decoded
}

const holdsReplacement = (bytes: Uint8Array): boolean =>
  bytes.some((byte, index) => byte === 0xef && bytes[index + 1] === 0xbf && bytes[index + 2] === 0xbd)

const outside = (input: string) =>
  new Unreadable({ detail: `${input} is outside the workspace; only files of the workspace can be read` })

const unreadable = (name: string, error: PlatformError.PlatformError): Unreadable =>
  new Unreadable({
    detail: error.reason._tag === "NotFound" ? `${name} does not exist in the workspace` : `${name} cannot be read`
  })
