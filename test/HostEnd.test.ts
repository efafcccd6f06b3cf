/** What is left of stubborn servers six seconds after something ended the program that started them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Deadline from "./support/Deadline.ts"
import * as Processes from "./support/Processes.ts"
import { sized } from "./support/Size.ts"
import * as Zoo from "./support/Zoo.ts"

const HOST = fileURLToPath(new URL("support/RegistryHost.ts", import.meta.url))
/** The shell of a terminal that is closed sends SIGHUP; `Cli.test.ts` and `Smoke.test.ts` send the others. */
const SIGNALS = (["SIGHUP", "SIGKILL", "SIGINT", "SIGTERM"] as const).slice(0, sized(2, 4))

const ENTRIES: Zoo.Entries = {
  good: Zoo.entry("UnknownIds"),
  stubborn: Zoo.entry("Stubborn"),
  fugitive: Zoo.entry("Stubborn", "--detach"),
  wrapped: Zoo.wrapped("Stubborn"),
  escapee: Zoo.entry("Escapee"),
  deaf: Zoo.entry("IgnoresEnd", "--deaf-to-signals")
}
const PROCESSES = 1 + 2 + 2 + 3 + 2 + 1

/** A host whose servers have settled; everything it started carries the marker. */
const started = Effect.fnUntraced(function*() {
  const mark = randomUUID()
  yield* Effect.addFinalizer(() => Processes.killAll(Zoo.MARK, mark))
  const marked = Object.entries(ENTRIES).map(([name, entry]) => [name, { ...entry, env: { [Zoo.MARK]: mark } }])
  const host = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [HOST, JSON.stringify(Object.fromEntries(marked)), "wait"], {
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.promise(() => once(host.stdout, "data"))
  return { host, mark }
})

/** Sends the signal to the program, and waits until all that it started is gone. */
const ended = (signal: typeof SIGNALS[number]) =>
  Effect.gen(function*() {
    const { host, mark } = yield* started()
    assert.isAtLeast((yield* Processes.untilAlive(Zoo.MARK, mark, PROCESSES, Deadline.WAIT_MILLIS)).length, PROCESSES)
    host.kill(signal)
    assert.deepStrictEqual(yield* Processes.leftAfter(Zoo.MARK, mark, Deadline.GONE_MILLIS), [])
  }).pipe(Effect.scoped)

// Each counts by a marker of its own, and mostly waits.
describe.concurrent("HostEnd", () => {
  it.live.each(SIGNALS)(
    "six seconds after %s to the program nothing that it started is left (R2)",
    (signal) => ended(signal),
    60_000
  )
})
