import { ResultFiles } from "@boocode/toolkit"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { readdirSync, statSync, utimesSync } from "node:fs"
import { join } from "node:path"

const start = (folder: string) => Layer.fresh(ResultFiles.layer(folder))
const WEEK_SECONDS = 7 * 24 * 60 * 60

describe("ResultFiles on a real disk", () => {
  it.live("makes its folder, keeps files for their owner alone, and removes them after 7 days (R35)", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const folder = join(yield* fs.makeTempDirectoryScoped(), "state", "results")
      const write = ResultFiles.use((files) => files.write("long text 😀")).pipe(Effect.provide(start(folder)))
      const handle = (yield* write) ?? assert.fail("not kept")
      if (process.platform !== "win32") {
        assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
        assert.strictEqual(statSync(join(folder, handle)).mode & 0o777, 0o600)
      }
      const read = ResultFiles.use((files) => files.read(handle)).pipe(Effect.provide(start(folder)))
      assert.strictEqual(yield* read, "long text 😀")
      const old = Date.now() / 1000 - WEEK_SECONDS - 60
      utimesSync(join(folder, handle), old, old)
      assert.isNull(yield* read)
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.provide(NodeServices.layer)))
})
