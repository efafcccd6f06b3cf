/** Job objects of Windows: the kernel keeps what a process starts together, counts it, and ends it when the job closes. */
import * as Effect from "effect/Effect"
import process from "node:process"

/** A process and everything that it starts. */
export interface Job {
  /** How many of them live. */
  readonly count: () => number
  readonly end: () => void
  /** Ends them, and lets go of the job. The kernel does that when this program dies, in whatever way. */
  readonly close: () => void
}

/** Puts a process into a new job. Null where the system refuses, for instance because the process has ended. */
export type Hold = (pid: number) => Job | null

/** A library of the system whose functions can be called. */
export interface NativeLibrary {
  readonly func: (prototype: string) => NativeFunction
}

type NativeFunction = (...args: ReadonlyArray<Address | Uint8Array | null>) => Address | null

/** A thing of the kernel, or a number. */
type Address = bigint | number

/** `JOBOBJECTINFOCLASS` */
const BASIC_ACCOUNTING = 1
const EXTENDED_LIMIT = 9

/** `JOBOBJECT_BASIC_ACCOUNTING_INFORMATION`, with `ActiveProcesses`. */
const ACCOUNTING = { bytes: 48, active: 40 } as const
/** `JOBOBJECT_EXTENDED_LIMIT_INFORMATION` of 64-bit systems, with `LimitFlags` of its first part. */
const LIMITS = { bytes: 144, flags: 16 } as const
const KILL_ON_JOB_CLOSE = 0x2000

/** `PROCESSENTRY32W` of 64-bit systems. */
const ENTRY = { bytes: 568, pid: 8, parent: 32 } as const
/** `TH32CS_SNAPPROCESS` */
const ALL_PROCESSES = 2

/** `PROCESS_TERMINATE | PROCESS_SET_QUOTA | PROCESS_QUERY_LIMITED_INFORMATION`: to put into a job, and ask when it started. */
const ACCESS = 0x1101

/** How often what a process started before it was in the job is looked for, and what that started. */
const MOST_GENERATIONS = 5

/** The exit code that `TerminateJobObject` gives each process, as `taskkill /F` does. */
const EXIT_CODE = 1

/**
 * Loads kernel32. Fails with a sentence where the library that calls it is not there, or the system is another one. That
 * library is koffi, whose package has the binaries of all systems: its parts for Windows are enough, and are alone in theirs.
 */
export const load: Effect.Effect<Hold, string> = Effect.map(
  Effect.tryPromise({
    try: () => {
      const koffi = process.arch === "arm64"
        ? loaded("@koromix/koffi-win32-arm64")
        : loaded("@koromix/koffi-win32-x64")
      return koffi.then(({ default: { load } }) => load("kernel32.dll"))
    },
    catch: (error) => error instanceof Error ? error.message : String(error)
  }),
  (library) => holding(library)
)

/** By a name that no bundler follows: the library has binary files, and need not be there. */
const loaded = (name: string): Promise<{ readonly default: { readonly load: (file: string) => NativeLibrary } }> =>
  import(name)

/** Makes jobs by the functions of kernel32. */
export const holding = (kernel: NativeLibrary): Hold => {
  const create = kernel.func("void *CreateJobObjectW(void *attributes, void *name)")
  const limit = kernel.func("int SetInformationJobObject(void *job, int kind, void *value, uint32_t bytes)")
  const query = kernel.func(
    "int QueryInformationJobObject(void *job, int kind, void *value, uint32_t bytes, void *written)"
  )
  const assign = kernel.func("int AssignProcessToJobObject(void *job, void *process)")
  const terminate = kernel.func("int TerminateJobObject(void *job, uint32_t code)")
  const { bornOf, list, using, close } = processesOf(kernel)

  const limits = new Uint8Array(LIMITS.bytes)
  new DataView(limits.buffer).setUint32(LIMITS.flags, KILL_ON_JOB_CLOSE, true)
  const count = (job: Address) => {
    const accounting = new Uint8Array(ACCOUNTING.bytes)
    const isTold = query(job, BASIC_ACCOUNTING, accounting, ACCOUNTING.bytes, null) !== 0
    return isTold ? new DataView(accounting.buffer).getUint32(ACCOUNTING.active, true) : 0
  }
  /** Gives when the process started; null where that was too early, for an id that was given away, or the system refuses. */
  const put = (job: Address, pid: number, since: bigint) =>
    using(pid, (child) => {
      const born = bornOf(child)
      return born >= since && assign(job, child) !== 0 ? born : null
    })
  /** A process that starts from a process in a job is in that job as well. One that started before has to follow it. */
  const gather = (job: Address, pid: number): boolean => {
    const born = put(job, pid, 0n)
    let parents = new Map(born === null ? [] : [[pid, born]])
    for (let generation = 0; parents.size > 0 && generation < MOST_GENERATIONS; generation++) {
      const found = new Map<number, bigint>()
      for (const child of list()) {
        const since = parents.get(child.parent)
        const late = since === undefined ? null : put(job, child.pid, since)
        if (late !== null) found.set(child.pid, late)
      }
      parents = found
    }
    return born !== null
  }
  return (pid) => {
    const job = create(null, null)
    if (job === null) return null
    if (limit(job, EXTENDED_LIMIT, limits, LIMITS.bytes) === 0 || !gather(job, pid)) {
      close(job)
      return null
    }
    return { count: () => count(job), end: () => void terminate(job, EXIT_CODE), close: () => void close(job) }
  }
}

const processesOf = (kernel: NativeLibrary) => {
  const open = kernel.func("void *OpenProcess(uint32_t access, int inherited, uint32_t pid)")
  const close = kernel.func("int CloseHandle(void *handle)")
  const times = kernel.func("int GetProcessTimes(void *process, void *born, void *ended, void *kernel, void *user)")
  const snapshot = kernel.func("void *CreateToolhelp32Snapshot(uint32_t what, uint32_t pid)")
  const first = kernel.func("int Process32FirstW(void *snapshot, void *entry)")
  const next = kernel.func("int Process32NextW(void *snapshot, void *entry)")
  return {
    close,
    using: <A>(pid: number, use: (child: Address) => A): A | null => {
      const child = open(ACCESS, 0, pid)
      if (child === null) return null
      const used = use(child)
      close(child)
      return used
    },
    bornOf: (child: Address): bigint => {
      const born = new Uint8Array(8)
      const others = new Uint8Array(8)
      times(child, born, others, others, others)
      return new DataView(born.buffer).getBigUint64(0, true)
    },
    list: (): ReadonlyArray<{ readonly pid: number; readonly parent: number }> => {
      const bytes = new Uint8Array(ENTRY.bytes)
      const entry = new DataView(bytes.buffer)
      entry.setUint32(0, ENTRY.bytes, true)
      const all = snapshot(ALL_PROCESSES, 0)
      const found = []
      for (let has = first(all, bytes); has !== 0; has = next(all, bytes)) {
        found.push({ pid: entry.getUint32(ENTRY.pid, true), parent: entry.getUint32(ENTRY.parent, true) })
      }
      close(all)
      return found
    }
  }
}
