/** A file system in memory, with links, modes and owners, on which several programs work at the same time. */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import { posix } from "node:path"

interface File {
  readonly kind: "file"
  bytes: Uint8Array
  mode: number
  uid: number
}

type Node = File | { readonly kind: "link"; readonly to: string } | { readonly kind: "folder" }

type Tag = "NotFound" | "AlreadyExists" | "PermissionDenied" | "BadResource" | "Unknown"

const failure = (tag: Tag, method: string, path: string) =>
  PlatformError.systemError({ _tag: tag, module: "FileSystem", method, pathOrDescriptor: path })

/** What a program is about to do. */
export interface Step {
  readonly method: string
  readonly path: string
}

const fileOf = (bytes: Uint8Array, mode = 0o644, uid = 0): File => ({ kind: "file", bytes, mode, uid })

export class MemoryFiles {
  readonly nodes = new Map<string, Node>()

  constructor(files: Readonly<Record<string, string | Uint8Array | { readonly link: string }>> = {}) {
    for (const [path, file] of Object.entries(files)) {
      this.addFolder(posix.dirname(path))
      const isLink = typeof file === "object" && "link" in file
      this.nodes.set(
        path,
        isLink
          ? { kind: "link", to: file.link }
          : fileOf(typeof file === "string" ? new TextEncoder().encode(file) : file)
      )
    }
  }

  /** The text of a file, links followed; null when there is none. */
  text(path: string): string | null {
    const node = this.nodes.get(this.follow(path) ?? path)
    return node?.kind === "file" ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(node.bytes) : null
  }

  write(path: string, text: string): void {
    this.addFolder(posix.dirname(path))
    this.nodes.set(path, fileOf(new TextEncoder().encode(text)))
  }

  file(path: string): File {
    const node = this.nodes.get(path)
    if (node?.kind === "file") return node
    throw new Error(`no file ${path}`)
  }

  /** What lies in a folder, hidden or not. */
  names(folder: string): ReadonlyArray<string> {
    return [...this.nodes.keys()].filter((path) => posix.dirname(path) === folder).map((path) => posix.basename(path))
  }

  private addFolder(path: string): void {
    for (let folder = path; !this.nodes.has(folder); folder = posix.dirname(folder)) {
      this.nodes.set(folder, { kind: "folder" })
      if (folder === "/") return
    }
  }

  private follow(path: string, links = 20): string | null {
    const node = this.nodes.get(path)
    if (node === undefined || links === 0) return null
    return node.kind === "link" ? this.follow(posix.resolve(posix.dirname(path), node.to), links - 1) : path
  }

  /** The files as one program sees them; `before` and `after` run around each of its steps, and may wait or fail. */
  view(
    before: (step: Step) => Effect.Effect<void, PlatformError.PlatformError> = () => Effect.void,
    uid = 0,
    after: Effect.Effect<void> = Effect.void
  ): FileSystem.FileSystem {
    const step = <A>(method: string, path: string, run: (fail: (tag: Tag) => never) => A) =>
      Effect.andThen(
        before({ method, path }),
        Effect.try({
          try: () =>
            run((tag) => {
              throw failure(tag, method, path)
            }),
          catch: (error) => error instanceof PlatformError.PlatformError ? error : failure("Unknown", method, path)
        })
      ).pipe(Effect.tap(after))
    const fileAt = (path: string, fail: (tag: Tag) => never): File => {
      const node = this.nodes.get(this.follow(path) ?? fail("NotFound"))
      return node?.kind === "file" ? node : fail("BadResource")
    }
    return FileSystem.makeNoop({
      exists: (path) => step("exists", path, () => this.follow(path) !== null),
      realPath: (path) => step("realPath", path, (fail) => this.follow(path) ?? fail("NotFound")),
      readLink: (path) =>
        step("readLink", path, (fail) => {
          const node = this.nodes.get(path) ?? fail("NotFound")
          return node.kind === "link" ? node.to : fail("Unknown")
        }),
      stat: (path) => step("stat", path, (fail) => infoOf(this.nodes.get(this.follow(path) ?? fail("NotFound")))),
      readDirectory: (path) =>
        step("readDirectory", path, (fail) => this.nodes.has(path) ? [...this.names(path)] : fail("NotFound")),
      makeDirectory: (path) => step("makeDirectory", path, () => this.addFolder(path)),
      readFile: (path) => step("readFile", path, (fail) => fileAt(path, fail).bytes.slice()),
      readFileString: (path) =>
        step("readFileString", path, (fail) => new TextDecoder().decode(fileAt(path, fail).bytes)),
      writeFileString: (path, data, options) =>
        step("writeFileString", path, (fail) => {
          if (options?.flag !== undefined && options.flag !== "wx") return fail("Unknown")
          if (options?.flag === "wx" && this.nodes.has(path)) return fail("AlreadyExists")
          if (!this.nodes.has(posix.dirname(path))) return fail("NotFound")
          this.nodes.set(path, fileOf(new TextEncoder().encode(data), options?.mode, uid))
        }),
      link: (from, to) =>
        step("link", to, (fail) => {
          if (this.nodes.has(to)) return fail("AlreadyExists")
          this.nodes.set(to, this.nodes.get(from) ?? fail("NotFound"))
        }),
      remove: (path, options) =>
        step(
          "remove",
          path,
          (fail) => this.nodes.delete(path) || options?.force === true ? undefined : fail("NotFound")
        ),
      rename: (from, to) =>
        step("rename", to, (fail) => {
          this.nodes.set(to, this.nodes.get(from) ?? fail("NotFound"))
          this.nodes.delete(from)
        }),
      chmod: (path, mode) =>
        step("chmod", path, (fail) => {
          fileAt(path, fail).mode = mode
        }),
      chown: (path, owner) =>
        step("chown", path, (fail) => {
          if (uid !== 0) return fail("PermissionDenied")
          fileAt(path, fail).uid = owner
        }),
      open: (path, options) =>
        step("open", path, (fail) => {
          if (options?.flag !== "r+") return fail("Unknown")
          const file = fileAt(path, fail)
          return handle(
            (bytes) => step("writeAll", path, () => void (file.bytes = bytes)),
            step("sync", path, () => {})
          )
        })
    })
  }
}

const handle = (
  writeAll: FileSystem.File["writeAll"],
  sync: FileSystem.File["sync"]
): FileSystem.File => ({
  [FileSystem.FileTypeId]: FileSystem.FileTypeId,
  writeAll,
  sync,
  stat: Effect.die("unused"),
  seek: () => Effect.die("unused"),
  read: () => Effect.die("unused"),
  readAlloc: () => Effect.die("unused"),
  truncate: () => Effect.die("unused"),
  write: () => Effect.die("unused")
})

const infoOf = (node: Node | undefined): FileSystem.File.Info => ({
  type: node?.kind === "file" ? "File" : "Directory",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o100000 + (node?.kind === "file" ? node.mode : 0o755),
  nlink: Option.none(),
  uid: Option.some(node?.kind === "file" ? node.uid : 0),
  gid: Option.some(0),
  rdev: Option.none(),
  size: ByteSize.bytes(node?.kind === "file" ? node.bytes.length : 0),
  blksize: Option.none(),
  blocks: Option.none()
})
