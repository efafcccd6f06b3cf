import { NodeProcessTree } from "@boocode/mcp-node"
import { MARKER_VARIABLE, ProcessTree } from "@boocode/mcp-registry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fromProc, fromPs } from "../packages/mcp-node/src/processes/ProcessTable.ts"
import * as Deadline from "./support/Deadline.ts"

const processIds = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)

const read = (pid: number, file: "environ" | "stat") => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1")
  } catch {
    return "" // it ended between the listing and the reading
  }
}

/** Counts from outside, with its own reading of /proc: living processes that carry the marker. */
const carriers = (marker: string): ReadonlyArray<number> =>
  processIds().filter((pid) =>
    read(pid, "environ").split("\0").includes(`${MARKER_VARIABLE}=${marker}`) && !/\) [ZX] /.test(read(pid, "stat"))
  )

const sleepers = (marker: string) => carriers(marker).filter((pid) => read(pid, "stat").includes("(sleep)"))

/** Runs a script as a server would be run, until it has so many `sleep`s; what is left at the end is killed. */
const started = (script: string, sleeps: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const marker = randomUUID()
      const child = spawn("/bin/sh", ["-c", script], {
        detached: true,
        stdio: "ignore",
        env: { PATH: process.env["PATH"], [MARKER_VARIABLE]: marker }
      })
      return { child, target: { pid: child.pid ?? 0, marker } }
    }),
    ({ target }) => Effect.sync(() => carriers(target.marker).forEach((pid) => process.kill(pid, "SIGKILL")))
  ).pipe(Effect.tap(({ target }) => until(() => sleepers(target.marker).length >= sleeps)))

const until = (condition: () => boolean) =>
  Effect.sync(condition).pipe(
    Effect.repeat({ until: (met) => met, schedule: every }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

const every = Schedule.spaced("20 millis")

const gone = (tree: ProcessTree["Service"], target: { readonly pid: number; readonly marker: string }) =>
  tree.alive(target).pipe(
    Effect.repeat({ until: (count) => count === 0, schedule: every }),
    Effect.timeout(Deadline.WAIT_MILLIS)
  )

const isSleeping = (pid: number) => read(pid, "stat").includes("(sleep) S")

const isEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Has programs looked for in a folder with this `ps` alone, and marks them. */
const withPs = (script: string | null, marker: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "boocode-ps-"))
      if (script !== null) writeFileSync(join(folder, "ps"), script, { mode: 0o755 })
      const before = process.env["PATH"]
      Object.assign(process.env, { PATH: folder, [MARKER_VARIABLE]: marker })
      return { folder, before }
    }),
    ({ before, folder }) =>
      Effect.sync(() => {
        process.env["PATH"] = before
        delete process.env[MARKER_VARIABLE]
        rmSync(folder, { recursive: true })
      })
  )

const { layer } = NodeProcessTree

