import { assert, describe, it } from "@effect/vitest"
import * as JobObject from "../../src/processes/JobObject.ts"

const LIVING = 200
const ENDED = 300

/** What kernel32 does with jobs, after its documentation. A function that is called without it fails, as in koffi. */
class Kernel implements JobObject.NativeLibrary {
  readonly living = new Set([LIVING])
  readonly open = new Map<bigint, { readonly pids: Set<number>; isDeadly: boolean }>()
  readonly processes = new Map<bigint, number>()
  private next = 8n
  isLimiting = true

  func(prototype: string): ReturnType<JobObject.NativeLibrary["func"]> {
    const name = /(\w+)\(/.exec(prototype)?.[1] ?? ""
    return (...args) => {
      assert.lengthOf(args, prototype.split(",").length, prototype)
      return this.call(name, args)
    }
  }

  private call(name: string, args: ReadonlyArray<unknown>): bigint | number | null {
    const handle = typeof args[0] === "bigint" ? args[0] : 0n
    const job = this.open.get(handle)
    switch (name) {
      case "CreateJobObjectW":
        this.open.set(this.next += 8n, { pids: new Set(), isDeadly: false })
        return this.next
      case "SetInformationJobObject":
        return job !== undefined && this.isLimiting ? this.limit(job, args) : 0
      case "QueryInformationJobObject":
        return job === undefined ? 0 : this.count(job.pids, args)
      case "OpenProcess":
        assert.deepStrictEqual(args.slice(0, 2), [0x0101, 0])
        if (!this.living.has(Number(args[2]))) return null
        this.processes.set(this.next += 8n, Number(args[2]))
        return this.next
      case "AssignProcessToJobObject": {
        const pid = typeof args[1] === "bigint" ? this.processes.get(args[1]) : undefined
        return pid === undefined || job === undefined ? 0 : Number(job.pids.add(pid).size > 0)
      }
      case "TerminateJobObject":
        job?.pids.forEach((pid) => this.living.delete(pid))
        return 1
      default:
        assert.strictEqual(name, "CloseHandle")
        if (job?.isDeadly === true) job.pids.forEach((pid) => this.living.delete(pid))
        return Number(this.open.delete(handle) || this.processes.delete(handle))
    }
  }

  private limit(job: { isDeadly: boolean }, [, kind, value, bytes]: ReadonlyArray<unknown>) {
    if (kind !== 9 || bytes !== 144 || !(value instanceof Uint8Array) || value.length !== 144) return 0
    const flags = new DataView(value.buffer).getUint32(16, true)
    job.isDeadly = flags === 0x2000
    return 1
  }

  private count(pids: ReadonlySet<number>, [, kind, value, bytes]: ReadonlyArray<unknown>) {
    if (kind !== 1 || bytes !== 48 || !(value instanceof Uint8Array) || value.length !== 48) return 0
    new DataView(value.buffer).setUint32(40, [...pids].filter((pid) => this.living.has(pid)).length, true)
    return 1
  }
}

describe("JobObject", () => {
  it("counts what a process started, and ends it", () => {
    const kernel = new Kernel()
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    for (const pid of [201, 202]) {
      kernel.living.add(pid)
      kernel.open.forEach(({ pids }) => pids.add(pid))
    }
    assert.strictEqual(job.count(), 3)
    kernel.living.delete(LIVING)
    assert.strictEqual(job.count(), 2)
    job.end()
    assert.strictEqual(job.count(), 0)
    assert.deepStrictEqual([...kernel.living], [])
    job.close()
  })

  it("ends what is left with the job, and keeps no handle of a process", () => {
    const kernel = new Kernel()
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    assert.strictEqual(kernel.processes.size, 0)
    job.close()
    assert.deepStrictEqual([...kernel.living], [])
    assert.strictEqual(kernel.open.size, 0)
  })

  it("leaves nothing open where a process has ended, or the system refuses", () => {
    const kernel = new Kernel()
    assert.isNull(JobObject.holding(kernel)(ENDED))
    kernel.isLimiting = false
    assert.isNull(JobObject.holding(kernel)(LIVING))
    assert.deepStrictEqual([kernel.open.size, kernel.processes.size], [0, 0])
    assert.deepStrictEqual([...kernel.living], [LIVING])
  })
})
