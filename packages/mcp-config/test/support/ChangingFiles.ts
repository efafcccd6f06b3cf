/** Files held in memory that change while somebody watches; time and inode numbers are theirs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Environment, McpConfig } from "../../src/index.ts"
import * as ConfigWatch from "../../src/read/ConfigWatch.ts"
import { infoOf } from "./Files.ts"

interface File {
  readonly text: string
  readonly inode: number
  readonly millis: number
}

export interface Disk {
  /** Writes in place. */
  readonly write: (path: string, text: string) => Effect.Effect<void>
  /** Writes beside it and renames over it, as careful programs do. */
  readonly replace: (path: string, text: string) => Effect.Effect<void>
  readonly remove: (path: string) => Effect.Effect<void>
  readonly makeFolder: (path: string) => Effect.Effect<void>
  /** Makes one name lead to another file; of both the folder may be another. */
  readonly link: (path: string, to: string) => Effect.Effect<void>
  /** How often a file was read since it was asked last. */
  readonly reads: (path: string) => number
  /** Which folders are watched now. */
  readonly watched: () => ReadonlyArray<string>
  readonly files: Layer.Layer<FileSystem.FileSystem | Path.Path>
}

/** `deaf` tells nobody of anything; `broken` dies when it is asked to watch. */
export const make = Effect.fnUntraced(function*(
  start: Readonly<Record<string, string>>,
  hearing: "good" | "deaf" | "broken" = "good"
) {
  const clock = yield* Clock.Clock
  const files = new Map<string, File>()
  const folders = new Map<string, number>()
  const links = new Map<string, string>()
  const reads = new Map<string, number>()
  const watched: Array<string> = []
  const told = yield* PubSub.unbounded<{ readonly folder: string; readonly name: string }>()
  let inodes = 0
  const put = (path: string, text: string, inode = ++inodes) => {
    if (!folders.has(parentOf(path))) folders.set(parentOf(path), ++inodes)
    files.set(path, { text, inode, millis: clock.currentTimeMillisUnsafe() })
  }
  const tell = (path: string) =>
    hearing === "good" ? PubSub.publish(told, { folder: parentOf(path), name: nameOf(path) }) : Effect.succeed(true)
  const real = (path: string): string => {
    const to = links.get(path)
    return to === undefined ? path : real(to)
  }
  const found = (method: string, path: string) =>
    Effect.suspend(() => {
      const file = files.get(real(path))
      if (file !== undefined) return Effect.succeed(file)
      return Effect.fail(
        PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method, pathOrDescriptor: path })
      )
    })
  for (const [path, text] of Object.entries(start)) put(path, text)

  const fs = FileSystem.makeNoop({
    exists: (path) => Effect.sync(() => files.has(real(path))),
    realPath: (path) => Effect.as(found("realPath", path), real(path)),
    stat: (path) =>
      Effect.suspend(() => {
        const folder = folders.get(path)
        if (folder !== undefined) return Effect.succeed({ ...infoOf("Directory"), ino: Option.some(BigInt(folder)) })
        return Effect.map(found("stat", path), ({ inode, millis, text }) => ({
          ...infoOf("File", text.length),
          ino: Option.some(BigInt(inode)),
          mtime: Option.some(new Date(millis))
        }))
      }),
    readFileString: (path) => {
      reads.set(path, (reads.get(path) ?? 0) + 1)
      return Effect.map(found("readFileString", path), ({ text }) => text)
    },
    watch: (folder) =>
      hearing === "broken"
        ? Stream.die(new Error("ENOSPC: no space left for watches"))
        : Stream.unwrap(Effect.gen(function*() {
          yield* Effect.acquireRelease(
            Effect.sync(() => watched.push(folder)),
            () => Effect.sync(() => watched.splice(watched.indexOf(folder), 1))
          )
          return Stream.fromPubSub(told).pipe(
            Stream.filter((event) => event.folder === folder),
            Stream.map(({ name }): FileSystem.WatchEvent => ({ _tag: "Update", path: name }))
          )
        }))
  })
  const disk: Disk = {
    write: (path, text) => Effect.andThen(Effect.sync(() => put(path, text, files.get(path)?.inode)), tell(path)),
    replace: (path, text) =>
      Effect.andThen(Effect.sync(() => put(path, text)), Effect.andThen(tell(`${path}.new`), tell(path))),
    remove: (path) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const map of [files, folders, links]) {
            for (const key of [...map.keys()]) if (key === path || key.startsWith(`${path}/`)) map.delete(key)
          }
        }),
        tell(path)
      ),
    makeFolder: (path) => Effect.andThen(Effect.sync(() => folders.set(path, ++inodes)), tell(path)),
    link: (path, to) => Effect.andThen(Effect.sync(() => links.set(path, to)), tell(path)),
    reads: (path) => {
      const count = reads.get(path) ?? 0
      reads.set(path, 0)
      return count
    },
    watched: () => [...watched].sort(),
    files: Layer.merge(Layer.succeed(FileSystem.FileSystem, fs), Path.layer)
  }
  return disk
})

/** A configuration over this disk, watched until the test ends. */
export const watching = Effect.fnUntraced(function*(
  disk: Disk,
  layer: Layer.Layer<McpConfig, never, FileSystem.FileSystem | Path.Path | Environment>,
  variables: Readonly<Record<string, string>> = {}
) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const all = ConfigWatch.layer.pipe(
    Layer.provideMerge(layer),
    Layer.provide(disk.files),
    Layer.provide(Environment.layer(variables))
  )
  const config = yield* Effect.provideContext(McpConfig, yield* Layer.buildWithScope(all, scope))
  return { config, scope }
})

/** The same without anybody watching. */
export const unwatched = Effect.fnUntraced(function*(
  disk: Disk,
  layer: Layer.Layer<McpConfig, never, FileSystem.FileSystem | Path.Path | Environment>,
  environment?: Environment["Service"]
) {
  const given = environment === undefined ? Environment.layer({}) : Layer.succeed(Environment, environment)
  const all = layer.pipe(Layer.provide(disk.files), Layer.provide(given))
  return yield* Effect.provideContext(McpConfig, yield* Layer.buildWithScope(all, yield* Effect.scope))
})

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
