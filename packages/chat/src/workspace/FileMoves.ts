/** Changes of a disk that happen as a whole or not at all. */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import { sameFile, type Spot, UnusablePath, type Workspace } from "./Workspace.ts"

/** How files come to be where they are. None of these can be interrupted half-way. */
export interface FileMoves {
  /** Makes the folders on the way to a spot, or fails because one came to be something else meanwhile. */
  readonly makeFolders: (spot: Spot) => Effect.Effect<void, UnusablePath>
  /**
   * Gives a file this content by way of a draft beside it, so that readers see the old one or the new one. Keeps its
   * mode. Fails when the file is not the one that the spot was found with.
   */
  readonly replace: (spot: Spot, content: Uint8Array) => Effect.Effect<void, UnusablePath>
  /** Moves what is at one path to another that is free. Over to another disk it is copied whole, then removed. */
  readonly relocate: (from: string, to: string, name: string) => Effect.Effect<void, UnusablePath>
}

/** Moves inside this workspace, into it and out of it. */
export const make = Effect.fnUntraced(function*(
  workspace: Workspace
): Effect.fn.Return<FileMoves, never, FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const draftIn = yield* drafts

  /** Fails unless the folder of the spot is a real folder where it was found. */
  const folderIsStill = Effect.fnUntraced(function*({ name, path: at }: Spot) {
    const folder = path.dirname(at)
    const info = yield* Effect.mapError(fs.lstat(folder), (error) => unwritable(name, error))
    yield* workspace.isStill(folder, name, info)
  })

  const makeFolders = Effect.fnUntraced(function*(spot: Spot) {
    const root = yield* workspace.root
    for (const name of spot.missing) {
      yield* fs.makeDirectory(path.join(root, name)).pipe(
        Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void),
        Effect.mapError((error) => unwritable(name, error))
      )
    }
    yield* folderIsStill(spot)
  })

  /** Fails unless what is at the spot is what was found there. */
  const spotIsStill = Effect.fnUntraced(function*({ info, name, path: at }: Spot) {
    const now = yield* fs.lstat(at).pipe(
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null)),
      Effect.mapError((error) => unwritable(name, error))
    )
    const isSame = now === null || info === null ? now === info : sameFile(now, info) && isUntouched(now, info)
    if (!isSame) {
      return yield* new UnusablePath({ detail: `${name} changed while it was written; read it and try again` })
    }
  })

  const replace = Effect.fnUntraced(function*(spot: Spot, content: Uint8Array) {
    const { info, name, path: at } = spot
    if (info !== null) {
      yield* Effect.mapError(fs.access(at, { writable: true }), (error) => unwritable(name, error))
    }
    yield* makeFolders(spot)
    const draft = yield* draftIn(path.dirname(at))
    const written = Effect.gen(function*() {
      const file = yield* fs.open(draft, { flag: "wx", ...info === null ? {} : { mode: info.mode & MODE } })
      // Nothing is written before it is sure that the draft lies in the workspace; it is renamed in its folder or not at all.
      yield* workspace.isStill(draft, name, yield* file.stat)
      yield* file.writeAll(content)
      yield* file.sync
      if (info !== null) yield* fs.chmod(draft, info.mode & MODE)
      yield* spotIsStill(spot)
    }).pipe(Effect.scoped)
    yield* Effect.andThen(written, fs.rename(draft, at)).pipe(
      Effect.onError(() => Effect.ignore(fs.remove(draft, { force: true }))),
      Effect.catchTag("PlatformError", (error) => unwritable(name, error))
    )
  }, Effect.uninterruptible)

  return { makeFolders, replace, relocate: yield* relocating }
})

/** Moves from anywhere to anywhere, as `FileMoves.relocate` does. */
export const relocating: Effect.Effect<
  FileMoves["relocate"],
  never,
  FileSystem.FileSystem | Path.Path | SecureRandom.SecureRandom
> = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const draftIn = yield* drafts

  const acrossDisks = Effect.fnUntraced(function*(from: string, to: string) {
    const draft = yield* draftIn(path.dirname(to))
    yield* Effect.andThen(fs.copy(from, draft, { preserveTimestamps: true }), fs.rename(draft, to)).pipe(
      Effect.onError(() => Effect.ignore(fs.remove(draft, { recursive: true, force: true })))
    )
    yield* fs.remove(from, { recursive: true })
  })

  return (from, to, name) =>
    fs.rename(from, to).pipe(
      Effect.catchIf(isAcrossDisks, () => acrossDisks(from, to)),
      Effect.catch((error) => unwritable(name, error)),
      Effect.uninterruptible
    )
})

/** New paths for drafts in a folder. */
const drafts = Effect.gen(function*() {
  const path = yield* Path.Path
  const random = yield* SecureRandom.SecureRandom
  return (folder: string) => Effect.map(random.uuidV4(), (id) => path.join(folder, `.boocode-${id}.tmp`))
})

/** The bits of a mode that are permissions. */
const MODE = 0o777

const isUntouched = (now: FileSystem.File.Info, then: FileSystem.File.Info): boolean =>
  now.size === then.size && timeOf(now) === timeOf(then)

const timeOf = ({ mtime }: FileSystem.File.Info): number | undefined => Option.getOrUndefined(mtime)?.getTime()

const isAcrossDisks = ({ reason }: PlatformError.PlatformError): boolean =>
  Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "EXDEV"

const unwritable = (name: string, error: PlatformError.PlatformError): UnusablePath =>
  new UnusablePath({
    detail: error.reason._tag === "PermissionDenied"
      ? `${name} cannot be changed: the system does not allow it`
      : `${name} cannot be changed: the disk refused (${error.reason._tag})`
  })
