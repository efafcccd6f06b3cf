/** Nothing is left of a call that was interrupted, timed out, or under way when everything closed (R107). */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as Census from "./soak/Census.ts"
import * as HttpWays from "./support/HttpWays.ts"
import type { Plan, Report } from "./support/PendingHost.ts"
import * as Zoo from "./support/Zoo.ts"

const HOST = fileURLToPath(new URL("support/PendingHost.ts", import.meta.url))
const FLAGS = ["--expose-gc", "--single-threaded-gc", "--no-flush-bytecode", "--disable-warning=ExperimentalWarning"]

/** Less than one object a call: what is there by chance, or for the last few calls. */
const MOST_OBJECTS_A_CALL = 0.5
/** By the first mark every pool is filled. What is left of each call shows between every two of them. */
const MARKS = ["600", "800", "1000"]

const WAYS: ReadonlyArray<HttpWays.Way> = ["sessions", "modern", "sse"]

/** What a host of its own says of itself, which has all these servers. */
const reportOf = (mode: "calls" | "closes", plans: ReadonlyArray<Plan>, ...args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...FLAGS, HOST, mode, JSON.stringify(plans), ...args], {
          stdio: ["ignore", "pipe", "pipe"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const seen = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => seen.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => seen.stderr += text)
    const [code]: ReadonlyArray<unknown> = yield* Effect.promise(() => once(child, "close"))
    assert.deepStrictEqual({ code, stderr: seen.stderr }, { code: 0, stderr: "" })
    const { ends, levels }: Report = JSON.parse(seen.stdout)
    const [first, last] = [levels[0], levels.at(-1)]
    if (first === undefined || last === undefined) return assert.fail("nothing was measured")
    const slopes = levels.slice(1).map(({ at, objects }, index) => {
      const before = levels[index] ?? first
      return (objects - before.objects) / (at - before.at)
    })
    // What an engine does at a time of its own choosing shows in one of them.
    return { ends, first, last, objectsEach: Math.min(...slopes) }
  }).pipe(Effect.scoped)

const LATE: Plan = { entry: Zoo.entry("LateAnswer"), tool: "work", args: { millis: 500 } }
/** By the first mark its pipe is full. */
const DEAF: Plan = { entry: Zoo.entry("Deaf"), tool: "echo", args: { text: "x".repeat(10_000) }, first: "mutter" }

/** Calls these tools over and over, and never gets an answer in time. What is left of one call each counts as one. */
const leavesNothing = Effect.fnUntraced(function*(plans: ReadonlyArray<Plan>) {
  const { ends, first, last, objectsEach } = yield* reportOf("calls", plans, ...MARKS)
  // No notice of a cancellation held an interruption up, and no call ended in another way.
  assert.deepStrictEqual(ends, plans.map(() => ({ CallTimeout: last.at / 2, interrupted: last.at / 2 })))
  assert.isBelow(objectsEach, MOST_OBJECTS_A_CALL)
  assert.isAtMost(last.fibers, first.fibers)
  assert.deepStrictEqual(Census.more(first.handles, last.handles), [])
})

// Each measures a host of its own, which mostly waits for what is late.
describe.concurrent("Pending", () => {
  it.live(
    "nothing is left of calls cut off whose answers come late, nor of those to a program that stopped reading, and no notice to it waits (R29, R107)",
    () => leavesNothing([LATE, DEAF])
  )

  it.live(
    "nothing is left of calls over HTTP that were cut off, on either side: with sessions, modern, and by SSE (R29, R107)",
    () =>
      Effect.gen(function*() {
        const servers = yield* Effect.forEach(WAYS, (way) => HttpWays.serve(way))
        yield* leavesNothing(servers.map((server) => ({ entry: HttpWays.entryOf(server), tool: "wait", args: {} })))
        for (const { counters, way } of servers) {
          const { sockets, waiting = 0 } = yield* counters
          assert.deepStrictEqual({ sockets, waiting }, { sockets: 0, waiting: 0 }, way)
        }
      })
  )

  it.live("something left of each call is noticed (control of R107)", () =>
    Effect.gen(function*() {
      const { objectsEach } = yield* reportOf("calls", [LATE], ...MARKS.slice(0, 2), "--leak")
      assert.isAbove(objectsEach, 1.5)
    }))

  it.live(
    "calls that are under way when all is closed end with a reason, and nothing is left of them (R107)",
    () =>
      Effect.gen(function*() {
        const server = yield* HttpWays.serve("modern")
        const plans = [
          { ...LATE, args: { millis: 60_000 } },
          { entry: HttpWays.entryOf(server), tool: "wait", args: {} }
        ]
        const { ends, first, last } = yield* reportOf("closes", plans, "2", "5")
        assert.lengthOf(ends, plans.length)
        for (const of of ends) {
          // On a busy machine a call may not have left yet, and ends with another reason.
          const { OutcomeUnknown = 0, CallTimeout = 0, answered = 0 } = of
          assert.deepStrictEqual({ CallTimeout, answered, all: Census.total(of) }, {
            CallTimeout: 0,
            answered: 0,
            all: 40
          })
          assert.isAbove(OutcomeUnknown, 0)
        }
        assert.isAtMost(last.fibers, first.fibers)
        assert.deepStrictEqual(Census.more(first.handles, last.handles), [])
      })
  )
})
