/** Writes a backup: one file, a tar.gz with a manifest in front, made beside its place and put there when it is whole. */
import type { ChatStoreUnusable } from "@boocode/chat"
import { Environment } from "@boocode/mcp-config"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { packTar } from "modern-tar/fs"
import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import * as DatabasePurpose from "../database/DatabasePurpose.ts"
import { BackupFailed } from "./BackupError.ts"
import * as BackupItems from "./BackupItems.ts"
import * as BackupManifest from "./BackupManifest.ts"
import * as BackupPlaces from "./BackupPlaces.ts"
import * as ChatCopy from "./ChatCopy.ts"
import * as SealedFiles from "./SealedFiles.ts"

export interface Options {
  /** Absolute; nothing may be there. */
  readonly file: string
  readonly hasWorkspace: boolean
  /** Credentials are in it only with a passphrase. */
  readonly passphrase: Redacted.Redacted | null
}

export interface Written {
  readonly file: string
  readonly bytes: number
  readonly files: number
  readonly kinds: ReadonlyArray<BackupItems.Kind>
  /**
   * The files that were left out although they belong to an item: links, unreadable folders, names that not every
   * system can have.
   */
  readonly skipped: ReadonlyArray<string>
}

/** Copies everything to a place beside the file first, so that what changes meanwhile is in it as it was at one moment. */
export const write = Effect.fnUntraced(
  function*(options: Options) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    if (yield* fs.exists(options.file)) return yield* taken(options.file)
    const scratch = yield* fs.makeTempDirectoryScoped({
      directory: path.dirname(options.file),
      prefix: ".boocode-backup-"
    })
    const kinds = kindsOf(options)
    const copied = yield* copyAll(scratch, kinds)
    const sealed = options.passphrase === null ? [] : yield* sealAll(scratch, options.passphrase)
    const files = yield* Effect.forEach([...copied.found, ...sealed], hashed)
    const createdAt = DateTime.formatIso(yield* DateTime.now)
    const manifest = yield* Effect.orDie(
      Schema.encodeEffect(BackupManifest.ManifestText)({
        format: "boocode-backup",
        version: BackupManifest.VERSION,
        createdAt,
        kinds,
        files: files.map(({ bytes, name, sha256 }) => ({ name, bytes, sha256 }))
      })
    )
    const draft = path.join(scratch, "backup.tar.gz")
    yield* packed(draft, manifest, files)
    yield* placed(draft, options.file)
    const { size } = yield* fs.stat(options.file)
    const written: Written = {
      file: options.file,
      bytes: Number(size),
      files: files.length,
      kinds,
      skipped: copied.skipped
    }
    return written
  },
  Effect.scoped,
  (effect, { file }) => Effect.mapError(effect, (error) => inWords(error, file))
)

const inWords = (error: BackupFailed | ChatStoreUnusable | { readonly message: string }, file: string): BackupFailed =>
  error instanceof BackupFailed ? error : new BackupFailed({
    message: `no backup was written: ${isFolderMissing(error) ? `the folder of ${file} is not there` : error.message}`,
    hint: `see that the folder of ${file} may be written and its disk has room`,
    file,
    cause: error
  })

const isFolderMissing = (error: object): boolean =>
  error instanceof PlatformError.PlatformError && error.reason._tag === "NotFound" &&
  error.reason.method === "makeTempDirectoryScoped"

/** A link is refused where a file came to be meanwhile; a renaming, which is for disks without links, would replace it. */
const placed = Effect.fnUntraced(function*(draft: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const linked = Effect.catchReason(fs.link(draft, file), "PlatformError", "AlreadyExists", () => taken(file))
  yield* Effect.catchTag(linked, "PlatformError", () => fs.rename(draft, file))
})

const taken = (file: string) =>
  Effect.fail(
    new BackupFailed({
      message: `${file} is there already`,
      hint: `give another name: boocode backup ${file.replace(/(\.tar\.gz|\.tgz)?$/, "-2$1")}`,
      file
    })
  )

