/** A small process that outlives this one when it is killed, and then takes down what its servers left. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"
import { SCRIPT } from "./GuardScript.ts"

export interface ProcessGuard {
  /** Notes a process group, from now until it is forgotten. */
  readonly add: (group: number) => Effect.Effect<void>
  readonly forget: (group: number) => Effect.Effect<void>
}

/** How long a guard that was told to go may take. */
const LEAVE_LIMIT = "500 millis"

/** A guard that ended sooner than this, in milliseconds, is one that could not stay. */
const LASTING = 60_000

/** How long there is none after so many that could not stay: the first is followed by another at once. */
const PAUSES = [0, 0, 1000, 10_000] as const
const LONGEST_PAUSE = 60_000

/**
 * Starts a guard: a shell in a session of its own that holds the end of a pipe. When this process dies in whatever way,
 * the pipe closes, and the guard sweeps within 6 s. When the scope closes the guard goes without sweeping.
 *
 * A guard that ends before that is followed by another, which is told all groups. Never fails: where no guard can work (no
 * `/bin/sh`) or stay, one warning says so.
 */
export const make = Effect.fnUntraced(function*(prefix: string): Effect.fn.Return<ProcessGuard, never, Scope.Scope> {
  const groups = new Set<number>()
  const start = () => started(prefix, groups)
  const post: Post = { guard: start(), start }
  yield* Effect.addFinalizer(() => leave(post.guard))
  yield* Effect.forkScoped(keep(post))
  return {
    add: (group) =>
      Effect.sync(() => {
        groups.add(group)
        tell(post.guard, `add ${group}`)
      }),
    forget: (group) =>
      Effect.sync(() => {
        groups.delete(group)
        tell(post.guard, `del ${group}`)
      })
  }
})

const warn = (why: string) =>
  Effect.logWarning(
    `no guard: ${why}. If this program is killed, servers that ignore the end of their input will stay`
  )

interface Guard {
  readonly child: ChildProcess
  readonly ended: Deferred.Deferred<string>
}

interface Post {
  guard: Guard
  readonly start: () => Guard
}

/** Replaces guards that end, for ever. */
const keep = Effect.fnUntraced(function*(post: Post) {
  for (let short = 0;;) {
    const since = yield* Clock.currentTimeMillis
    const why = yield* Deferred.await(post.guard.ended)
    short = (yield* Clock.currentTimeMillis) - since < LASTING ? short + 1 : 1
    if (short === 2) yield* warn(why)
    yield* Effect.sleep(PAUSES[short] ?? LONGEST_PAUSE)
    post.guard = post.start()
  }
})

const started = (prefix: string, groups: ReadonlySet<number>): Guard => {
  const ended = Deferred.makeUnsafe<string>()
  const end = (why: string) => Deferred.doneUnsafe(ended, Effect.succeed(why))
  const child = spawn("/bin/sh", ["-c", SCRIPT, "boocode-guard", prefix, ...Array.from(groups, String)], {
    cwd: "/",
    detached: true,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"]
  })
  child.once("error", (error) => end(error.message))
  child.once(
    "exit",
    (code, signal) => end(signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`)
  )
  letGo(child)
  // It has its pipe, and no server has to wait until it runs: what the pipe holds by then is read.
  return { child, ended }
}

/** Neither the guard nor its pipe is a reason for the host to stay. It has no pipe where no file could be opened (EMFILE). */
const letGo = (child: ChildProcess): void => {
  child.unref()
  if (!child.stdin) return
  // A guard that ended takes its pipe along.
  child.stdin.on("error", () => {})
  Reflect.apply(Reflect.get(child.stdin, "unref") ?? (() => {}), child.stdin, [])
}

/** Writes once a tick: each write would wake the guard, at the cost of the servers that start just then. */
const tell = ({ child: { stdin } }: Guard, line: string): void => {
  if (stdin?.writable !== true) return
  if (stdin.writableCorked === 0) {
    stdin.cork()
    process.nextTick(() => stdin.uncork())
  }
  stdin.write(`${line}\n`)
}

const leave = ({ child, ended }: Guard): Effect.Effect<void> =>
  Effect.suspend(() => {
    child.stdin?.end("quit\n")
    return Deferred.await(ended)
  }).pipe(Effect.timeoutOption(LEAVE_LIMIT), Effect.asVoid)
