import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as SqliteFile from "../src/SqliteFile.ts"

/** What a start says where the system refuses to make the file. */
const refusal = (tag: "Unknown" | "PermissionDenied" | "BadResource", said: string) =>
  Layer.build(SqliteFile.layer("/state/chats.sqlite", "server")).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.provide(Layer.merge(
      Path.layer,
      FileSystem.layerNoop({
        makeDirectory: () => Effect.void,
        open: (path) =>
          Effect.fail(PlatformError.systemError({
            _tag: tag,
            module: "FileSystem",
            method: "open",
            pathOrDescriptor: path,
            cause: new Error(said)
          }))
      })
    ))
  )

describe("The file of the chats", () => {
  it.effect("says that its folder is read-only where it is, and what else is wrong where it is not", () =>
    Effect.gen(function*() {
      for (
        const error of [
          yield* refusal("Unknown", "EROFS: read-only file system, open '/state/chats.sqlite'"),
          yield* refusal("PermissionDenied", "EACCES: permission denied, open '/state/chats.sqlite'")
        ]
      ) {
        assert.include(error.message, "its folder is read-only")
        assert.include(error.message, "/state/chats.sqlite")
        assert.isTrue(error.isOutOfReach)
      }
      const other = yield* refusal("BadResource", "ENOTDIR: not a directory")
      assert.include(other.message, "the file cannot be made or written")
    }))
})