const kindsOf = ({ hasWorkspace, passphrase }: Options): ReadonlyArray<BackupItems.Kind> => [
  "chats",
  "configuration",
  "agents",
  "permissions",
  "pins",
  ...(hasWorkspace ? ["workspace" as const] : []),
  ...(passphrase === null ? [] : ["credentials" as const])
]

/** The credentials are sealed instead. */
const copyAll = Effect.fnUntraced(function*(scratch: string, kinds: ReadonlyArray<BackupItems.Kind>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const places = yield* BackupPlaces.make
  const items = BackupItems.ITEMS.filter(({ kind }) => kind !== "credentials" && kinds.includes(kind))
  const all = yield* Effect.forEach(items, (item) => BackupPlaces.filesOf(places, item))
  const plain = all.flatMap(({ found }) => found).filter(({ archived }) => archived !== CHATS)
  for (const { archived, path: from } of plain) {
    const target = path.join(scratch, ...archived.split("/"))
    yield* fs.makeDirectory(path.dirname(target), { recursive: true })
    yield* fs.copyFile(from, target)
  }
  const chats = yield* copyChats(path.join(scratch, "chats.sqlite"), places.pathOf("state", DatabasePurpose.FILE))
  return {
    found: [
      ...plain.map(({ archived }) => ({ name: archived, path: path.join(scratch, ...archived.split("/")) })),
      ...chats.map((path) => ({ name: CHATS, path }))
    ],
    skipped: all.flatMap(({ skipped }) => skipped)
  }
})

const CHATS = `state/${DatabasePurpose.FILE}`

/** The copy; none where there are no chats yet. */
const copyChats = Effect.fnUntraced(function*(target: string, file: string) {
  const fs = yield* FileSystem.FileSystem
  const url = ((yield* Environment).variables["DATABASE_URL"] ?? "").trim()
  if (url !== "") yield* ChatCopy.fromPostgres(Redacted.make(url), target)
  else if (yield* fs.exists(file)) yield* ChatCopy.snapshot(file, target)
  else return []
  return [target]
})

const sealAll = Effect.fnUntraced(function*(scratch: string, passphrase: Redacted.Redacted) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const places = yield* BackupPlaces.make
  const items = BackupItems.ITEMS.filter(({ kind }) => kind === "credentials")
  const all = yield* Effect.forEach(items, (item) => BackupPlaces.filesOf(places, item))
  const read = yield* Effect.forEach(
    all.flatMap(({ found }) => found),
    ({ archived, path }) => Effect.map(fs.readFile(path), (bytes) => [archived, bytes] as const)
  )
  const target = path.join(scratch, BackupManifest.SEALED)
  yield* fs.writeFile(target, yield* SealedFiles.seal(Object.fromEntries(read), passphrase))
  return [{ name: BackupManifest.SEALED, path: target }]
})

const hashed = Effect.fnUntraced(function*({ name, path }: { readonly name: string; readonly path: string }) {
  const fs = yield* FileSystem.FileSystem
  const hash = createHash("sha256")
  let bytes = 0
  yield* Stream.runForEach(fs.stream(path), (chunk) =>
    Effect.sync(() => {
      hash.update(chunk)
      bytes += chunk.length
    }))
  return { name, path, bytes, sha256: hash.digest("hex") }
})

const packed = (
  target: string,
  manifest: string,
  files: ReadonlyArray<{ readonly name: string; readonly path: string }>
) =>
  Effect.tryPromise({
    try: (signal) =>
      pipeline(
        packTar([
          { type: "content", content: manifest, target: BackupManifest.NAME, mode: 0o600 },
          ...files.map(({ name, path }) => ({ type: "file" as const, source: path, target: name, mode: 0o600 }))
        ]),
        createGzip(),
        createWriteStream(target, { flags: "wx", mode: 0o600 }),
        { signal }
      ),
    catch: (cause) => ({ message: cause instanceof Error ? cause.message : String(cause) })
  })
