/** Pins in files. */
import { DecisionNotKept } from "@boocode/mcp-client/McpError"
import * as StateFile from "@boocode/mcp-client/StateFile"
import { Hash, JsonValue, Redaction } from "@boocode/mcp-client/Text"
import type { ConfiguredServer, DeclaredEntry } from "@boocode/mcp-config"
import type * as Digest from "effect/crypto/Digest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as PinSchemas from "./PinSchemas.ts"
import { NOT_PINNED, type PinOptions, type Subject } from "./PinSubject.ts"
import * as PinVerdict from "./PinVerdict.ts"
import * as ToolPrint from "./ToolPrint.ts"

/** Keeps pins in files, as `ToolPins.layer` says. */
export const make = Effect.fnUntraced(function*(state: string, { lockFiles = true }: PinOptions) {
  const path = yield* Path.Path
  const context = yield* Effect.context<Digest.Digest | FileSystem.FileSystem | Path.Path>()
  const files = new Map<string, StateFile.StateFile<PinSchemas.PinFile>>()
  /** Pins that could not be written hold for this run. */
  const unwritten = new Map<string, PinSchemas.PinnedServer>()

  const placeOf = Effect.fnUntraced(function*(name: string, declared: DeclaredEntry) {
    const { file: where, of } = yield* findPlace(declared, state, path, lockFiles)
    const file = files.get(where) ?? (yield* StateFile.make(where, PinSchemas.PinFile))
    files.set(where, file)
    return { file, where, of, key: `${where}\u0000${name}` }
  })
  const check = Effect.fnUntraced(function*(subject: Subject) {
    const { config, entry } = subject
    if (config.pin === "off") return PinVerdict.UNPINNED
    if (entry.declared === undefined) {
      return { ...PinVerdict.UNPINNED, warnings: config.pin === "block" ? [NOT_PINNED] : [] }
    }
    const place = yield* placeOf(entry.name, entry.declared)
    const content = yield* place.file.read
    const listing = yield* ToolPrint.ofListing(subject.tools)
    const version = versionOf(subject)
    const pin = yield* Effect.cached(pinned(subject, listing, version))
    const write = (isReplaced: boolean) =>
      Effect.flatMap(pin, (made) => place.file.change(withPins(place.of, made, isReplaced)))
    const accept = write(true).pipe(
      Effect.tap(Effect.sync(() => unwritten.delete(place.key))),
      Effect.provideContext(context),
      Effect.mapError(({ message }) => new DecisionNotKept({ detail: message }))
    )
    const judged = { config, listing, version, accept }
    if (Result.isFailure(content)) return PinVerdict.unusable(judged, content.failure.message)
    const known = pinsIn(content, entry.name) ?? unwritten.get(place.key)
    if (known !== undefined) return yield* PinVerdict.compare(judged, known)
    if (content.success?.lost === true) {
      return PinVerdict.unusable(judged, `its pins were lost when ${place.where} was damaged`)
    }
    const written = yield* Effect.result(write(false))
    // Another program may have been first.
    const now = pinsIn(yield* place.file.read, entry.name)
    if (now !== undefined) return yield* PinVerdict.compare(judged, now)
    unwritten.set(place.key, yield* pin)
    const why = Result.isFailure(written) ? `: ${written.failure.message}` : ""
    return { ...PinVerdict.same(judged), warnings: [`its tools are pinned for this run only${why}`] }
  })
  const forget = Effect.fnUntraced(function*(entry: ConfiguredServer) {
    if (entry.declared === undefined) return
    const { file, key } = yield* placeOf(entry.name, entry.declared)
    unwritten.delete(key)
    yield* Effect.mapError(
      file.change(withoutPins(entry.name)),
      ({ message }) => new DecisionNotKept({ detail: message })
    )
  })
  return {
    check: (subject: Subject) => Effect.provideContext(check(subject), context),
    forget: (entry: ConfiguredServer) => Effect.provideContext(forget(entry), context)
  }
})

type Content = StateFile.Content<PinSchemas.PinFile>

const pinsIn = (content: Content, name: string): PinSchemas.PinnedServer | undefined =>
  Result.getOrElse(content, () => null)?.servers.find(({ server }) => server === name)

const withPins = (of: string, pins: PinSchemas.PinnedServer, isReplaced: boolean) => (content: Content) => {
  const before = Result.getOrElse(content, () => null)
  if (!isReplaced && pinsIn(content, pins.server) !== undefined) return null
  const others = before?.servers.filter(({ server }) => server !== pins.server) ?? []
  const servers = [...others, pins].sort((one, other) => one.server < other.server ? -1 : 1)
  return { version: 1 as const, of, lost: Result.isFailure(content) || before?.lost === true, servers }
}

const withoutPins = (name: string) => (content: Content) => {
  const before = Result.getOrElse(content, () => null)
  if (before === null || pinsIn(content, name) === undefined) return null
  return { ...before, servers: before.servers.filter(({ server }) => server !== name) }
}

const versionOf = ({ config, serverInfo }: Subject): string | null =>
  serverInfo === null ? null : Redaction.scrubber(config)(`${serverInfo.name} ${serverInfo.version}`).slice(0, 200)

/** Longer definitions are kept as their hash alone. */
const LONGEST_DEFINITION = 20_000
/** How much of all definitions of a server is kept. */
const LONGEST_ALTOGETHER = 500_000

const pinned = Effect.fnUntraced(function*(
  { config, entry }: Subject,
  { hash, tools }: ToolPrint.ListingPrint,
  version: string | null
) {
  const scrub = Redaction.revealingScrubber(config)
  let left = LONGEST_ALTOGETHER
  return {
    server: entry.name,
    version,
    pinnedAt: DateTime.formatIso(yield* DateTime.now),
    hash,
    tools: yield* Effect.forEach(tools, (print) => {
      const length = print.text?.length ?? LONGEST_DEFINITION + 1
      const isKept = length <= Math.min(left, LONGEST_DEFINITION)
      if (isKept) left -= length
      const definition = isKept ? JsonValue.mapTexts(print.definition, scrub) : null
      return Effect.map(ToolPrint.hash(print), (own) => ({ name: print.name, hash: own, definition }))
    })
  } satisfies PinSchemas.PinnedServer
})

export interface PinPlace {
  readonly file: string
  readonly of: string
}

/**
 * The place for an entry. For a project file it lies in `state`, because a file of the project could approve itself;
 * else it is the lock file beside the declaring file (`mcp.lock.json` for `mcp.json`), unless there are to be none.
 */
const findPlace = Effect.fnUntraced(function*(
  entry: DeclaredEntry,
  state: string,
  path: Path.Path,
  hasLockFiles: boolean
): Effect.fn.Return<PinPlace, never, Digest.Digest> {
  if (entry.scope !== "project" && hasLockFiles) {
    return { file: `${entry.file.replace(/\.jsonc?$/, "")}.lock.json`, of: path.basename(entry.file) }
  }
  const of = entry.scope === "project" ? entry.folder : entry.file
  return { file: path.join(state, "pins", `${(yield* Hash.hex(of)).slice(0, 32)}.json`), of }
})
