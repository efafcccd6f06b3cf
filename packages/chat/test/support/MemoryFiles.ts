import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"

/** A link to another absolute path. */
export const link = (target: string) => ({ link: target })

/**
 * A file system in memory: text, bytes and symbolic links by absolute path; folders are implied. The hooks run around
 * opening a file and reading a folder.
 */
export const layer = (
  files: Record<string, string | Uint8Array | { readonly link: string }>,
  hooks: Hooks = {}
): Layer.Layer<FileSystem.FileSystem> =>
  FileSystem.layerNoop({
    realPath: (path) => Effect.suspend(() => found(follow(files, path), path)),
    stat: (path) =>
      Effect.map(Effect.suspend(() => found(follow(files, path), path)), (real) => ({
        ...info(files, real),
        mtime: Option.fromNullishOr(hooks.mtime)
      })),
    readDirectory: (path) =>
      Effect.map(around(hooks, path, () => found(follow(files, path), path)), (real) => {
        const prefix = real === "/" ? "/" : `${real}/`
        const inside = Object.keys(files).filter((key) => key.startsWith(prefix))
        return [...new Set(inside.map((key) => key.slice(prefix.length).split("/")[0] ?? ""))]
      }),
    readFile: (path) =>
      hooks.refuses?.(path) === true
        ? Effect.fail(systemError("PermissionDenied", path))
        : Effect.map(around(hooks, path, () => found(follow(files, path), path)), (real) => bytesOf(files, real)),
    open: (path) =>
      around(hooks, path, () => {
        const real = follow(files, path)
        // Like `noFollow`: a link in the last place is not followed.
        const entry = files[path]
        const isLink = typeof entry === "object" && "link" in entry
        return Effect.map(
          found(isLink ? null : real, path),
          (real) => openFile(bytesOf(files, real), info(files, real))
        )
      })
  })

interface Hooks {
  readonly before?: (path: string) => void
  readonly after?: () => void
  /** Whether a file may not be read now. */
  readonly refuses?: (path: string) => boolean
  /** When every file was changed last; without it no file tells. */
  readonly mtime?: Date
}

const around = <A, E>({ after, before }: Hooks, path: string, f: () => Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    before?.(path)
    return Effect.ensuring(f(), Effect.sync(() => after?.()))
  })

const openFile = (bytes: Uint8Array, stat: FileSystem.File.Info): FileSystem.File => {
  let at = 0
  const unused = () => Effect.die("not used")
  return {
    [FileSystem.FileTypeId]: FileSystem.FileTypeId,
    stat: Effect.succeed(stat),
    read: (buffer) =>
      Effect.sync(() => {
        // In small pieces, as a disk may give them.
        const piece = bytes.subarray(at, at + Math.min(buffer.length, 1000))
        buffer.set(piece)
        at += piece.length
        return piece.length
      }),
    seek: unused,
    sync: Effect.void,
    readAlloc: unused,
    truncate: unused,
    write: unused,
    writeAll: unused
  }
}

const inodes = new Map<string, bigint>()
const inode = (real: string): bigint => {
  const known = inodes.get(real) ?? BigInt(inodes.size + 1)
  inodes.set(real, known)
  return known
}

type Files = Parameters<typeof layer>[0]

const bytesOf = (files: Files, path: string): Uint8Array => {
  const content = files[path]
  return content instanceof Uint8Array ? content : new TextEncoder().encode(typeof content === "string" ? content : "")
}

const follow = (files: Files, path: string): string | null => {
  let real = ""
  for (const name of path.split("/").filter((part) => part !== "")) {
    const entry = files[`${real}/${name}`]
    if (typeof entry === "object" && "link" in entry) {
      const target = follow(files, entry.link)
      if (target === null) return null
      real = target
    } else real = `${real}/${name}`
  }
  return real in files || Object.keys(files).some((key) => key.startsWith(`${real}/`)) ? real : null
}

const found = (real: string | null, path: string) =>
  real === null ? Effect.fail(systemError("NotFound", path)) : Effect.succeed(real)

const systemError = (_tag: "NotFound" | "PermissionDenied", path: string) =>
  PlatformError.systemError({ _tag, module: "FileSystem", method: "stat", pathOrDescriptor: path })

const info = (files: Files, real: string): FileSystem.File.Info => ({
  ...FILE,
  type: real in files ? "File" : "Directory",
  ino: Option.some(inode(real)),
  size: ByteSize.bytes(bytesOf(files, real).length)
})

/** What is known of an ordinary empty file. */
export const FILE: FileSystem.File.Info = {
  type: "File",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o600,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.zero,
  blksize: Option.none(),
  blocks: Option.none()
}
