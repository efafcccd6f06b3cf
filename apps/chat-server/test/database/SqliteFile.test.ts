import { assert, describe, it } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { TestClock } from "effect/testing"
import * as SqliteFile from "../../src/database/SqliteFile.ts"
import * as SqliteLog from "../support/SqliteLog.ts"

const failed = (said: string) =>
  PlatformError.systemError({ _tag: "NotFound", module: "FileSystem", method: "open", pathOrDescriptor: said })

/** What a start says where the system refuses to make the file, and these folders are there. */
const refusal = (folders: ReadonlyArray<string>, isWritable: boolean) =>
  Layer.build(SqliteFile.layer("/data/state/chats.sqlite", "server")).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.provide(Layer.merge(
      Path.layer,
      FileSystem.layerNoop({
        makeDirectory: (path) => Effect.fail(failed(path)),
        exists: (path) => Effect.succeed(folders.includes(path)),
        access: (path) => isWritable ? Effect.void : Effect.fail(failed(path))
      })
    ))
  )

const INFO: FileSystem.File.Info = {
  type: "File",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o600,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: ByteSize.bytes(4096),
  blksize: Option.none(),
  blocks: Option.none()
}

const unused = () => Effect.die("not used")

const opened: FileSystem.File = {
  [FileSystem.FileTypeId]: FileSystem.FileTypeId,
  stat: Effect.succeed(INFO),
  readAlloc: () => Effect.succeed(Option.some(new Uint8Array(100))),
  read: unused,
  seek: unused,
  sync: Effect.void,
  truncate: unused,
  write: unused,
  writeAll: unused
}

/** What a start says where the file is there, with this log beside it. */
const withLog = Effect.fnUntraced(function*(readFile: FileSystem.FileSystem["readFile"]) {
  const starting = Layer.build(SqliteFile.layer("/no-such-folder/chats.sqlite", "server")).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.provide(Layer.merge(
      Path.layer,
      FileSystem.layerNoop({
        makeDirectory: () => Effect.void,
        exists: () => Effect.succeed(true),
        access: () => Effect.void,
        open: () => Effect.succeed(opened),
        stat: () => Effect.succeed(INFO),
        readFile
      })
    ))
  )
  const fiber = yield* Effect.forkChild(starting)
  yield* TestClock.adjust("1 second")
  return yield* Fiber.join(fiber)
})

describe("The file of the chats", () => {
  it.effect("says which folder is read-only, and only where one is", () =>
    Effect.gen(function*() {
      const error = yield* refusal(["/", "/data", "/data/state"], false)
      assert.include(error.message, "/data/state/chats.sqlite cannot be used: the folder /data/state is read-only")
      assert.isTrue(error.isOutOfReach)
      assert.include((yield* refusal(["/", "/data"], false)).message, "the folder /data is read-only")
      assert.include((yield* refusal(["/", "/data"], true)).message, "the file cannot be made or written")
      assert.include((yield* refusal([], false)).message, "the file cannot be made or written")
    }))
  it.effect("says to move a damaged log aside", () =>
    Effect.gen(function*() {
      const log = SqliteLog.of([2, 2, 2])
      log.fill(0xaa, SqliteLog.at(1) + 24, SqliteLog.at(1) + 40)
      const error = yield* withLog(() => Effect.succeed(log))
      assert.include(error.message, "its log (-wal) is damaged")
      assert.include(error.hint, "move /no-such-folder/chats.sqlite-wal aside")
    }))

  it.effect("takes a log that goes while it is looked at for none", () =>
    Effect.gen(function*() {
      const error = yield* withLog((path) => Effect.fail(failed(path)))
      // SQLite itself was asked.
      assert.include(error.message, "unable to open database file")
    }))
})
