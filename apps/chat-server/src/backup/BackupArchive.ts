/** Reads the file of a backup into a folder, and believes nothing that its manifest does not say. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createTarDecoder, type ParsedTarEntry } from "modern-tar"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { statfs } from "node:fs/promises"
import { Readable, Transform } from "node:stream"
import { createGunzip } from "node:zlib"
import { RestoreRefused } from "./BackupError.ts"
import * as BackupManifest from "./BackupManifest.ts"

/** The files are in `folder` by their names in the archive. */
export const extract = Effect.fnUntraced(function*(archive: string, folder: string) {
  const allowed = { bytes: BackupManifest.MOST_BYTES }
  const read = <A>(all: AsyncIterable<A>) =>
    Stream.fromAsyncIterable(leavable(all), (cause) => damaged(archive, wordsOf(cause)))
  const state: {
    manifest: BackupManifest.Manifest | null
    left: Map<string, BackupManifest.Manifest["files"][number]>
  } = {
    manifest: null,
    left: new Map()
  }
  yield* Stream.runForEach(
    read(entriesOf(archive, allowed)),
    Effect.fnUntraced(function*({ body, header }) {
      const bytes = read(body)
      if (state.manifest === null) {
        const manifest = yield* readManifest(archive, header, bytes)
        state.manifest = manifest
        state.left = new Map(manifest.files.map((file) => [file.name, file]))
        allowed.bytes = yield* roomFor(archive, folder, manifest)
        return
      }
      const expected = state.left.get(header.name)
      if (expected === undefined || header.type !== "file") {
        return yield* damaged(
          archive,
          `it has ${JSON.stringify(header.name)}, which its manifest does not name as a file`
        )
      }
      state.left.delete(header.name)
      yield* store(archive, folder, expected, bytes)
    })
  )
  const [missing] = state.left.keys()
  if (state.manifest === null) return yield* damaged(archive, "it is empty")
  if (missing !== undefined) return yield* damaged(archive, `${missing} is missing in it`)
  return state.manifest
})

/** To leave an archive that is damaged is no second failure, though its stream has ended with one. */
const leavable = <A>(all: AsyncIterable<A>): AsyncIterable<A> => ({
  [Symbol.asyncIterator]: () => {
    const one = all[Symbol.asyncIterator]()
    const left = { done: true, value: undefined } as const
    return { next: () => one.next(), return: () => Promise.resolve(one.return?.()).then(() => left, () => left) }
  }
})

/** `allowed` shrinks by what comes out of the compression. */
const entriesOf = (archive: string, allowed: { bytes: number }): AsyncIterable<ParsedTarEntry> => {
  const meter = new Transform({
    transform: (chunk: Uint8Array, _, done) => {
      allowed.bytes -= chunk.length
      done(allowed.bytes < 0 ? new Error("it holds more than it says") : null, chunk)
    }
  })
  const source = createReadStream(archive)
  const gunzip = createGunzip()
  source.on("error", (error) => gunzip.destroy(error))
  gunzip.on("error", (error) => meter.destroy(error))
  meter.on("close", () => source.destroy())
  return Readable.toWeb(source.pipe(gunzip).pipe(meter)).pipeThrough(createTarDecoder({ strict: true }))
}

const readManifest = Effect.fnUntraced(function*(
  archive: string,
  header: ParsedTarEntry["header"],
  bytes: Stream.Stream<Uint8Array, RestoreRefused>
) {
  const foreign = new RestoreRefused({
    message: `${archive} is no backup of BooCode`,
    hint: "give a file that boocode backup wrote: boocode restore FILE",
    file: archive
  })
  if (header.name !== BackupManifest.NAME || header.type !== "file" || header.size > BackupManifest.MOST_BYTES) {
    return yield* foreign
  }
  const text = yield* Stream.mkString(Stream.decodeText(bytes))
  const { version } = yield* Effect.mapError(Schema.decodeEffect(BackupManifest.Head)(text), () => foreign)
  if (version > BackupManifest.VERSION) {
    return yield* new RestoreRefused({
      message: `${archive} was written by a newer BooCode`,
      hint: "update this BooCode, then run boocode restore again",
      file: archive
    })
  }
  return yield* Effect.mapError(
    Schema.decodeEffect(BackupManifest.ManifestText)(text),
    ({ message }) => damaged(archive, `its manifest is wrong: ${message}`)
  )
})

/** A block for each file, and what archives end with. */
const FRAMES = 4096

const roomFor = Effect.fnUntraced(function*(archive: string, folder: string, { files }: BackupManifest.Manifest) {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const { bavail, bsize } = yield* Effect.orDie(Effect.tryPromise(() => statfs(folder)))
  if (total > bavail * bsize) {
    return yield* new RestoreRefused({
      message: `${archive} holds ${total} bytes, and the disk of ${folder} has ${bavail * bsize} left`,
      hint: "make room, then run boocode restore again; nothing was changed",
      file: archive
    })
  }
  return total + (files.length + 64) * FRAMES
})

const store = Effect.fnUntraced(function*(
  archive: string,
  folder: string,
  expected: BackupManifest.Manifest["files"][number],
  bytes: Stream.Stream<Uint8Array, RestoreRefused>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const target = path.join(folder, ...expected.name.split("/"))
  const hash = createHash("sha256")
  let size = 0
  const counted = Stream.tap(bytes, (chunk) => {
    hash.update(chunk)
    size += chunk.length
    return size > expected.bytes
      ? Effect.fail(damaged(archive, `${expected.name} is longer than it says`))
      : Effect.void
  })
  const written = Effect.gen(function*() {
    yield* fs.makeDirectory(path.dirname(target), { recursive: true, mode: 0o700 })
    yield* Stream.run(counted, fs.sink(target, { flag: "wx", mode: 0o600 }))
  })
  yield* Effect.catchTag(written, "PlatformError", (error) => Effect.fail(unwritable(archive, error)))
  if (size !== expected.bytes || hash.digest("hex") !== expected.sha256) {
    return yield* damaged(archive, `${expected.name} is not what was written into it`)
  }
})

const unwritable = (archive: string, cause: { readonly message: string }) =>
  new RestoreRefused({
    message: `${archive} cannot be unpacked: ${cause.message}`,
    hint: "see that the disk has room and may be written; nothing was changed",
    file: archive,
    cause
  })

export const damaged = (archive: string, why: string) =>
  new RestoreRefused({
    message: `${archive} is damaged: ${why}`,
    hint: "take another copy of it, or another backup; nothing was changed",
    file: archive
  })

const wordsOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message || "it cannot be unpacked" : String(cause)
