import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"

/** A link to another absolute path. */
export const link = (target: string) => ({ link: target })

/** A folder that may be empty. */
export const FOLDER = { folder: true } as const

/** What a path holds. */
export type Entry = string | Uint8Array | { readonly link: string } | typeof FOLDER

/**
 * A file system in memory: text, bytes and symbolic links by absolute path; folders that hold something are implied.
 * Changes are changes of `files`. The hooks run around opening a file and reading a folder.
 */
export const layer = (files: Record<string, Entry>, hooks: Hooks = {}): Layer.Layer<FileSystem.FileSystem> =>
  FileSystem.layerNoop({
    ...writing(files, hooks),
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
    open: (path, options) =>
      around(hooks, path, () => {
        if (options?.flag === "wx") return Effect.map(created(files, hooks, path), (at) => writable(files, at))
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

/** The path with the links in its folders followed, its last name as it is. */
const placed = (files: Files, path: string): string | null => {
  const cut = path.lastIndexOf("/")
  const parent = cut === 0 ? "" : follow(files, path.slice(0, cut))
  return parent === null ? null : `${parent}/${path.slice(cut + 1)}`
}

const refused = (hooks: Hooks, path: string) =>
  hooks.refuses?.(path) === true ? Effect.fail(systemError("PermissionDenied", path)) : Effect.void

/** A new file, as the flag `wx` makes it. */
const created = (files: Files, hooks: Hooks, path: string) =>
  Effect.flatMap(Effect.andThen(refused(hooks, path), found(placed(files, path), path)), (at) => {
    if (at in files || kindAt(files, at) !== null) return Effect.fail(systemError("AlreadyExists", path))
    files[at] = new Uint8Array()
    return Effect.succeed(at)
  })

const kindAt = (files: Files, at: string): FileSystem.File.Type | null => {
  const entry = files[at]
  if (entry === undefined) return Object.keys(files).some((key) => key.startsWith(`${at}/`)) ? "Directory" : null
  if (typeof entry === "string" || entry instanceof Uint8Array) return "File"
  return "link" in entry ? "SymbolicLink" : "Directory"
}

const below = (files: Files, at: string) => Object.keys(files).filter((key) => key === at || key.startsWith(`${at}/`))

/** Folders stay when they are emptied. */
const keepFolder = (files: Files, at: string): void => {
  const parent = at.slice(0, at.lastIndexOf("/"))
  if (parent !== "" && kindAt(files, parent) === null) files[parent] = FOLDER
}

const take = (files: Files, at: string): ReadonlyArray<readonly [below: string, entry: Entry]> => {
  const taken = below(files, at).flatMap((key) => {
    const entry = files[key]
    delete files[key]
    return entry === undefined ? [] : [[key.slice(at.length), entry] as const]
  })
  keepFolder(files, at)
  return taken
}

const writing = (files: Files, hooks: Hooks): Partial<FileSystem.FileSystem> => ({
  access: (path) => refused(hooks, path),
  chmod: () => Effect.void,
  exists: (path) => Effect.sync(() => follow(files, path) !== null),
  lstat: (path) =>
    Effect.suspend(() => {
      const at = placed(files, path)
      const kind = at === null ? null : kindAt(files, at)
      return at === null || kind === null
        ? Effect.fail(systemError("NotFound", path))
        : Effect.succeed({ ...info(files, at), type: kind, mtime: Option.fromNullishOr(hooks.mtime) })
    }),
  makeDirectory: (path, options) =>
    Effect.flatMap(refused(hooks, path), () => {
      if (options?.recursive === true) {
        if (follow(files, path) === null) files[path] = FOLDER
        return Effect.void
      }
      return Effect.flatMap(found(placed(files, path), path), (at) => {
        if (kindAt(files, at) !== null) return Effect.fail(systemError("AlreadyExists", path))
        files[at] = FOLDER
        return Effect.void
      })
    }),
  writeFile: (path, bytes) => Effect.map(refused(hooks, path), () => void (files[path] = bytes.slice())),
  remove: (path, options) =>
    Effect.flatMap(refused(hooks, path), () => {
      const at = placed(files, path)
      if (at === null || kindAt(files, at) === null) {
        return options?.force === true ? Effect.void : Effect.fail(systemError("NotFound", path))
      }
      return Effect.sync(() => void take(files, at))
    }),
  rename: (from, to) =>
    Effect.gen(function*() {
      yield* refused(hooks, to)
      const [source, target] = [yield* found(placed(files, from), from), yield* found(placed(files, to), to)]
      if (kindAt(files, source) === null) return yield* Effect.fail(systemError("NotFound", from))
      if (hooks.disk !== undefined && hooks.disk(source) !== hooks.disk(target)) return yield* otherDisk(from)
      for (const [rest, entry] of take(files, source)) files[`${target}${rest}`] = entry
      if (kindAt(files, target) === null) files[target] = FOLDER
    }),
  copy: (from, to) =>
    Effect.sync(() => {
      for (const key of below(files, from)) files[`${to}${key.slice(from.length)}`] = files[key] ?? FOLDER
    })
})

const otherDisk = (path: string) =>
  Effect.fail(PlatformError.systemError({
    _tag: "Unknown",
    module: "FileSystem",
    method: "rename",
    pathOrDescriptor: path,
    cause: { code: "EXDEV" }
  }))

const writable = (files: Files, at: string): FileSystem.File => ({
  ...openFile(new Uint8Array(), FILE),
  stat: Effect.sync(() => info(files, at)),
  writeAll: (bytes) => Effect.sync(() => void (files[at] = bytes.slice()))
})

interface Hooks {
  readonly before?: (path: string) => void
  readonly after?: () => void
  /** Whether a file may not be read, written or made now. */
  readonly refuses?: (path: string) => boolean
  /** When every file was changed last; without it no file tells. */
  readonly mtime?: Date
  /** On which disk a path is; renaming stays on one. */
  readonly disk?: (path: string) => string
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

const systemError = (_tag: "NotFound" | "PermissionDenied" | "AlreadyExists", path: string) =>
  PlatformError.systemError({ _tag, module: "FileSystem", method: "stat", pathOrDescriptor: path })

const info = (files: Files, real: string): FileSystem.File.Info => ({
  ...FILE,
  type: kindAt(files, real) === "File" ? "File" : "Directory",
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
