/** One look at the processes of this machine: the parent and the group of each, and which of them carry a marker. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"

/** One living process. A zombie is not listed. */
export interface ProcessRow {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
  /** When it started, in a unit of the system; 0 where it does not tell. */
  readonly started: number
}

/** All processes of one pass, and their environments as far as this user may read them. */
export interface ProcessTable {
  readonly rows: ReadonlyArray<ProcessRow>
  /** The value of this variable of a process; undefined when it has none, or none that can be read. */
  readonly variable: (pid: number, name: string) => string | undefined
}

/**
 * Reads `/proc`. Takes about 25 microseconds a process, and as much again for each environment: those of processes that
 * are as young as this one are read at once, others when they are asked for.
 */
export const fromProc: Effect.Effect<ProcessTable> = Effect.sync(() => {
  const since = parseStat(attempt(() => readFileSync("/proc/self/stat", "latin1"), "")).at(0)?.started ?? 0
  const rows = new Map<string, ReadonlyArray<ProcessRow>>()
  const environments = new Map<number, string>()
  const look = (name: string) => {
    const found = parseStat(attempt(() => readFileSync(`/proc/${name}/stat`, "latin1"), ""))
    for (const { pid, started } of found) if (started >= since) environments.set(pid, environment(pid))
    rows.set(name, found)
  }
  // A process that ended before it was read may have started another after the list was made, and hides it.
  for (let fresh = processIds(), passes = 0; fresh.length > 0 && passes < MOST_PASSES; passes++) {
    fresh.forEach(look)
    fresh = processIds().filter((name) => !rows.has(name))
  }
  return {
    rows: [...rows.values()].flat(),
    variable: (pid, name) => between(`\0${environments.get(pid) ?? environment(pid)}\0`, `\0${name}=`, "\0")
  }
})

/** More than this it takes only where processes are started faster than they can be read. */
const MOST_PASSES = 10

const processIds = (): ReadonlyArray<string> =>
  attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name))

const environment = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"), "")

/**
 * Looks that are asked for within a moment are one, which begins after all of them: thirty servers that are signalled
 * together would else have every process read thirty times.
 */
export const together = (table: Effect.Effect<ProcessTable>): Effect.Effect<ProcessTable> => {
  let next: typeof table | null = null
  const look = Effect.andThen(
    Effect.sleep(MOMENT),
    Effect.suspend(() => {
      next = null
      return table
    })
  )
  return Effect.flatten(
    Effect.suspend(() => next === null ? Effect.map(Effect.cached(look), (made) => next = made) : Effect.succeed(next))
  )
}

const MOMENT = "10 millis"

/** Asks `ps`, for POSIX systems without `/proc`. Takes two short processes, at most five seconds. */
export const fromPs = (platform: string): Effect.Effect<ProcessTable> =>
  Effect.map(
    Effect.all([lines("ps", ["-A", ...columns(ROW)]), lines("ps", environments(platform))], { concurrency: 2 }),
    ([table, commands]) => ofPs(table, commands)
  )

const ROW = ["pid", "ppid", "pgid", "stat", "lstart"]

/** One option each: `ps` of BSD and macOS takes all that stands behind a `=` for the title of one column. */
const columns = (names: ReadonlyArray<string>) => names.flatMap((name) => ["-o", `${name}=`])

/** `-e` shows all processes on macOS, and environments elsewhere. */
const environments = (platform: string) => [
  platform === "darwin" ? "-AEww" : "axeww",
  ...columns(["pid", "command"])
]

/** The table that two lists of `ps` make: of processes, and of their command lines followed by their environments. */
export const ofPs = (table: ReadonlyArray<string>, commands: ReadonlyArray<string>): ProcessTable => {
  const texts = new Map(commands.map((line) => [Number.parseInt(line, 10), `${line} `]))
  return {
    rows: table.flatMap(parsePs),
    variable: (pid, name) => between(texts.get(pid) ?? "", ` ${name}=`, " ")
  }
}

/** Processes that cannot be read count as gone: there is nothing better to do while closing. */
const lines = (command: string, args: ReadonlyArray<string>) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const limits = { timeout: 5000, killSignal: "SIGKILL", maxBuffer: MOST_OUTPUT } as const
    const env = { ...process.env, LC_ALL: "C" }
    const child = execFile(command, args, { ...limits, env }, (error, output) =>
      resume(Effect.succeed(error?.killed === true ? [] : output.split("\n"))))
    return Effect.sync(() =>
      void child.kill("SIGKILL")
    )
  })

/** In bytes; every process with its whole environment. */
const MOST_OUTPUT = 256 * 1024 * 1024

const attempt = <A>(read: () => A, otherwise: A): A => Result.getOrElse(Result.try(read), () => otherwise)

const between = (text: string, start: string, end: string): string | undefined => {
  const from = text.indexOf(start)
  return from < 0 ? undefined : text.slice(from + start.length, text.indexOf(end, from + start.length))
}

/** The command's name stands in parentheses and may itself hold spaces and parentheses. */
const parseStat = (stat: string): ReadonlyArray<ProcessRow> => {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, ppid, pgid] = fields
  // A leader whose main thread ended while others go on is shown as a zombie with more than one thread.
  const gone = state === undefined || state === "X" || state === "Z" && Number(fields[17]) <= 1
  return gone || stat === "" ? [] : [{
    pid: Number.parseInt(stat, 10),
    ppid: Number(ppid),
    pgid: Number(pgid),
    started: Number(fields[19])
  }]
}

const parsePs = (line: string): ReadonlyArray<ProcessRow> => {
  const [pid, ppid, pgid, state, ...time] = line.trim().split(/\s+/)
  // oxlint-disable-next-line no-restricted-globals -- it reads a time, and does not ask for one
  const started = Date.parse(time.join(" ")) || 0
  return state === undefined || state.startsWith("Z")
    ? []
    : [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), started }]
}
