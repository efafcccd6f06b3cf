/** Notices when files changed, once they have come to rest. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** How long the files must be as they are before they are read: an editor's save may be a deletion and two renames. */
export const QUIET = Duration.millis(200)

/**
 * How often the files are looked at without being told: not every file system tells, and none tells of a folder that is
 * not there yet.
 */
export const INTERVAL = Duration.seconds(2)

/** Others may write into the same folders without end: what they do is looked at no more often. */
const REST = Duration.seconds(1)

/** A file that never comes to rest counts as changed all the same after so many times `QUIET`. */
const PATIENCE = 10

/** The files to watch, and the effect of a change. */
export interface Options {
  /** The files, those that are not there yet included; asked for again at each look. */
  readonly files: Effect.Effect<ReadonlyArray<string>>
  /** Is run at first, and each time that one of them changed. */
  readonly onChange: Effect.Effect<void>
}

/**
 * Watches files for ever, until it is interrupted.
 *
 * Works through `FileSystem.watch` on the folders of the files and of what they link to, and by a look at the files every
 * two seconds. An edit in place, a rename over the file, a link that leads elsewhere,
 * deletion and creation are all noticed. A folder counts as changed when something comes into it or leaves it.
 */
export const run = (options: Options): Effect.Effect<never, never, FileSystem.FileSystem | Path.Path> =>
  Effect.scoped(Effect.gen(function*() {
    const listening = yield* listener
    let seen = ""
    const round = Effect.gen(function*() {
      const files = yield* options.files
      yield* listening.to(files)
      const isNamed = yield* Effect.map(Queue.clear(listening.named), (found) => found.length > 0)
      if (!isNamed && (yield* printOf(files)) === seen) {
        return yield* Effect.raceFirst(Queue.peek(listening.named), Effect.sleep(REST))
      }
      seen = yield* untilQuiet(files, listening.told)
      yield* options.onChange
    })
    for (;;) {
      yield* round
      yield* Effect.raceFirst(Queue.take(listening.told), Effect.sleep(Duration.subtract(INTERVAL, REST)))
    }
  }))

/** Hears what the file system tells of some folders. */
const listener = Effect.gen(function*() {
  const told = yield* Queue.sliding<void>(1)
  const folders = yield* FiberMap.make<string>()
  let names: ReadonlySet<string> = new Set()
  const named = yield* Queue.sliding<void>(1)
  const hear = ({ path }: FileSystem.WatchEvent) => {
    if (names.has(path)) Queue.offerUnsafe(named, undefined)
    Queue.offerUnsafe(told, undefined)
  }
  const to = Effect.fnUntraced(function*(files: ReadonlyArray<string>) {
    const places = yield* Effect.forEach(files, placesOf)
    names = new Set(places.flat().map(({ name }) => name))
    const wanted = new Map(places.flat().flatMap(({ folder, key }) => key === null ? [] : [[key, folder]]))
    for (const [key] of folders) if (!wanted.has(key)) yield* FiberMap.remove(folders, key)
    for (const [key, folder] of wanted) {
      yield* FiberMap.run(folders, key, hearFrom(folder, hear), { onlyIfMissing: true })
    }
  })
  return {
    /** Has something when anything was told of. */
    told,
    /** Has something when a file by one of the names was. */
    named,
    to
  }
})

/** Where a file stands and, for a link, where the file it leads to stands. A folder made anew is another folder. */
const placesOf = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
  return yield* Effect.forEach([...new Set([file, real])], (one) => {
    const folder = path.dirname(one)
    return Effect.map(identityOf(folder), (identity) => ({
      name: path.basename(one),
      folder,
      key: identity === null ? null : `${folder} ${identity}`
    }))
  })
})

/** Ends when the folder cannot be watched (any more); then the next look at the files tries again. */
const hearFrom = Effect.fnUntraced(function*(folder: string, hear: (event: FileSystem.WatchEvent) => void) {
  const fs = yield* FileSystem.FileSystem
  yield* Stream.runForEach(fs.watch(folder), (event) => Effect.sync(() => hear(event))).pipe(
    // A system that ran out of watches fails with a defect.
    Effect.catchCause((cause) => Effect.logDebug(`${folder} cannot be watched, so it is looked at now and then`, cause))
  )
})

const untilQuiet = Effect.fnUntraced(function*(files: ReadonlyArray<string>, told: Queue.Queue<void>) {
  let print = yield* printOf(files)
  for (let count = 0; count < PATIENCE; count++) {
    yield* Queue.clear(told)
    yield* Effect.sleep(QUIET)
    const next = yield* printOf(files)
    const isQuiet = next === print && (yield* Queue.size(told)) === 0
    print = next
    if (isQuiet) return print
  }
  return print
})

/** A text that differs when one of the files does. */
const printOf = (files: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(files, (file) => Effect.map(contentOf(file), (content) => `${file} ${content}`)),
    (lines) => lines.join("\n")
  )

const contentOf = (file: string) =>
  infoOf(file, ({ mtime, size, ...info }) => `${inode(info)} ${size} ${Option.getOrNull(mtime)?.getTime() ?? ""}`)

/** Numbers of folders that are gone are given to new ones at once. */
const identityOf = (folder: string) =>
  infoOf(folder, (info) => `${inode(info)} ${Option.getOrNull(info.birthtime)?.getTime() ?? ""}`)

const inode = ({ dev, ino, type }: Pick<FileSystem.File.Info, "dev" | "ino" | "type">): string =>
  `${type} ${dev}:${Option.getOrNull(ino) ?? ""}`

const infoOf = <A>(file: string, use: (info: FileSystem.File.Info) => A) =>
  FileSystem.FileSystem.use((fs) => Effect.orElseSucceed(Effect.map(fs.stat(file), use), () => null))
