/**
 * Keeps what is too long for a result in files, which `view_file` reads by handle
 * (docs/decisions.md#decision-10-results).
 */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as Scope from "effect/Scope"

/** The files that hold what did not fit into a result. */
export class ResultFiles extends Context.Service<ResultFiles, {
  /**
   * Keeps text or bytes and gives the handle to read them by: a bare name that cannot be guessed. Null when they could
   * not be kept, for instance on a full disk; a warning in the log says why. Only the owner may read the file, where
   * the system knows such a thing.
   */
  readonly write: (content: string | Uint8Array) => Effect.Effect<string | null>
  /**
   * Keeps a text that stands in many requests: its handle is the same every time, made of its SHA-256. The 7 days begin
   * anew each time. Null as for `write`.
   */
  readonly keep: (text: string) => Effect.Effect<string | null>
  /**
   * The text kept under a handle. Null when there is none, and for everything that is not a handle: a path is refused
   * before any file is touched, and a link to another file is not followed. Bytes that are not UTF-8 read as one line
   * that says how many they are.
   */
  readonly read: (handle: string) => Effect.Effect<string | null>
  /** The bytes kept under a handle, with the same refusals as `read`. */
  readonly bytes: (handle: string) => Effect.Effect<Uint8Array | null>
}>()("toolkit/ResultFiles") {
  /**
   * Keeps files in this folder, which is made when the first is written. Files of more than 7 days are removed when the
   * layer is built, and every day while it lives.
   */
  static readonly layer = (folder: string): Layer.Layer<ResultFiles, never, FileSystem.FileSystem | Path.Path> =>
    ResultFiles.layerStore(inFolder(folder))

  /** Keeps them in another place, just as long. */
  static readonly layerStore = <E, R>(
    store: Effect.Effect<ResultStore, E, R>
  ): Layer.Layer<ResultFiles, E, Exclude<R, Scope.Scope>> =>
    Layer.effect(ResultFiles, Effect.flatMap(store, make)).pipe(
      Layer.provide([SecureRandom.layerWebCrypto, Digest.layerWebCrypto])
    )
}

/** A failure in words. */
interface Failure {
  readonly message: string
}

/** Keeps bytes by handle. */
export interface ResultStore {
  /** For a sentence. */
  readonly place: string
  /** Bytes that are there under the handle stay. */
  readonly put: (handle: string, bytes: Uint8Array) => Effect.Effect<void, Failure>
  /** Whether all these bytes are there; if so, their time begins anew. */
  readonly renew: (handle: string, bytes: number) => Effect.Effect<boolean, Failure>
  readonly get: (handle: string) => Effect.Effect<Uint8Array | null, Failure>
  /** Removes what was written before a time, in milliseconds. */
  readonly removeOlder: (oldest: number) => Effect.Effect<void, Failure>
}

/** Tells whether a name has the form of a handle. A path never has. */
export const isHandle = (name: string): boolean => HANDLE.test(name)

const HANDLE = /^result-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const KEPT = Duration.days(7)
const CLEANED_EVERY = Duration.days(1)

const make = Effect.fnUntraced(function*({ get, place, put, removeOlder, renew }: ResultStore) {
  const random = yield* SecureRandom.SecureRandom
  const digest = yield* Digest.Digest
  const removeOld = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => removeOlder(now - Duration.toMillis(KEPT))
  ).pipe(Effect.catch((error) => Effect.logWarning(`old results could not be removed: ${error.message}`)))
  yield* removeOld
  yield* Effect.forkScoped(Effect.forever(Effect.delay(removeOld, CLEANED_EVERY)))

  const write = Effect.fn("ResultFiles.write")(
    function*(content: string | Uint8Array) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content
      const handle = `result-${yield* random.uuidV4()}`
      yield* put(handle, bytes)
      return handle
    },
    Effect.catch((error) =>
      Effect.as(Effect.logWarning(`a long result could not be kept in ${place}: ${error.message}`), null)
    )
  )

  const keep = Effect.fn("ResultFiles.keep")(
    function*(text: string) {
      const bytes = new TextEncoder().encode(text)
      const handle = handleOf(yield* digest.digestHex(Digest.sha256, bytes))
      if (!(yield* renew(handle, bytes.length))) yield* put(handle, bytes)
      return handle
    },
    Effect.catch((error) =>
      Effect.as(Effect.logWarning(`a long text could not be kept in ${place}: ${error.message}`), null)
    )
  )

  const bytes = Effect.fn("ResultFiles.bytes")(function*(handle: string) {
    if (!isHandle(handle)) return null
    return yield* Effect.catch(
      get(handle),
      (error) => Effect.as(Effect.logWarning(`${handle} could not be read: ${error.message}`), null)
    )
  })

  const read = Effect.fn("ResultFiles.read")(function*(handle: string) {
    const found = yield* bytes(handle)
    return found === null ? null : asText(found)
  })

  return ResultFiles.of({ write, keep, read, bytes })
})

const inFolder = Effect.fnUntraced(function*(folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fileOf = (handle: string) => path.join(folder, handle)
  return {
    place: folder,
    put: (handle, bytes) =>
      Effect.andThen(
        fs.makeDirectory(folder, { recursive: true, mode: 0o700 }),
        fs.writeFile(fileOf(handle), bytes, { mode: 0o600, flag: "wx" })
      ).pipe(Effect.catchReason("PlatformError", "AlreadyExists", () => Effect.void)),
    renew: Effect.fnUntraced(function*(handle, bytes) {
      const now = DateTime.toDate(yield* DateTime.now)
      // A file that an end of the program cut off is written again.
      if (ByteSize.toBigInt((yield* fs.stat(fileOf(handle))).size) !== BigInt(bytes)) {
        yield* fs.remove(fileOf(handle), { force: true })
        return false
      }
      yield* fs.utimes(fileOf(handle), now, now)
      return true
    }, Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(false))),
    get: (handle) =>
      Effect.gen(function*() {
        const isLink = (yield* fs.realPath(fileOf(handle))) !== path.join(yield* fs.realPath(folder), handle)
        return isLink ? null : yield* fs.readFile(fileOf(handle))
      }).pipe(Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(null))),
    removeOlder: Effect.fnUntraced(function*(oldest) {
      if (!(yield* fs.exists(folder))) return
      const names = yield* fs.readDirectory(folder)
      yield* Effect.forEach(names.filter(isHandle), (name) => removeOlder(fs, fileOf(name), oldest), { discard: true })
    })
  } satisfies ResultStore
})

/** The first half of a hash in the form that random handles have. */
const handleOf = (hash: string): string =>
  `result-${[[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => hash.slice(from, to)).join("-")}`

const asText = (bytes: Uint8Array): string => {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  // Text is written well-formed, so a replacement that encodes to other bytes can only come from bytes that are no text.
  return sameBytes(new TextEncoder().encode(text), bytes) ? text : `(${bytes.length} bytes that are not text)`
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

/** One that cannot be removed leaves the others to be. */
const removeOlder = (fs: FileSystem.FileSystem, file: string, oldest: number) =>
  Effect.gen(function*() {
    const written = (yield* fs.stat(file)).mtime
    if (Option.isSome(written) && written.value.getTime() < oldest) yield* fs.remove(file, { force: true })
  }).pipe(Effect.catch((error) => Effect.logWarning(`old results could not be removed: ${error.message}`)))
