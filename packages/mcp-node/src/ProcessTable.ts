/**
 * One look at the processes of this machine: who started whom, in which group, and who carries a marker.
 */
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import { readdirSync, readFileSync } from "node:fs"

/**
 * One living process. A zombie is not listed.
 *
 * @category models
 */
export interface ProcessRow {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
  /** When it started, in ticks since boot; 0 where the system does not tell. */
  readonly started: number
}

/**
 * All processes of one pass, and their environments as far as this user may read them.
 *
 * @category models
 */
export interface ProcessTable {
  readonly rows: ReadonlyArray<ProcessRow>
  /** What a process was given as this variable; undefined when it was given none, or none that can be read. */
  readonly variable: (pid: number, name: string) => string | undefined
}

/**
 * Reads `/proc`. Takes about 25 microseconds a process and as much again for each environment; an environment is read only when it is asked for.
 *
 * @category constructors
 */
export const fromProc: Effect.Effect<ProcessTable> = Effect.sync(() => ({
  rows: attempt(() => readdirSync("/proc"), [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => parseStat(attempt(() => readFileSync(`/proc/${name}/stat`, "latin1"), ""))),
  variable: (pid, name) =>
    between(`\0${attempt(() => readFileSync(`/proc/${pid}/environ`, "latin1"), "")}\0`, `\0${name}=`, "\0")
}))

/**
 * Asks `ps`, for POSIX systems without `/proc`. Takes two short processes, at most five seconds.
 *
 * @category constructors
 */
export const fromPs = Effect.fnUntraced(function*(
  platform: string
): Effect.fn.Return<ProcessTable, never, ChildProcessSpawner> {
  const [table, environments] = yield* Effect.all([
    run("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="]),
    run("ps", platform === "darwin" ? ["-AEww", "-o", "pid=,command="] : ["axeww", "-o", "pid=,command="])
  ], { concurrency: 2 })
  const lines = new Map(environments.map((line) => [Number.parseInt(line, 10), `${line} `]))
  return {
    rows: table.flatMap(parsePs),
    variable: (pid, name) => between(lines.get(pid) ?? "", ` ${name}=`, " ")
  }
})

const run = (command: string, args: ReadonlyArray<string>) =>
  ChildProcessSpawner.use((spawner) => spawner.lines(ChildProcess.make(command, args, { forceKillAfter: "1 second" })))
    .pipe(
      Effect.timeout("5 seconds"),
      // What cannot be read counts as gone: there is nothing better to do while closing.
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )

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
  const [pid, ppid, pgid, state] = line.trim().split(/\s+/)
  return state === undefined || state.startsWith("Z")
    ? []
    : [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), started: 0 }]
}
