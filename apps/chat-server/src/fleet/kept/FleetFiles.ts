/**
 * The configuration of a fleet in the data folder of this node: a working copy of the rows. A change of it goes into the
 * rows first, and changes of other nodes come into it, where they are followed as any change of a file is.
 */
import { EditLock } from "@boocode/mcp-config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import { type PlatformError, systemError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { Author } from "../../database/ConfigHistory.ts"
import * as NewDataFolder from "../../settings/NewDataFolder.ts"
import * as ConfigFolder from "./ConfigFolder.ts"
import { ConfigRows } from "./ConfigRows.ts"

/** Null in a program that is no node of a fleet. */
export class FleetFiles extends Context.Reference<
  {
    /** Whether a path is that of a file of the configuration. */
    readonly nameOf: (path: string) => string | null
    /**
     * Writes a file into the rows, null for one that is removed, and does the same in the folder. Where another node was
     * first its text comes into the folder, nothing is written, and it fails with `NotFound`: the change begins again.
     */
    readonly keep: (
      name: string,
      text: string | null,
      apply: Effect.Effect<void, PlatformError>
    ) => Effect.Effect<void, PlatformError>
  } | null
>("chat-server/FleetFiles", { defaultValue: () => null }) {
  /** Brings the folder to the newest rows, or its files into a table that is empty, and keeps both alike from then on. */
  static readonly layer = (node: string) => Layer.effect(FleetFiles, make(node))
}

/** The file system of a node: a file of the configuration that is replaced or removed is so in the whole fleet. */
export const fileSystem = Layer.effect(
  FileSystem.FileSystem,
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const files = yield* FleetFiles
    if (files === null) return fs
    return FileSystem.FileSystem.of({
      ...fs,
      rename: (from, to) => {
        const name = files.nameOf(to)
        return name === null
          ? fs.rename(from, to)
          : Effect.flatMap(fs.readFileString(from), (text) => files.keep(name, text, fs.rename(from, to)))
      },
      remove: (file, options) => {
        const name = files.nameOf(file)
        const removed = fs.remove(file, options)
        return name === null ? removed : Effect.flatMap(
          fs.exists(file),
          (isThere) => isThere ? files.keep(name, null, removed) : removed
        )
      }
    })
  })
)

/** A node, and the person whose request it is that changes a file. */
export const authorAt = (node: string): Effect.Effect<string> =>
  Effect.map(Author, (name) => name === null ? node : `${name} at ${node}`)

/** How often a node looks without being told. */
const INTERVAL = "5 seconds"

interface Known {
  readonly version: number
  readonly text: string | null
}

const NOTHING: Known = { version: 0, text: null }

const make = Effect.fnUntraced(function*(node: string) {
  const folder = yield* ConfigFolder.make
  const kept = yield* ConfigRows
  const rows = { ...kept, newest: Effect.map(kept.newest, folder.known) }
  const needs = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const turn = yield* Semaphore.make(1)
  const known = new Map<string, Known>()
  const of = (name: string) => known.get(name) ?? NOTHING

  const bring = Effect.fnUntraced(function*(name: string, version: number) {
    const text = yield* rows.read(name, version)
    yield* folder.put(name, text)
    known.set(name, { version, text })
  })

  const keep = Effect.fnUntraced(function*(
    name: string,
    text: string | null,
    apply: Effect.Effect<void, PlatformError>
  ) {
    const version = yield* rows.write(name, text, of(name).version, yield* authorAt(node))
    if (version === null) {
      yield* bring(name, (yield* rows.newest).get(name) ?? 0)
      return yield* refused(folder.pathOf(name), "NotFound", "another node changed it first; do it again")
    }
    yield* apply
    known.set(name, { version, text })
  }, turn.withPermit)

  /** A difference that is seen without the lock of editors is looked at once more with it. */
  const settle = Effect.fnUntraced(function*(name: string, newest: number) {
    const { text, version } = of(name)
    const here = yield* folder.read(name)
    if (newest <= version && (here === text || here === null && text === null)) return
    yield* folder.makeParent(name)
    yield* EditLock.withLock(folder.pathOf(name), () => turn.withPermit(alike(name, newest)))
  })

  const alike = Effect.fnUntraced(function*(name: string, newest: number) {
    const before = of(name)
    const here = yield* folder.read(name)
    const isOwn = here !== null && here !== before.text
    if (newest > before.version) {
      if (isOwn && here !== (yield* rows.read(name, newest))) yield* folder.setAside(name)
      return yield* bring(name, newest)
    }
    if (!isOwn) return yield* folder.put(name, before.text)
    const version = yield* rows.write(name, here, before.version, node)
    if (version !== null) known.set(name, { version, text: here })
  })

  const round = Effect.gen(function*() {
    const newest = yield* rows.newest
    const names = new Set([...newest.keys(), ...yield* folder.names])
    yield* Effect.forEach(names, (name) => settle(name, newest.get(name) ?? 0), { discard: true })
  }).pipe(
    Effect.provideContext(needs),
    Effect.catch((error) =>
      Effect.logDebug(`the configuration is not compared: ${error._tag === "Busy" ? error.lock : error.message}`)
    )
  )

  const begin = Effect.gen(function*() {
    const newest = yield* rows.newest
    if (newest.size === 0) {
      yield* NewDataFolder.prepare
      for (const name of yield* folder.names) {
        const text = yield* folder.read(name)
        if (text === null) continue
        yield* rows.write(name, text, 0, node)
        known.set(name, { version: 1, text })
      }
      return
    }
    for (const [name, version] of newest) {
      const here = yield* folder.read(name)
      if (here !== null && here !== (yield* rows.read(name, version))) yield* folder.setAside(name)
      yield* bring(name, version)
    }
    for (const name of yield* folder.names) if (!newest.has(name)) yield* folder.setAside(name)
  })

  yield* rows.alone(Effect.provideContext(begin, yield* Effect.context<Effect.Services<typeof begin>>()))
  const told = yield* Queue.sliding<void>(1)
  yield* Effect.forkScoped(Stream.runForEach(rows.changes, () => Queue.offer(told, undefined)))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.raceFirst(Queue.take(told), Effect.sleep(INTERVAL)), round))
  )
  return {
    nameOf: folder.nameOf,
    keep: (name: string, text: string | null, apply: Effect.Effect<void, PlatformError>) =>
      Effect.catchTag(
        keep(name, text, apply),
        "ConfigRowsFailed",
        ({ message }) => refused(folder.pathOf(name), "Unknown", message)
      )
  }
})

const refused = (pathOrDescriptor: string, tag: "NotFound" | "Unknown", description: string) =>
  Effect.fail(systemError({ _tag: tag, module: "FileSystem", method: "rename", pathOrDescriptor, description }))
