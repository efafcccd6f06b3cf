import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as SqliteFile from "../src/SqliteFile.ts"

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
})
