/** What is left of servers when the program that started them dies without a chance to close them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as ProcessGuard from "../packages/mcp-node/src/processes/ProcessGuard.ts"
import * as ChatServer from "./support/ChatServer.ts"
import * as Deadline from "./support/Deadline.ts"
import * as FixtureServer from "./support/FixtureServer.ts"
import * as Processes from "./support/Processes.ts"
import * as Zoo from "./support/Zoo.ts"

const MARK = "BOOCODE_GUARD_TEST"
const HOST = fileURLToPath(new URL("support/RegistryHost.ts", import.meta.url))

const ENTRIES = {
  good: FixtureServer.entry("Echo"),
  stubborn: FixtureServer.entry("Stubborn"),
  fugitive: FixtureServer.entry("Stubborn", "--detach"),
  wrapped: Zoo.wrapped("Stubborn")
}

/** A server that gives up every variable: once the host is dead, nothing but its group tells whose it is. */
const idle = Zoo.entry("IgnoresEnd")
const bare = { command: "sh", args: ["-c", `exec env -i "$0" "$@"`, idle.command, ...idle.args] }

/** A host whose servers have settled. */
const started = Effect.fnUntraced(function*(
  how: "wait" | "exit" | "throw" | "defect",
  servers: Readonly<Record<string, object>> = ENTRIES
) {
  const mark = randomUUID()
  yield* Effect.addFinalizer(() => Processes.killAll(MARK, mark))
  const entries = Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => [name, { ...entry, env: { [MARK]: mark } }])
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

/** The living processes whose parent this is. */
const childrenOf = (parent: number | undefined): ReadonlyArray<number> =>
  readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).map(Number).filter((pid) => {
    const [state, ppid] = statOf(pid)
    return state !== "Z" && Number(ppid) === parent
  })

/** The guards among them. */
const guardsOf = (parent: number | undefined) => childrenOf(parent).filter(isGuard)

/** Its guard, once there is one besides those. */
const guardOf = (parent: number | undefined, but: ReadonlyArray<number> = []) =>
  Effect.map(
    ChatServer.until(
      Effect.sync(() => guardsOf(parent).filter((pid) => !but.includes(pid))),
      ({ length }) => length > 0
    ),
    ([guard]) => guard ?? assert.fail("there is no guard")
  )

const isGuard = (pid: number): boolean => read(String(pid), "cmdline").includes("boocode-guard")

const isLiving = (pid: number): boolean => !["", "Z"].includes(statOf(pid)[0] ?? "")

/** What stands behind its name: its state, its parent, and more. */
const statOf = (pid: number) => read(String(pid), "stat").replace(/^.*\) /s, "").split(" ")

const kill = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It is gone, as it should be.
  }
}

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

// Each counts by a marker of its own, and mostly waits.
describe.concurrent("ProcessGuard", Deadline.TEST, () => {
  it.live("sweeps everything within 6 s when the host is killed, though it was asked to end before, and ends itself (R2)", () =>
    Effect.gen(function*() {
      const { exited, host, mark } = yield* started("wait")
      assert.isAtLeast((yield* Processes.untilAlive(MARK, mark, 8, Deadline.WAIT_MILLIS)).length, 8)
      const guard = yield* guardOf(host.pid)
      assert.deepStrictEqual(guardsOf(host.pid), [guard])
      assert.isBelow(rssKilobytes(guard), 6000)
      // A host that stands still cannot start another.
      host.kill("SIGSTOP")
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const) process.kill(guard, signal)
      host.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      assert.isFalse(yield* ChatServer.until(Effect.sync(() => isGuard(guard)), (alive) => !alive, 5 * 2000))
    }))

  for (const how of ["exit", "throw", "defect"] as const) {
    it.live(`leaves nothing when the host ends by ${how} (R2)`, () =>
      Effect.gen(function*() {
        const { exited, mark } = yield* started(how)
        yield* Effect.promise(() => exited)
        assert.deepStrictEqual(yield* Processes.leftAfter(MARK, mark, Deadline.GONE_MILLIS), [])
      }))
  }

  it.live("is followed by another that knows all groups when it is killed (R2)", () =>
    Effect.gen(function*() {
      const { exited, host } = yield* started("wait", { bare })
      const children = childrenOf(host.pid).filter((pid) => !isGuard(pid))
      yield* Effect.addFinalizer(() => Effect.sync(() => children.forEach(kill)))
      assert.lengthOf(children, 1)
      const killed = yield* guardOf(host.pid)
      process.kill(killed, "SIGKILL")
      yield* guardOf(host.pid, [killed])
      host.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      const left = Effect.sync(() => children.filter(isLiving))
      assert.deepStrictEqual(yield* ChatServer.until(left, ({ length }) => length === 0, Deadline.GONE_MILLIS), [])
    }))

  it.live("is missed with one warning where it is ended again and again", () =>
    Effect.gen(function*() {
      const warnings: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => warnings.push(String(message)))])
      yield* Effect.gen(function*() {
        yield* ProcessGuard.make("nobody")
        const killed: Array<number> = []
        while (warnings.length === 0) {
          const guard = yield* guardOf(process.pid, killed)
          killed.push(guard)
          process.kill(guard, "SIGKILL")
        }
      }).pipe(Effect.scoped, Effect.provide(logger))
      assert.lengthOf(warnings, 1)
      assert.match(warnings[0] ?? "", /no guard: it was ended by SIGKILL/)
    }))

  it.live("control: without the guard a killed host leaves processes behind", () =>
    Effect.gen(function*() {
      const { exited, host, mark } = yield* started("wait")
      // So that it starts no other.
      host.kill("SIGSTOP")
      for (const guard of guardsOf(host.pid)) process.kill(guard, "SIGKILL")
      host.kill("SIGKILL")
      yield* Effect.promise(() => exited)
      assert.isAtLeast((yield* Processes.leftAfter(MARK, mark, 3000)).length, 1)
    }))
})

const rssKilobytes = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(read(String(pid), "status"))?.[1] ?? "0")
