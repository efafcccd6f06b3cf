/** How much garbage the server keeps, in an engine whose collections do not depend on time. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { IS_LONG } from "./support/Size.ts"

const HOST = fileURLToPath(new URL("support/GarbageHost.ts", import.meta.url))
/** As on a machine with much memory, in which the engine by itself collects late. */
const FLAGS = ["--max-old-space-size=4096", "--max-semi-space-size=1"]
const STEADY = ["--expose-gc", "--single-threaded-gc", "--no-incremental-marking"]

/** How many times as large as at the start the heap was. */
const grown = (how: "bounded" | "free") =>
  Effect.promise(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, ...STEADY, HOST, how])
    const { most, start } = JSON.parse(stdout)
    return Number(most) / Number(start)
  })

describe("The heap of a server", () => {
  it.live(
    "is collected when it grew by less than the half, where Node waits for twice as much",
    () =>
      Effect.gen(function*() {
        assert.isBelow(yield* grown("bounded"), 1.6)
        if (IS_LONG) assert.isAbove(yield* grown("free"), 2)
      }),
    60_000
  )
})
