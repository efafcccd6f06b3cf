/** The file with the chats: made for this user alone, looked at before it is used, and never replaced when it is damaged. */
import { ChatStoreUnusable, ChatWriter } from "@boocode/chat"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import type { Purpose } from "./DatabasePurpose.ts"
import * as FileLock from "./FileLock.ts"
import * as NodeSqlite from "./NodeSqlite.ts"
import * as SqliteDamage from "./SqliteDamage.ts"

export const layer = (file: string, purpose: Purpose) =>
  Layer.merge(
    NodeSqlite.layer(file).pipe(Layer.catch((error) => Layer.effect(SqlClient.SqlClient, unusable(file, error)))),
    writersLayer(writersOf(file), purpose).pipe(
      Layer.catch((error) => Layer.effectDiscard(outOfReach(file, error)))
    )
  ).pipe(
    Layer.tap((services) => Effect.provideContext(check(file), services)),
    // The file is there before anybody opens it.
    (opened) => Layer.unwrap(Effect.as(prepare(file), opened))
  )

/** SQLite gives the files beside it the same mode. */
const prepare = Effect.fnUntraced(
  function*(file: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    yield* fs.makeDirectory(path.dirname(file), { recursive: true, mode: 0o700 })
    if (!(yield* fs.exists(file))) yield* makeNew(file)
    yield* fs.open(file, { flag: "a", mode: 0o600 })
    const found = yield* damageOf(file)
    if (found.why === null) return
    // Another program may be making the file just now, or writing to it.
    yield* Effect.sleep("1 second")
    const { why } = yield* damageOf(file)
    if (why === found.why) return yield* damaged(file, why, found.isInLog ? moveLog(file) : undefined)
  },
  Effect.scoped,
  (effect, file) =>
    Effect.catch(effect, (error) => error._tag === "ChatStoreUnusable" ? Effect.fail(error) : outOfReach(file, error))
)

/** A program that is killed here leaves no half of a file behind, which the next one would take for a damaged one. */
const makeNew = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ directory: path.dirname(file), prefix: "new-" })
  const made = path.join(folder, path.basename(file))
  yield* Effect.scoped(fs.open(made, { flag: "wx", mode: 0o600 }))
  yield* Effect.scoped(Layer.build(NodeSqlite.layer(made)))
  yield* fs.link(made, file).pipe(
    // Another program made it meanwhile.
    Effect.catchIf(({ reason }) => reason._tag === "AlreadyExists", () => Effect.void),
    // Not every disk has links.
    Effect.catch(() => fs.rename(made, file))
  )
})

/** A longer log is not read at a start. */
const LOG_BYTES = 64 * 1024 * 1024

/** Damage that SQLite passes over. */
const damageOf = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* fs.open(file, { flag: "r" })
  const header = Option.getOrElse(yield* opened.readAlloc(100), () => new Uint8Array())
  const { size } = yield* opened.stat
  const log = Number(size) === 0 ? null : yield* logOf(`${file}-wal`)
  return log === null
    ? { isInLog: false, why: SqliteDamage.ofFile(header, Number(size)) }
    : { isInLog: true, why: SqliteDamage.ofLog(log) }
}, Effect.scoped)

/** Null where there is none, also when another program that ends removes it meanwhile; empty for one that is too long. */
const logOf = Effect.fnUntraced(function*(log: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.orElseSucceed(fs.stat(log), () => null)
  if (info === null || Number(info.size) === 0) return null
  if (Number(info.size) > LOG_BYTES) return new Uint8Array()
  return yield* Effect.catchIf(fs.readFile(log), ({ reason }) => reason._tag === "NotFound", () => Effect.succeed(null))
})

/** A larger one is not read through at each start: so much takes about a tenth of a second. */
const LOOKED_THROUGH_BYTES = 16 * 1024 * 1024

