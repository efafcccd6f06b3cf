/** Nothing is kept of a call that was answered, nor of a registry that was closed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Census from "./soak/Census.ts"
import * as Program from "./soak/Program.ts"
import type { Level } from "./soak/SlopeHost.ts"

/** Of heap, after a collection. */
const MOST_BYTES_A_CALL = 200
const CALLS = ["1000", "10000"]
const MOST_BYTES_A_CYCLE = 10_000

/** What a registry of its own, in a process of its own, says of itself after so many calls or cycles. */
const levels = (...args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "boocode-slope-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const { code, stderr, stdout } = yield* Program.run("SlopeHost", args, { TMPDIR: folder })
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    const measured: ReadonlyArray<Level> = JSON.parse(stdout)
    const [first] = measured
    const last = measured.at(-1)
    if (first === undefined || last === undefined) return assert.fail("nothing was measured")
    return { first, last, bytesEach: (last.heap - first.heap) / (last.at - first.at) }
  }).pipe(Effect.scoped)

describe("Slope", () => {
  it.live(
    "between one number of calls and ten times that, 16 in flight, heap, fibers and handles stay as they are",
    () =>
      Effect.gen(function*() {
        const { bytesEach, first, last } = yield* levels("calls", ...CALLS)
        assert.isBelow(bytesEach, MOST_BYTES_A_CALL)
        assert.isAtMost(last.fibers, first.fibers)
        assert.deepStrictEqual(Census.more(first.handles, last.handles), [])
        assert.deepStrictEqual(last.temporaryFiles, [])
      })
  )

  it.live("a call that leaves its answer behind is noticed", () =>
    Effect.gen(function*() {
      const { bytesEach } = yield* levels("calls", ...CALLS, "--leak")
      assert.isAbove(bytesEach, MOST_BYTES_A_CALL)
    }))

  it.live(
    "connected and closed over and over: heap, fibers, sockets, listeners and temporary files stay as they are (R3)",
    () =>
      Effect.gen(function*() {
        const { bytesEach, first, last } = yield* levels("cycles", "20", "400")
        assert.isBelow(bytesEach, MOST_BYTES_A_CYCLE)
        assert.isAtMost(last.fibers, first.fibers)
        assert.deepStrictEqual(Census.more(first.handles, last.handles), [])
        assert.deepStrictEqual(last.temporaryFiles, [])
      }),
    600_000
  )

  it.live("a connection that leaves a listener and a fiber behind is noticed", () =>
    Effect.gen(function*() {
      const { first, last } = yield* levels("cycles", "2", "8", "--leak")
      assert.isAbove(last.fibers, first.fibers)
      assert.isNotEmpty(Census.more(first.handles, last.handles))
    }))
})
