/** What is left of servers when the program that started them dies without a chance to close them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"

const MARK = "BOOCODE_GUARD_TEST"
const HOST = fileURLToPath(new URL("support/RegistryHost.ts", import.meta.url))

const ENTRIES = {
  good: FixtureServer.entry("Echo"),
  stubborn: FixtureServer.entry("Stubborn"),
  fugitive: FixtureServer.entry("Stubborn", "--detach"),
  wrapped: {
    command: "sh",
    args: ["-c", `exec 3<&0; "${FixtureServer.NODE}" "${FixtureServer.file("Stubborn")}" <&3 & wait`]
  }
}

/** A host whose servers have settled, and the id of its guard. */
const started = Effect.fnUntraced(function*(how: "wait" | "exit" | "throw" | "defect") {
  const mark = randomUUID()
  yield* Effect.addFinalizer(() => Processes.killAll(MARK, mark))
  const entries = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [name, { ...entry, env: { [MARK]: mark } }])
  )
  const host = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [HOST, JSON.stringify(entries), how], { stdio: ["ignore", "pipe", "ignore"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exited = once(host, "exit")
  yield* Effect.promise(() => once(host.stdout, "data"))
  return { mark, host, exited }
})

/** The guards whose parent is this process. */
const guardsOf = (parent: number | undefined): ReadonlyArray<number> =>
  readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).flatMap((entry) => {
    const command = read(entry, "cmdline")
    const [, ppid] = read(entry, "stat").replace(/^.*\) /s, "").split(" ")
    return command.includes("boocode-guard") && Number(ppid) === parent ? [Number(entry)] : []
  })

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

const isAlive = (pid: number): boolean => read(String(pid), "cmdline").includes("boocode-guard")

// Each counts by a marker of its own, and mostly waits.
describe.concurrent("ProcessGuard", () => {
  it.live("sweeps everything within 6 s when the host is killed, and ends itself (R2)", () =>
    Effect.gen(function*() {
      const { exited, host, mark } = yield* started("wait")
      assert.isAtLeast((yield* Processes.untilAlive(MARK, mark, 8, Deadline.WAIT_MILLIS)).length, 8)
      const [guard, ...others] = guardsOf(host.pid)
      assert.isDefined(guard)
      assert.deepStrictEqual(others, [])
      assert.isBelow(rssKilobytes(guard ?? 0), 6000)
      host.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      assert.isFalse(yield* ChatServer.until(Effect.sync(() => isAlive(guard ?? 0)), (alive) => !alive, 5 * 2000))
    }))

  for (const how of ["exit", "throw", "defect"] as const) {
    it.live(`leaves nothing when the host ends by ${how} (R2)`, () =>
      Effect.gen(function*() {
        const { exited, mark } = yield* started(how)
        yield* Effect.promise(() => exited)
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      }))
  }

  it.live("control: without the guard a killed host leaves processes behind", () =>
    Effect.gen(function*() {
      const { exited, host, mark } = yield* started("wait")
      for (const guard of guardsOf(host.pid)) process.kill(guard, "SIGKILL")
      host.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      assert.isAtLeast((yield* Processes.leftAfter(MARK, mark, 3000)).length, 1)
    }))
})

const rssKilobytes = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(read(String(pid), "status"))?.[1] ?? "0")