const check = Effect.fnUntraced(
  function*(file: string) {
    const fs = yield* FileSystem.FileSystem
    const sql = yield* SqlClient.SqlClient
    const { size } = yield* Effect.orDie(fs.stat(file))
    if (Number(size) > LOOKED_THROUGH_BYTES) return
    const found = yield* sql<{ quick_check: string }>`PRAGMA quick_check(1)`.pipe(
      Effect.map(([row]) => row?.quick_check ?? "it cannot be read"),
      Effect.catch((error) =>
        error.reason._tag === "LockTimeoutError" ? unusable(file, error) : Effect.succeed(error.message)
      )
    )
    if (found !== "ok") return yield* damaged(file, found)
  }
)

const CANNOT_WRITE = /unable to open|readonly|permission/i
const NOT_OURS = /not a database|malformed/i

const unusable = (file: string, error: SqlError) =>
  CANNOT_WRITE.test(error.message)
    ? outOfReach(file, error)
    : NOT_OURS.test(error.message)
    ? damaged(file, error.message)
    : Effect.fail(
      new ChatStoreUnusable({
        database: file,
        why: error.message,
        hint: "see that its disk is not full and that no other program locks it, then start again",
        isOutOfReach: false,
        cause: error
      })
    )

const RECOVER =
  "put a backup in its place, or move it away to begin with no chats; `sqlite3 FILE .recover` may save what it holds"

const moveLog = (file: string): string =>
  `move ${file}-wal aside: the chats that ${file} itself holds stay; or remove it and put a backup in the file's place`

const damaged = (file: string, why: string, hint = RECOVER) =>
  Effect.fail(
    new ChatStoreUnusable({ database: file, why: `the file is damaged (${why})`, hint, isOutOfReach: false })
  )

const outOfReach = Effect.fnUntraced(function*(file: string, error: { readonly message: string }) {
  const path = yield* Path.Path
  const readOnly = yield* readOnlyAt(path.dirname(file))
  return yield* new ChatStoreUnusable({
    database: file,
    why: readOnly === null
      ? `the file cannot be made or written (${error.message})`
      : `the folder ${readOnly} is read-only (${error.message})`,
    hint: "let this user write to its folder, or name another one in BOOCODE_STATE_DIR",
    isOutOfReach: true,
    cause: error
  })
})

/** The folder, or the nearest one above it that is there, when this user cannot write to it; else null. */
const readOnlyAt = (
  folder: string
): Effect.Effect<string | null, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const above = (yield* Path.Path).dirname(folder)
    const isThere = yield* Effect.orElseSucceed(fs.exists(folder), () => false)
    if (!isThere) return above === folder ? null : yield* readOnlyAt(above)
    return (yield* Effect.isSuccess(fs.access(folder, { writable: true }))) ? null : folder
  })

const writersOf = (file: string): string => `${file}-writers`

/** Whether a program uses the file now. */
export const isInUse = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.orElseSucceed(fs.readDirectory(writersOf(file)), () => [])
  return names.some((name) => name.endsWith(".lock") && FileLock.isTaken(path.join(writersOf(file), name)))
})

/**
 * Each program that uses the file holds the lock of a file of its own, and the system releases the lock when the program
 * ends, however it ends. The lock is given back and its file removed when the layer closes.
 */
const writersLayer = (folder: string, purpose: Purpose) =>
  Layer.effect(
    ChatWriter,
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
      const fileOf = (id: string) => path.join(folder, `${id}.lock`)
      const id = randomUUID()
      yield* Effect.acquireRelease(
        Effect.try({
          try: () => FileLock.take(fileOf(id)),
          catch: (cause) => ({ message: `its lock cannot be taken: ${String(cause)}` })
        }),
        (held) => Effect.sync(() => FileLock.release(held, fileOf(id)))
      )
      return {
        id,
        isAlive: (other: string) => Effect.sync(() => NAME.test(other) && FileLock.isTaken(fileOf(other))),
        recovers: purpose !== "command"
      }
    })
  )

/** An id comes from the database and becomes the name of a file. */
const NAME = /^[0-9a-f-]{36}$/
