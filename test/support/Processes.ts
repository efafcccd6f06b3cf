/** Counts, from outside, the living processes whose environment carries a marker variable. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

export interface Living {
  readonly pid: number
  readonly command: string
}

/** Every living process whose environment holds `name=value`. Zombies do not count, nor does this process. */
export const alive = (name: string, value: string): ReadonlyArray<Living> =>
  (process.platform === "linux" ? fromProc(`${name}=${value}`) : fromPs(`${name}=${value}`)).filter(
    ({ pid }) => pid !== process.pid
  )

/** How many there are now. */
export const count = (name: string, value: string) => Effect.sync(() => alive(name, value).length)

/** Waits at most so long until none is left, and gives those that are left then: an empty list is what one hopes for. */
export const leftAfter = (name: string, value: string, withinMillis: number) =>
  Effect.sync(() => alive(name, value)).pipe(
    Effect.filterOrFail((left) => left.length === 0, (left) => left),
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: `${withinMillis} millis` }))),
    Effect.catch((left) => Effect.succeed(left))
  )

/** Waits at most so long until at least `count` live, and gives those that do. */
export const untilAlive = (name: string, value: string, count: number, withinMillis: number) =>
  Effect.sync(() => alive(name, value)).pipe(
    Effect.filterOrFail((living) => living.length >= count, (living) => living),
    Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.upTo({ duration: `${withinMillis} millis` }))),
    Effect.catch((living) => Effect.succeed(living))
  )

/** Ends everything that carries the marker: for the end of a test that leaves something on purpose. */
export const killAll = (name: string, value: string) =>
  Effect.sync(() => {
    for (const { pid } of alive(name, value)) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // It ended by itself in between.
      }
    }
  })

const fromProc = (marker: string): ReadonlyArray<Living> =>
  readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).flatMap((entry) => {
    // Asked of every process there is, many times a second.
    if (!read(entry, "environ").split("\0").includes(marker)) return []
    // The state is the first field after the command, which stands in brackets and may hold anything.
    const isOver = /\) [ZX] [^)]*$/.test(read(entry, "stat"))
    return isOver ? [] : [{ pid: Number(entry), command: read(entry, "cmdline").replaceAll("\0", " ").trim() }]
  })

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return "" // It ended between the listing and the reading, or belongs to somebody else.
  }
}

const fromPs = (marker: string): ReadonlyArray<Living> =>
  execFileSync("ps", ["-axEww", "-o", "pid=", "-o", "stat=", "-o", "command="], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
    .split("\n")
    .flatMap((line) => {
      const [, pid, state, command] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
      if (pid === undefined || state === undefined || command === undefined) return []
      return command.split(" ").includes(marker) && !state.startsWith("Z") ? [{ pid: Number(pid), command }] : []
    })
