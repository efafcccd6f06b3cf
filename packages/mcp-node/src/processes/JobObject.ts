/** Job objects of Windows: the kernel keeps what a process starts together, counts it, and ends it when the job closes. */
import * as Effect from "effect/Effect"
import type Koffi from "koffi"

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

type NativeFunction = (...args: ReadonlyArray<Handle | number | Uint8Array | null>) => Handle | number | null

/** The address of a thing of the kernel. */
type Handle = bigint

/** `JOBOBJECTINFOCLASS` */
const BASIC_ACCOUNTING = 1
const EXTENDED_LIMIT = 9

/** `JOBOBJECT_BASIC_ACCOUNTING_INFORMATION`, with `ActiveProcesses`. */
const ACCOUNTING = { bytes: 48, active: 40 } as const
/** `JOBOBJECT_EXTENDED_LIMIT_INFORMATION` of 64-bit systems, with `LimitFlags` of its first part. */
const LIMITS = { bytes: 144, flags: 16 } as const
const KILL_ON_JOB_CLOSE = 0x2000

/** `PROCESS_TERMINATE | PROCESS_SET_QUOTA`: what it takes to put a process into a job. */
const ACCESS = 0x0101

/** What `TerminateJobObject` has each process exit with, as `taskkill /F` does. */
const EXIT_CODE = 1

/** Loads kernel32. Fails with a sentence where the library that calls it is not there, or the system is another one. */
export const load: Effect.Effect<Hold, string> = Effect.map(
  Effect.tryPromise({
    try: () => loaded("koffi").then(({ default: koffi }) => koffi.load("kernel32.dll")),
    catch: (error) => error instanceof Error ? error.message : String(error)
  }),
  (library) => holding(library)
)

/** By a name that no bundler follows: the library has binary files, and need not be there. */
const loaded = (name: string): Promise<{ readonly default: typeof Koffi }> => import(name)

/** Makes jobs by the functions of kernel32. */
export const holding = (kernel: NativeLibrary): Hold => {
  const create = kernel.func("void *CreateJobObjectW(void *attributes, void *name)")
  const limit = kernel.func("int SetInformationJobObject(void *job, int kind, void *value, uint32_t bytes)")
  const query = kernel.func(
    "int QueryInformationJobObject(void *job, int kind, void *value, uint32_t bytes, void *written)"
  )
  const open = kernel.func("void *OpenProcess(uint32_t access, int inherited, uint32_t pid)")
  const assign = kernel.func("int AssignProcessToJobObject(void *job, void *process)")
  const terminate = kernel.func("int TerminateJobObject(void *job, uint32_t code)")
  const close = kernel.func("int CloseHandle(void *handle)")

  const limits = new Uint8Array(LIMITS.bytes)
  new DataView(limits.buffer).setUint32(LIMITS.flags, KILL_ON_JOB_CLOSE, true)
  /** Gives what `use` gives, and closes the handle. */
  const closing = (handle: Handle | number | null, use: (handle: Handle | number) => boolean): boolean => {
    if (handle === null) return false
    const used = use(handle)
    close(handle)
    return used
  }
  const count = (job: Handle | number) => {
    const accounting = new Uint8Array(ACCOUNTING.bytes)
    const isTold = query(job, BASIC_ACCOUNTING, accounting, ACCOUNTING.bytes, null) !== 0
    return isTold ? new DataView(accounting.buffer).getUint32(ACCOUNTING.active, true) : 0
  }
  return (pid) => {
    const job = create(null, null)
    if (job === null) return null
    const isLimited = limit(job, EXTENDED_LIMIT, limits, LIMITS.bytes) !== 0
    if (!isLimited || !closing(open(ACCESS, 0, pid), (child) => assign(job, child) !== 0)) {
      close(job)
      return null
    }
    return { count: () => count(job), end: () => void terminate(job, EXIT_CODE), close: () => void close(job) }
  }
}
