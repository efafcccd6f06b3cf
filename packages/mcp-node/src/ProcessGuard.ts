/**
 * A small process that outlives this one when it is killed, and then takes down what its servers left.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import process from "node:process"
import { SCRIPT } from "./GuardScript.ts"

/**
 * The guard of one host.
 *
 * @category models
 */
export interface ProcessGuard {
  /** Notes a process group, from now until it is forgotten. */
  readonly add: (group: number) => Effect.Effect<void>
  readonly forget: (group: number) => Effect.Effect<void>
}

/** How long a guard that was told to go may take. */
const LEAVE_LIMIT = "500 millis"

/**
 * Starts a guard: a shell in a session of its own that holds the end of a pipe. When this process dies in whatever way,
 * the pipe closes, and the guard sweeps within 6 s. When the scope closes the guard goes without sweeping. Never fails:
 * where it cannot work (Windows, no `/bin/sh`) one warning says so.
 *
 * @category constructors
 */
export const make = (prefix: string): Effect.Effect<ProcessGuard, never, Scope.Scope> =>
  process.platform === "win32"
    ? Effect.as(warn("there is none on this system"), { add: () => Effect.void, forget: () => Effect.void })
    : Effect.map(Effect.acquireRelease(start(prefix), leave), (child) => ({
      add: (group) => tell(child, `add ${group}`),
      forget: (group) => tell(child, `del ${group}`)
    }))

const warn = (why: string) =>
  Effect.logWarning(
    `no guard: ${why}. If this program is killed, servers that ignore the end of their input will stay`
  )

const start = Effect.fnUntraced(function*(prefix: string) {
  const troubles = yield* Queue.unbounded<string>()
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(troubles), warn)))
  const child = spawn("/bin/sh", ["-c", SCRIPT, "boocode-guard", prefix], {
    cwd: "/",
    detached: true,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"]
  })
  child.once("error", (error) => Queue.offerUnsafe(troubles, error.message))
  // A guard that was killed takes its pipe along; what that costs is said when it happens.
  child.stdin.on("error", (error) => Queue.offerUnsafe(troubles, error.message))
  // Neither of them is a reason for the host to stay.
  child.unref()
  Reflect.apply(Reflect.get(child.stdin, "unref") ?? (() => {}), child.stdin, [])
  // It has its pipe, and no server has to wait until it runs: what the pipe holds by then is read.
  return child
})

/** What is told in one tick is one write: each would wake the guard, at the cost of the servers that start just then. */
const tell = ({ stdin }: ChildProcess, line: string): Effect.Effect<void> =>
  Effect.sync(() => {
    if (stdin?.writable !== true) return
    if (stdin.writableCorked === 0) {
      stdin.cork()
      process.nextTick(() => stdin.uncork())
    }
    stdin.write(`${line}\n`)
  })

const leave = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.stdin?.end("quit\n")
  }).pipe(Effect.timeoutOption(LEAVE_LIMIT), Effect.asVoid)
