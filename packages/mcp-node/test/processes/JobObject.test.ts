import { assert, describe, it } from "@effect/vitest"
import * as JobObject from "../../src/processes/JobObject.ts"

const LIVING = 200
const ENDED = 300

/** What kernel32 does with jobs and processes, after its documentation. A function that is called without it fails, as in koffi. */
class Kernel implements JobObject.NativeLibrary {
  readonly living = new Map([[1, { parent: 0, born: 1n }], [LIVING, { parent: 1, born: 50n }]])
  readonly jobs = new Map<bigint, { readonly pids: Set<number>; isDeadly: boolean }>()
  readonly handles = new Map<bigint, number>()
  isLimiting = true
  private last = 8n
  private listed: Array<readonly [pid: number, parent: number]> = []

  func(prototype: string): ReturnType<JobObject.NativeLibrary["func"]> {
    const name = /(\w+)\(/.exec(prototype)?.[1] ?? ""
    return (...args) => {
      assert.lengthOf(args, prototype.split(",").length, prototype)
      return this.call(name, args)
    }
  }

  /** As a process does that may be in a job. */
  starts(parent: number, pid: number, born: bigint) {
    this.living.set(pid, { parent, born })
    this.jobs.forEach(({ pids }) => pids.has(parent) && pids.add(pid))
  }

  private call(name: string, args: ReadonlyArray<unknown>): bigint | number | null {
    const handle = typeof args[0] === "bigint" ? args[0] : 0n
    const job = this.jobs.get(handle)
    switch (name) {
      case "CreateJobObjectW":
        this.jobs.set(this.last += 8n, { pids: new Set(), isDeadly: false })
        return this.last
      case "SetInformationJobObject":
        return job !== undefined && this.isLimiting ? this.limit(job, args) : 0
      case "QueryInformationJobObject":
        return job === undefined ? 0 : this.count(job.pids, args)
      case "OpenProcess":
        assert.deepStrictEqual(args.slice(0, 2), [0x1101, 0])
        return this.living.has(Number(args[2])) ? this.handle(Number(args[2])) : null
      case "GetProcessTimes":
        return write(
          args[1],
          8,
          (view) => view.setBigUint64(0, this.living.get(this.handles.get(handle) ?? 0)?.born ?? 0n, true)
        )
      case "AssignProcessToJobObject": {
        const pid = typeof args[1] === "bigint" ? this.handles.get(args[1]) : undefined
        return pid === undefined || job === undefined ? 0 : Number(job.pids.add(pid).size > 0)
      }
      case "CreateToolhelp32Snapshot":
        assert.deepStrictEqual(args, [2, 0])
        this.listed = [...this.living].map(([pid, { parent }]) => [pid, parent])
        return this.handle(0)
      case "Process32FirstW":
      case "Process32NextW":
        return this.list(args[1])
      case "TerminateJobObject":
        job?.pids.forEach((pid) => this.living.delete(pid))
        return 1
      default:
        assert.strictEqual(name, "CloseHandle")
        if (job?.isDeadly === true) job.pids.forEach((pid) => this.living.delete(pid))
        return Number(this.jobs.delete(handle) || this.handles.delete(handle))
    }
  }

  private handle(pid: number) {
    this.handles.set(this.last += 8n, pid)
    return this.last
  }

  private limit(job: { isDeadly: boolean }, [, kind, value, bytes]: ReadonlyArray<unknown>) {
    if (kind !== 9 || bytes !== 144) return 0
    return write(value, 144, (view) => job.isDeadly = view.getUint32(16, true) === 0x2000)
  }

  private count(pids: ReadonlySet<number>, [, kind, value, bytes]: ReadonlyArray<unknown>) {
    if (kind !== 1 || bytes !== 48) return 0
    return write(value, 48, (view) => view.setUint32(40, [...pids].filter((pid) => this.living.has(pid)).length, true))
  }

  private list(entry: unknown) {
    const [pid, parent] = this.listed.shift() ?? []
    if (pid === undefined || parent === undefined) return 0
    return write(entry, 568, (view) => {
      assert.strictEqual(view.getUint32(0, true), 568)
      view.setUint32(8, pid, true)
      view.setUint32(32, parent, true)
    })
  }
}

const write = (value: unknown, bytes: number, change: (view: DataView) => void) => {
  if (!(value instanceof Uint8Array) || value.length !== bytes) return 0
  change(new DataView(value.buffer))
  return 1
}

const alive = (kernel: Kernel) => [...kernel.living.keys()].filter((pid) => pid !== 1)

describe("JobObject", () => {
  it("counts what a process started, and ends it", () => {
    const kernel = new Kernel()
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    kernel.starts(LIVING, 201, 60n)
    kernel.starts(201, 202, 70n)
    assert.strictEqual(job.count(), 3)
    kernel.living.delete(LIVING)
    assert.strictEqual(job.count(), 2)
    job.end()
    assert.strictEqual(job.count(), 0)
    assert.deepStrictEqual(alive(kernel), [])
    job.close()
  })

  it("holds also what a process started before it was in the job, and what that started", () => {
    const kernel = new Kernel()
    kernel.starts(LIVING, 201, 60n)
    kernel.starts(201, 202, 70n)
    kernel.starts(1, 400, 60n)
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    assert.strictEqual(job.count(), 3)
    job.end()
    assert.deepStrictEqual(alive(kernel), [400])
  })

  it("leaves the children of another process alone that had the same id before", () => {
    const kernel = new Kernel()
    kernel.starts(LIVING, 201, 40n)
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    assert.strictEqual(job.count(), 1)
    job.end()
    assert.deepStrictEqual(alive(kernel), [201])
  })

  it("ends what is left with the job, and keeps no handle of a process", () => {
    const kernel = new Kernel()
    const job = JobObject.holding(kernel)(LIVING) ?? assert.fail()
    assert.strictEqual(kernel.handles.size, 0)
    job.close()
    assert.deepStrictEqual(alive(kernel), [])
    assert.strictEqual(kernel.jobs.size, 0)
  })

  it("leaves nothing open where a process has ended, or the system refuses", () => {
    const kernel = new Kernel()
    assert.isNull(JobObject.holding(kernel)(ENDED))
    kernel.isLimiting = false
    assert.isNull(JobObject.holding(kernel)(LIVING))
    assert.deepStrictEqual([kernel.jobs.size, kernel.handles.size], [0, 0])
    assert.deepStrictEqual(alive(kernel), [LIVING])
  })
})
