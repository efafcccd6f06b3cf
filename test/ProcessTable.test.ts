import { NodeProcessTree } from "@boocode/mcp-node"
import { MARKER_VARIABLE, ProcessTree } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"

/**
 * A shell that starts the next one in a session of its own and ends, over and over: nobody ever has a parent. Signals
 * come too late for it, so it ends by itself: when the file `$1` is gone, and after `$2` hops in any case.
 */
const HOPS = "if [ -e \"$1\" ] && [ \"$2\" -gt 0 ]; then setsid sh -c \"$0\" \"$0\" \"$1\" $(($2 - 1)) & sleep 0.01; fi"

const hopper = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const going = yield* files.makeTempFile()
  const marker = randomUUID()
  yield* Effect.addFinalizer(() => Effect.orDie(files.remove(going)))
  const child = spawn("/bin/sh", ["-c", HOPS, HOPS, going, "10000"], {
    detached: true,
    stdio: "ignore",
    env: { PATH: process.env["PATH"], [MARKER_VARIABLE]: marker }
  })
  yield* Effect.promise(() => once(child, "exit"))
  return { pid: child.pid ?? 0, marker }
})

const LOOKS = 60

/** How many are seen of a hopper, look after look: sixty times, and for three seconds at least. */
const looks = Effect.gen(function*() {
  const tree = yield* ProcessTree
  const target = yield* hopper
  const counts: Array<number> = []
  const until = Date.now() + 3000
  while (Date.now() < until || counts.length < LOOKS) {
    counts.push(yield* tree.alive(target))
    yield* Effect.sleep("5 millis")
  }
  return { counts, marker: target.marker }
}).pipe(Effect.scoped, Effect.provide([NodeProcessTree.layer, NodeServices.layer]))

describe.runIf(process.platform === "linux")("ProcessTable", Deadline.TEST, () => {
  it.live(
    "never loses a process that starts another and ends while the table is read (R1, R2)",
    () =>
      Effect.gen(function*() {
        const { counts, marker } = yield* looks
        assert.deepStrictEqual(yield* Processes.leftAfter(MARKER_VARIABLE, marker, Deadline.GONE_MILLIS), [])
        assert.strictEqual(counts.filter((count) => count === 0).length, 0, `of ${counts.length} looks`)
      })
  )
})
