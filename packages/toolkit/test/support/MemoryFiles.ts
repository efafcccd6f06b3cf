/** A file system in memory with as much as ResultFiles asks for, and what it holds. */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { ResultFiles } from "../../src/index.ts"

export interface StoredFile {
  readonly bytes: Uint8Array
  readonly mode: number | undefined
  readonly writtenAt: number
}

export const FOLDER = "/state/results"

const notFound = (path: string) =>
  PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "readFile", pathOrDescriptor: path })

const info = (file: StoredFile): FileSystem.File.Info => ({
  type: "File",
  mtime: Option.some(new Date(file.writtenAt)),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: file.mode ?? 0o644,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(file.bytes.length),
  blksize: Option.none(),
  blocks: Option.none()
})

/** A disk. `full` makes every write fail. `touched` lists every path that was read. */
export class MemoryFiles {
  readonly files = new Map<string, StoredFile>()
  /** Where a path leads to, if not to itself. */
  readonly links = new Map<string, string>()
  readonly touched: Array<string> = []
  full = false

  readonly layer: Layer.Layer<ResultFiles>

  constructor() {
    const get = (path: string) =>
      Effect.suspend(() => {
        this.touched.push(path)
        const file = this.files.get(path)
        return file === undefined ? Effect.fail(notFound(path)) : Effect.succeed(file)
      })
    const fs = FileSystem.layerNoop({
      exists: () => Effect.sync(() => this.files.size > 0),
      makeDirectory: () => Effect.void,
      readDirectory: () => Effect.sync(() => [...this.files.keys()].map((path) => path.slice(FOLDER.length + 1))),
      readFile: (path) => Effect.map(get(path), (file) => file.bytes),
      realPath: (path) => path === FOLDER ? Effect.succeed(path) : Effect.as(get(path), this.links.get(path) ?? path),
      stat: (path) => Effect.map(get(path), info),
      utimes: (path, _, mtime) =>
        Effect.map(get(path), (file) => void this.files.set(path, { ...file, writtenAt: Number(mtime) })),
      remove: (path) => Effect.sync(() => void this.files.delete(path)),
      writeFile: (path, bytes, options) =>
        Effect.flatMap(Clock.currentTimeMillis, (writtenAt) => {
          if (this.full) {
            return Effect.fail(
              PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "writeFile" })
            )
          }
          this.files.set(path, { bytes, mode: options?.mode, writtenAt })
          return Effect.void
        })
    })
    // A fresh layer each time, because each build is one start of the program.
    this.layer = Layer.fresh(ResultFiles.layer(FOLDER).pipe(Layer.provide([fs, Path.layer])))
  }

  text(handle: string): string {
    return new TextDecoder().decode(this.files.get(`${FOLDER}/${handle}`)?.bytes)
  }

  get texts(): ReadonlyArray<string> {
    return [...this.files.values()].map((file) => new TextDecoder().decode(file.bytes))
  }
}
