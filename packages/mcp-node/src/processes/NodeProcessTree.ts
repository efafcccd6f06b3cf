/** Finds and signals everything that one spawn started: by group, by descent, and by the marker in its environment. */
import { MARKER_VARIABLE, type ProcessTarget, ProcessTree } from "@boocode/mcp-client"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import process from "node:process"
import * as ProcessGuard from "./ProcessGuard.ts"
import * as ProcessTable from "./ProcessTable.ts"
import * as WindowsProcessTree from "./WindowsProcessTree.ts"

/** How old a look at the processes may be where nothing is signalled. */
const RECENT = "30 millis"

/** How often a SIGKILL looks again for what was started while it was sent. */
const KILL_PASSES = 5

/**
 * Provides `ProcessTree` for the operating system this runs on.
 *
 * Linux reads `/proc`, other POSIX systems ask `ps`: one pass for `alive` and for SIGTERM, at least two for SIGKILL.
 * On Windows each spawn has a job object: `WindowsProcessTree`. Elsewhere a process that left its group, cleared its
 * environment, and lost its parents before it was noted, is not found.
 */
export const layer: Layer.Layer<ProcessTree> = Layer.effect(
  ProcessTree,
  Effect.gen(function*() {
    if (process.platform === "win32") return yield* WindowsProcessTree.make()
    const table = process.platform === "linux" ? ProcessTable.fromProc : ProcessTable.fromPs(process.platform)
    // Twenty servers that close together look many times a second; one look serves them all. But one from before their
    // input ended would show those alive that have ended since.
    const [note, alive] = yield* Effect.all([Effect.cachedWithTTL(table, RECENT), Effect.cachedWithTTL(table, RECENT)])
    const fresh = ProcessTable.together(table)
    return ProcessTree.of({ ...posix(fresh, process.pid, process.kill, { note, alive }), ...yield* guarded })
  })
)

/** The part that finds and signals, without the guard. */
type Signals = Pick<ProcessTree["Service"], "note" | "alive" | "signal">

/** One guard for all spawns, started with the first one: a program without stdio servers needs none. */
const guarded = Effect.gen(function*() {
  const scope = yield* Effect.scope
  const prefix = `${randomUUID()}-`
  const guard = yield* Effect.cached(Scope.provide(ProcessGuard.make(prefix), scope))
  let spawns = 0
  return {
    mark: Effect.map(guard, () => `${prefix}${++spawns}`),
    watch: ({ pid }: ProcessTarget) =>
      Effect.flatMap(
        guard,
        ({ add, forget }) => Effect.uninterruptible(Effect.andThen(add(pid), Effect.addFinalizer(() => forget(pid))))
      )
  }
})

/** Finds and signals by any table of processes, with `kill`. */
export const posix = (
  table: Effect.Effect<ProcessTable.ProcessTable>,
  self: number = process.pid,
  kill: (pid: number, signal: "SIGTERM" | "SIGKILL") => void = process.kill,
  recent: Readonly<Record<"note" | "alive", typeof table>> = { note: table, alive: table }
): Signals => {
  const notes = new Map<string, Set<string>>()
  /** All that is left of a target, which is noted; once nothing is, neither are the notes. */
  const find = (from: typeof table, target: ProcessTarget) =>
    Effect.map(from, (found) => {
      const noted = notes.get(target.marker) ?? new Set()
      const rows = select(found, target, self, noted)
      rows.filter(({ started }) => started > 0).forEach((row) => noted.add(noteOf(row)))
      if (rows.length > 0) notes.set(target.marker, noted)
      else notes.delete(target.marker)
      return rows
    })
  return {
    note: Effect.fn("ProcessTree.note")((target: ProcessTarget) => Effect.asVoid(find(recent.note, target))),
    alive: Effect.fn("ProcessTree.alive")((target: ProcessTarget) =>
      Effect.map(find(recent.alive, target), ({ length }) => length)
    ),
    signal: Effect.fn("ProcessTree.signal")(function*(target: ProcessTarget, signal: "SIGTERM" | "SIGKILL") {
      const signalled = new Set<number>()
      for (let pass = 0; pass < (signal === "SIGKILL" ? KILL_PASSES : 1); pass++) {
        const fresh = (yield* find(table, target)).filter((row) => !signalled.has(row.pid))
        if (fresh.length === 0) return
        fresh.forEach((row) => signalled.add(row.pid))
        yield* Effect.sync(() => send(fresh, target, signal, kill))
      }
    })
  }
}

/** The group gets its signal in one step, so that no member can start another in between; the others one by one. */
const send = (
  rows: ReadonlyArray<ProcessTable.ProcessRow>,
  target: ProcessTarget,
  signal: "SIGTERM" | "SIGKILL",
  kill: (pid: number, signal: "SIGTERM" | "SIGKILL") => void
) => {
  const members = rows.filter((row) => row.pgid === target.pid)
  const others = rows.filter((row) => row.pgid !== target.pid)
  for (const pid of [...(members.length > 0 ? [-target.pid] : []), ...others.map((row) => row.pid)]) {
    // It may have ended since, or belong to another user now: either way there is nothing left to do.
    Result.try(() => kill(pid, signal))
  }
}

/** An id that was given away again belongs to a process that started later. */
const noteOf = ({ pid, started }: ProcessTable.ProcessRow): string => `${pid} ${started}`

/** The living processes of a target, those noted before included, without `self`, in the order of the table. */
export const select = (
  table: ProcessTable.ProcessTable,
  target: ProcessTarget,
  self: number,
  noted: ReadonlySet<string> = new Set()
): ReadonlyArray<ProcessTable.ProcessRow> => {
  const rows = table.rows.filter((row) => row.pid > 1 && row.pid !== self)
  const children = Map.groupBy(rows, (row) => row.ppid)
  const found = new Set<number>()
  const add = (row: ProcessTable.ProcessRow): void => {
    if (found.has(row.pid)) return
    found.add(row.pid)
    children.get(row.pid)?.forEach(add)
  }
  if (isOwnGroup(table, target, self)) rows.filter((row) => row.pgid === target.pid).forEach(add)
  rows.filter((row) => noted.has(noteOf(row))).forEach(add)
  // A process older than this one is of no spawn of it; mostly that spares reading nearly all environments.
  const since = table.rows.find((row) => row.pid === self)?.started ?? 0
  rows.filter((row) =>
    !found.has(row.pid) && row.started >= since && table.variable(row.pid, MARKER_VARIABLE) === target.marker
  ).forEach(add)
  return rows.filter((row) => found.has(row.pid))
}

/**
 * Whether the group is still the one of the spawn. A process id that was given away again leads another group: its
 * leader carries no marker or another one, and is no child of ours. A group without leader keeps its id from being
 * given away.
 */
const isOwnGroup = (table: ProcessTable.ProcessTable, target: ProcessTarget, self: number): boolean => {
  if (target.pid <= 1 || table.rows.some((row) => row.pid === self && row.pgid === target.pid)) return false
  const leader = table.rows.find((row) => row.pid === target.pid)
  if (leader === undefined) return true
  const marker = table.variable(leader.pid, MARKER_VARIABLE)
  return marker === undefined ? leader.ppid === self : marker === target.marker
}
