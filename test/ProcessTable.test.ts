import { NodeProcessTree } from "@boocode/mcp-node"
import { MARKER_VARIABLE, ProcessTree } from "@boocode/mcp-registry"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import * as Processes from "./support/Processes.ts"

const layer = NodeProcessTree.layer.pipe(Layer.provide(NodeServices.layer))

/** A shell that starts the next one in a session of its own and ends, over and over: nobody ever has a parent. */
const HOPS = "setsid sh -c \"$0\" \"$0\" & sleep 0.01"

const hopper = Effect.acquireRelease(
  Effect.promise(async () => {
    const marker = randomUUID()
    const child = spawn("/bin/sh", ["-c", HOPS, HOPS], {
      detached: true,
      stdio: "ignore",
      env: { PATH: process.env["PATH"], [MARKER_VARIABLE]: marker }
    })
    await once(child, "exit")
    return { pid: child.pid ?? 0, marker }
  }),
  ({ marker }) =>
    Effect.repeat(Processes.killAll(MARKER_VARIABLE, marker), {
      until: () => Processes.alive(MARKER_VARIABLE, marker).length === 0,
      times: 200
    })
)

describe.runIf(process.platform === "linux")("ProcessTable", () => {
  it.live(
    "never loses a process that starts another and ends while the table is read (R1, R2)",
    () =>
      Effect.gen(function*() {
        const tree = yield* ProcessTree
        const target = yield* hopper
        const counts: Array<number> = []
        const until = Date.now() + 3000
        while (Date.now() < until) {
          counts.push(yield* tree.alive(target))
          yield* Effect.sleep("5 millis")
        }
        assert.isAbove(counts.length, 50)
        assert.strictEqual(counts.filter((count) => count === 0).length, 0, `of ${counts.length} looks`)
      }).pipe(Effect.provide(layer)),
    20_000
  )
})
