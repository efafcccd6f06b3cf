/** Counts from outside what may leak: processes by server and by spawn, descriptors, handles, listeners, fibers. */
import { MARKER_VARIABLE } from "@boocode/mcp-registry"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { queryObjects } from "node:v8"
import * as Processes from "../support/Processes.ts"

/** Every process of the registry carries it; its value is `<mark>/<server>`. */
export const MARK = "BOOCODE_SOAK"

export interface Counted {
  readonly pid: number
  readonly server: string
  /** The marker that the registry gave to the spawn it belongs to. */
  readonly spawn: string
  readonly command: string
}

/** The living processes of these servers. */
export const processes = (mark: string, servers: ReadonlyArray<string>): ReadonlyArray<Counted> =>
  process.platform === "linux"
    ? readdirSync("/proc").filter((entry) => /^\d+$/.test(entry)).flatMap((pid) => ofPid(pid, `${MARK}=${mark}/`))
    : servers.flatMap((server) =>
      Processes.alive(MARK, `${mark}/${server}`).map(({ command, pid }) => ({ pid, server, spawn: "", command }))
    )

const ofPid = (pid: string, start: string): ReadonlyArray<Counted> => {
  const variables = read(`/proc/${pid}/environ`).split("\0")
  const server = variables.find((variable) => variable.startsWith(start))?.slice(start.length)
  if (server === undefined || !isAlive(Number(pid))) return []
  const spawn = variables.find((variable) => variable.startsWith(`${MARKER_VARIABLE}=`)) ?? ""
  return [{ pid: Number(pid), server, spawn, command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }]
}

/** Whether it runs; a zombie does not. */
export const isAlive = (pid: number): boolean => {
  if (process.platform === "linux") return /\) [^ZX] [^)]*$/.test(read(`/proc/${pid}/stat`))
  try {
    return process.kill(pid, 0)
  } catch {
    return false // There is none, which is what was asked.
  }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return "" // It ended between the listing and the reading, or belongs to somebody else.
  }
}

/** How many there are of each kind: what keeps the event loop alive, what is open, who listens on `process`. */
export const handles = (): Readonly<Record<string, number>> => {
  const kinds = [
    // What one look at the file system needs for a moment is no handle that stays.
    ...process.getActiveResourcesInfo().filter((kind) => !/^(FSReq|Immediate|TickObject)/.test(kind)),
    ...descriptors(),
    ...process.eventNames().flatMap((event) =>
      Array.from({ length: process.listenerCount(String(event)) }, () => `listener ${String(event)}`)
    )
  ]
  const counts: Record<string, number> = {}
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Sockets and pipes that nobody waits for show here all the same. */
const descriptors = (): ReadonlyArray<string> => {
  const folder = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"
  return readdirSync(folder).map((fd) => `open ${linkOf(`${folder}/${fd}`)}`)
}

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path).replace(/:?\[?\d*\]?$/, "").replace(/^\/.*/, "file")
  } catch {
    return "descriptor" // Closed since, as is that of the listing itself, or not a link on this system.
  }
}

export const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** The kinds of which there are more now than before. */
export const more = (
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>
): ReadonlyArray<string> =>
  Object.entries(now).filter(([kind, count]) => count > (before[kind] ?? 0)).map(([kind, count]) =>
    `${kind}: ${before[kind] ?? 0} before, ${count} now`
  )

const Fiber = Effect.runFork(Effect.void).constructor

/** How many fibers are in memory after a collection, running, waiting or kept by somebody. */
export const fibers = (): number => queryObjects(Fiber, { format: "count" })

/**
 * Waits until there are no more fibers and handles than at a first look: on a busy machine, what is late may take longer than
 * any pause. Ends after five seconds, so that what stays is told.
 */
export const settled = Effect.fnUntraced(function*(first: {
  readonly fibers: number
  readonly handles: Readonly<Record<string, number>>
}) {
  for (let look = 0; look < LOOKS; look++) {
    if (more(first.handles, handles()).length === 0 && fibers() <= first.fibers) return
    yield* Effect.sleep("500 millis")
  }
})

const LOOKS = 10

/** Bytes of heap after a collection. */
export const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
