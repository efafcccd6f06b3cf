/** Finds and ends everything that one spawn started on Windows: each spawn is in a job object of its own. */
import { type ProcessTarget, ProcessTree } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import process from "node:process"
import * as JobObject from "./JobObject.ts"

/** The requests to Windows. */
export interface System {
  readonly jobs: Effect.Effect<JobObject.Hold, string>
  readonly isThere: (pid: number) => boolean
  /** Ends a process and those that it leads to now. */
  readonly endTree: (pid: number) => Effect.Effect<void>
}

const system: System = {
  jobs: JobObject.load,
  isThere: (pid) => Result.isSuccess(Result.try(() => process.kill(pid, 0))),
  endTree: (pid) =>
    Effect.callback((resume) => {
      // It fails when the process is gone already, which is what was wanted.
      execFile("taskkill", ["/PID", String(pid), "/T", "/F"], { timeout: 5000 }, () => resume(Effect.void))
    })
}

/**
 * Either signal ends all at once, because Windows has no other way to ask. When this program dies the kernel closes its
 * jobs, and with them all that is in one.
 *
 * Without job objects `taskkill` ends what the first process leads to, only that process is counted, and the death of this
 * program ends nothing; one warning says so.
 */
export const make = Effect.fnUntraced(function*({ endTree, isThere, jobs }: System = system) {
  const prefix = `${randomUUID()}-`
  const held = new Map<string, JobObject.Job>()
  let spawns = 0
  const hold = yield* Effect.cached(
    Effect.catch(jobs, (why) =>
      Effect.as(
        Effect.logWarning(
          `no job objects: ${why}. If this program is killed, servers that ignore the end of their input will stay`
        ),
        () => null
      ))
  )
  /** The job closes with the scope, which ends what no signal was sent to. */
  const put = (hold: JobObject.Hold, { marker, pid }: ProcessTarget) =>
    Effect.acquireRelease(
      Effect.sync(() => hold(pid)),
      (job) => Effect.sync(() => held.delete(marker) && job?.close())
    ).pipe(Effect.map((job) => job !== null && held.set(marker, job)))
  return ProcessTree.of({
    mark: Effect.map(hold, () => `${prefix}${++spawns}`),
    watch: (target) => Effect.asVoid(Effect.flatMap(hold, (hold) => put(hold, target))),
    note: () => Effect.void,
    alive: Effect.fn("ProcessTree.alive")(({ marker, pid }: ProcessTarget) =>
      Effect.sync(() => held.get(marker)?.count() ?? Number(isThere(pid)))
    ),
    signal: Effect.fn("ProcessTree.signal")(({ marker, pid }: ProcessTarget) => {
      const job = held.get(marker)
      return job === undefined ? endTree(pid) : Effect.sync(job.end)
    })
  })
})
