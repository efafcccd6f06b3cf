/**
 * The folder that agents may read and change, and nothing beside it: every path is followed to where it really leads
 * before anything is read or changed there.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { FIRST, isAlone, People } from "../users/CurrentUser.ts"
import { SAFE_ID, USERS } from "../users/PersonFolder.ts"

/** A path that cannot be read or changed, in words for a model. */
export class UnusablePath extends Schema.TaggedError<UnusablePath>()("UnusablePath", { detail: Schema.String }) {
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

/** Where something is, or could be made: no link on the way leads out of the workspace. */
export interface Spot {
  /** The folders in it are real; its last name may be a link. */
  readonly path: string
  /** Relative to the workspace, with `/`. */
  readonly name: string
  /** The entry at the path, a link itself and not its target; null for none. */
  readonly info: FileSystem.File.Info | null
  /** The folders on the way that are not there, by their names like `name`, the outermost first. */
  readonly missing: ReadonlyArray<string>
}

/** One workspace. */
export interface Workspace {
  /** Where the workspace really is. Fails when there is none. */
  readonly root: Effect.Effect<string, UnusablePath>
  /**
   * Follows a path, relative to the workspace or absolute, to where something can be changed. Fails for everything that
   * leads out, for the workspace itself, and for the files of Git, whose hooks and settings run commands.
   */
  readonly spot: (path: string) => Effect.Effect<Spot, UnusablePath>
  /**
   * The name of where a path leads once links are followed, whether something is there or not; null for a path that
   * leads out.
   */
  readonly real: (path: string) => Effect.Effect<string | null>
  /** Fails unless the path is real, and is this very file or folder. */
  readonly isStill: (path: string, name: string, info: FileSystem.File.Info) => Effect.Effect<void, UnusablePath>
  /** Follows a path, relative to the workspace or absolute, to a place inside. Fails for everything that leads out. */
  readonly place: (path: string) => Effect.Effect<Place, UnusablePath>
  /**
   * The places directly in a folder, sorted by name, at most `limit`. An entry that leads out has a name and no place.
   */
  readonly entries: (folder: Place, limit: number) => Effect.Effect<{
    readonly entries: ReadonlyArray<{ readonly name: string; readonly link: boolean; readonly place: Place | null }>
    readonly total: number
  }, UnusablePath>
  /** The bytes of a file of at most `maxBytes`. */
  readonly bytes: (file: Place, maxBytes: number) => Effect.Effect<Uint8Array, UnusablePath>
}

/** The folder that the program has for itself in a workspace that several programs share. */
export const OWN = ".boocode"

/** How long it is believed whether there are several people. */
const FRESH = "1 second"

/**
 * The workspace of a person in this folder. The folder may be absent: then nothing can be read, and the error says so. The
 * first person has all of it but `users` once there are several; each other has `users/ID`, which is made when it is needed.
 */
export const make = Effect.fnUntraced(function*(
  root: string,
  person: string = FIRST.id
): Effect.fn.Return<Workspace, never, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const whole = path.resolve(root)
  const isFirst = person === FIRST.id
  const folder = isFirst ? whole : path.join(whole, USERS, person)
  const people = yield* People
  const areSeveral = yield* Effect.cachedWithTTL(
    isFirst ? Effect.map(people.get(person), (user) => !isAlone(user)) : Effect.succeed(false),
    FRESH
  )

  const inside = (base: string, target: string): boolean => {
    const relative = path.relative(base, target)
    return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
  }

  const wholeRoot = Effect.mapError(
    fs.realPath(whole),
    () => new UnusablePath({ detail: "the workspace folder does not exist" })
  )

  const ownRoot = Effect.gen(function*() {
    if (!SAFE_ID.test(person)) {
      return yield* new UnusablePath({ detail: "the id of this person cannot be the name of a folder" })
    }
    const own = path.join(yield* wholeRoot, USERS, person)
    const real = yield* fs.realPath(own).pipe(
      Effect.catch(() => Effect.andThen(fs.makeDirectory(own, { recursive: true }), fs.realPath(own))),
      Effect.mapError(() => new UnusablePath({ detail: "the folder of this person cannot be made in the workspace" }))
    )
    // A link would lead to the files of somebody else.
    if (real === own) return own
    return yield* new UnusablePath({
      detail: "the folder of this person is a link; an admin can replace it by a folder"
    })
  })

  const realRoot = isFirst ? wholeRoot : ownRoot

  const nameOf = (base: string, real: string): string => path.relative(base, real).split(path.sep).join("/") || "."

  /** Whether a name is of the folder with those of others, or of the program's own. */
  const isOthers = (name: string): Effect.Effect<boolean> => {
    const first = name.split("/")[0]?.toLowerCase()
    return first === USERS ? areSeveral : Effect.succeed(first === OWN)
  }

  /** A path that leads out by its name alone is refused without a look at the disk: the answer must not tell what exists. */
  const within = Effect.fnUntraced(function*(input: string, use: Use) {
    if (input.includes("\0")) return yield* new UnusablePath({ detail: "a path cannot hold a NUL character" })
    const base = yield* realRoot
    const target = path.resolve(folder, input)
    const from = [folder, base].find((one) => inside(one, target))
    if (from === undefined || (yield* isOthers(nameOf(from, target)))) return yield* outside(input, use)
    return { base, target }
  })

  const place = Effect.fnUntraced(function*(input: string) {
    const { base, target } = yield* within(input, "read")
    const real = yield* Effect.mapError(fs.realPath(target), (error) => unreadable(input, error))
    if (!inside(base, real) || (yield* isOthers(nameOf(base, real)))) return yield* outside(input, "read")
    const info = yield* Effect.mapError(fs.stat(real), (error) => unreadable(input, error))
    return { path: real, name: nameOf(base, real), info }
  })

  /** The nearest folder on the way that is there, and the names that follow it. */
  const standing = (
    at: string,
    missing: ReadonlyArray<string> = []
  ): Effect.Effect<{ readonly real: string; readonly missing: ReadonlyArray<string> }, PlatformError.PlatformError> =>
    Effect.catchReason(
      Effect.map(fs.realPath(at), (real) => ({ real, missing })),
      "PlatformError",
      "NotFound",
      (_, error) =>
        at === path.dirname(at) ? Effect.fail(error) : standing(path.dirname(at), [path.basename(at), ...missing])
    )

  const spot = Effect.fnUntraced(function*(input: string) {
    const { base, target } = yield* within(input, "changed")
    if (target === folder || target === base) {
      return yield* new UnusablePath({ detail: "the workspace itself cannot be changed; name a path inside it" })
    }
    const { missing, real } = yield* Effect.mapError(
      standing(path.dirname(target)),
      (error) => unreadable(input, error)
    )
    if (!inside(base, real)) return yield* outside(input, "changed")
    const at = path.join(real, ...missing, path.basename(target))
    const name = nameOf(base, at)
    if (yield* isOthers(name)) return yield* outside(input, "changed")
    if (name.split("/").some((part) => part.toLowerCase() === ".git")) {
      return yield* new UnusablePath({ detail: `${name} belongs to Git; these tools do not change it` })
    }
    const { type } = yield* Effect.mapError(fs.stat(real), (error) => unreadable(input, error))
    if (type !== "Directory") return yield* new UnusablePath({ detail: `${nameOf(base, real)} is not a folder` })
    const info = missing.length > 0 ? null : yield* fs.lstat(at).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null)),
      Effect.mapError((error) => unreadable(name, error))
    )
    const folders = missing.map((_, index) => nameOf(base, path.join(real, ...missing.slice(0, index + 1))))
    return { path: at, name, info, missing: folders }
  })

  const real = (input: string): Effect.Effect<string | null> =>
    place(input).pipe(
      Effect.map(({ name }) => name),
      // A link to nothing leads who knows where.
      Effect.catch(() => Effect.map(spot(input), ({ info, name }) => info === null ? name : null)),
      Effect.orElseSucceed(() => null)
    )

  /**
   * Fails unless the path is where it was found, and is what was opened there: a process that swaps files and links
   * could else show or change what lies outside. Looked at more than once, since no two looks are one moment.
   */
  const isStill = Effect.fnUntraced(function*(at: string, name: string, opened: FileSystem.File.Info) {
    for (let look = 0; look < LOOKS; look++) {
      const real = yield* Effect.mapError(fs.realPath(at), (error) => unreadable(name, error))
      const info = yield* Effect.mapError(fs.stat(at), (error) => unreadable(name, error))
      if (real !== at || !sameFile(info, opened)) {
        return yield* new UnusablePath({ detail: `${name} changed while it was used; try again` })
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
    yield* isStill(at.path, at.name, at.info)
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
    if (file.info.type !== "File") return yield* new UnusablePath({ detail: `${file.name} is not a file` })
    const handle = yield* open(file)
    const info = yield* Effect.mapError(handle.stat, (error) => unreadable(file.name, error))
    yield* isStill(file.path, file.name, info)
    if (info.size > BigInt(maxBytes)) {
      return yield* new UnusablePath({ detail: `${file.name} has ${info.size} bytes, more than ${maxBytes}` })
    }
    return yield* Effect.mapError(readAll(handle, Number(info.size)), (error) => unreadable(file.name, error))
  }, Effect.scoped)

  return { root: realRoot, spot, real, isStill, place, entries, bytes }
})

const LOOKS = 3

/** Whether two looks saw one file, whatever its content. */
export const sameFile = (one: FileSystem.File.Info, other: FileSystem.File.Info): boolean =>
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

type Use = "read" | "changed"

/** The real names of those of the named arguments of a tool that are there and are texts, for rules about paths. */
export const realPaths =
  (real: Workspace["real"], names: ReadonlyArray<string>) =>
  (args: Schema.JsonObject): Effect.Effect<Readonly<Record<string, string | null>>> =>
    Effect.map(
      Effect.forEach(names, (name) => {
        const path = args[name]
        return Predicate.isString(path) ? Effect.map(real(path), (at) => [[name, at] as const]) : Effect.succeed([])
      }),
      (found) => Object.fromEntries(found.flat())
    )

const outside = (input: string, use: Use) =>
  new UnusablePath({ detail: `${input} is outside the workspace; only files of the workspace can be ${use}` })

const unreadable = (name: string, error: PlatformError.PlatformError): UnusablePath =>
  new UnusablePath({
    detail: error.reason._tag === "NotFound" ? `${name} does not exist in the workspace` : `${name} cannot be read`
  })