describe.runIf(process.platform === "linux")("ProcessTree", Deadline.TEST, () => {
  const cases = [
    ["a plain child", "exec sleep 60", 1, 1],
    ["a grandchild behind a shell (R1)", "sleep 60 & wait", 1, 2],
    ["a descendant in a session of its own", "setsid sleep 60 & wait", 1, 2],
    [
      "a process that left its session twice and has no parent (R1)",
      "setsid sh -c 'setsid sleep 60 &' & exec sleep 60",
      2,
      2
    ],
    ["what is left when the first process has ended", "sleep 60 & setsid sleep 60 &", 2, 2]
  ] as const

  for (const [name, script, sleeps, count] of cases) {
    it.live(`counts and ends ${name}`, () =>
      Effect.gen(function*() {
        const tree = yield* ProcessTree
        const { target } = yield* started(script, sleeps)
        yield* until(() => carriers(target.marker).length === count)
        assert.strictEqual(yield* tree.alive(target), count)
        yield* tree.signal(target, "SIGTERM")
        yield* gone(tree, target)
        assert.deepStrictEqual(carriers(target.marker), [])
      }).pipe(Effect.provide(layer)))
  }

  it.live("ends by SIGKILL what ignores SIGTERM and keeps starting more", () =>
    Effect.gen(function*() {
      const tree = yield* ProcessTree
      const { target } = yield* started("trap '' TERM; while :; do setsid sleep 60 & sleep 0.05; done", 5)
      yield* tree.signal(target, "SIGTERM")
      assert.isAbove(yield* tree.alive(target), 0)
      yield* tree.signal(target, "SIGKILL")
      yield* gone(tree, target)
      assert.deepStrictEqual(carriers(target.marker), [])
    }).pipe(Effect.provide(layer)))

  it.live(
    "ends what cleared its environment in a session of its own, once it was noted while its parent lived (R1)",
    () =>
      Effect.gen(function*() {
        const tree = yield* ProcessTree
        const { child, target } = yield* started("setsid env -i sleep 60 & exec sleep 60", 1)
        const hidden = () => processIds().find((pid) => read(pid, "stat").includes(`(sleep) S ${target.pid} `))
        yield* until(() => hidden() !== undefined && carriers(target.marker).length === 1)
        const pid = hidden() ?? assert.fail()
        yield* Effect.addFinalizer(() => Effect.sync(() => isSleeping(pid) && process.kill(pid, "SIGKILL")))
        yield* tree.note(target)
        child.kill("SIGKILL")
        yield* until(() => isEnded(child))
        assert.strictEqual(yield* tree.alive(target), 1)
        yield* tree.signal(target, "SIGTERM")
        yield* gone(tree, target)
        assert.isFalse(isSleeping(pid))
      }).pipe(Effect.provide(layer))
  )

  it.live("does not count a zombie", () =>
    Effect.gen(function*() {
      const tree = yield* ProcessTree
      const { target } = yield* started("sleep 0.1 & exec sleep 60", 1)
      yield* until(() => processIds().some((pid) => read(pid, "stat").includes(` Z ${target.pid} `)))
      assert.strictEqual(yield* tree.alive(target), 1)
    }).pipe(Effect.provide(layer)))

  it.live("shows a leak: ending the first process alone leaves its grandchild counted", () =>
    Effect.gen(function*() {
      const tree = yield* ProcessTree
      const { child, target } = yield* started("setsid sh -c 'setsid sleep 60 &' & exec sleep 60", 2)
      yield* until(() => carriers(target.marker).length === 2)
      child.kill("SIGKILL")
      yield* until(() => isEnded(child))
      assert.strictEqual(carriers(target.marker).length, 1)
      assert.strictEqual(yield* tree.alive(target), 1)
    }).pipe(Effect.provide(layer)))

  it.live(
    "leaves other spawns alone, also when their id is asked for with another marker",
    () =>
      Effect.gen(function*() {
        const tree = yield* ProcessTree
        const other = yield* started("sleep 60 & wait", 1)
        const { target } = yield* started("exec sleep 60", 1)
        yield* tree.signal(target, "SIGKILL")
        yield* tree.signal({ pid: other.target.pid, marker: randomUUID() }, "SIGKILL")
        yield* gone(tree, target)
        assert.strictEqual(yield* tree.alive(other.target), 2)
      }).pipe(Effect.provide(layer))
  )

  /** Where a title stands behind a column, BSD's takes the rest of the argument for it. */
  const BSD = "case \"$*\" in *=,*) exit 1 ;; esac; export PATH=/usr/bin:/bin; exec ps \"$@\""

  it.live("finds the same with ps as in /proc, also where each column needs an option of its own", () =>
    Effect.gen(function*() {
      const { target } = yield* started("setsid sh -c 'setsid sleep 60 &' & sleep 60 & wait", 2)
      yield* until(() => carriers(target.marker).length === 3)
      yield* withPs(`#!/bin/sh\n${BSD}\n`, randomUUID())
      const [proc, ps] = yield* Effect.all([fromProc, fromPs("linux")])
      const found = [proc, ps].map((table) => NodeProcessTree.select(table, target, process.pid).map((row) => row.pid))
      assert.sameMembers([...(found[0] ?? [])], [...carriers(target.marker)])
      assert.sameMembers(found[1] ?? [], found[0] ?? [])
    }))

  it.live("finds nothing where there is no ps", () =>
    Effect.gen(function*() {
      yield* withPs(null, randomUUID())
      const { rows, variable } = yield* fromPs("linux")
      assert.deepStrictEqual([rows, variable(process.pid, "PATH")], [[], undefined])
    }))

  it.live("leaves no ps behind when it is not waited for any more", () =>
    Effect.gen(function*() {
      const marker = randomUUID()
      yield* withPs("#!/bin/sh\nexec /bin/sleep 60\n", marker)
      const looking = yield* Effect.forkChild(fromPs("linux"))
      yield* until(() => sleepers(marker).length === 2)
      yield* Fiber.interrupt(looking)
      // Sooner than the program would end by itself.
      yield* Effect.timeout(until(() => carriers(marker).length === 0), Deadline.WAIT_MILLIS / 2)
    }))
})
