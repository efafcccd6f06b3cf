/** Leaks on purpose, to see that the soak notices: each happens once with every registry. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createServer } from "node:net"
import { ROLES } from "./Cast.ts"
import * as Census from "./Census.ts"
import * as Dice from "./Dice.ts"

const [echo] = ROLES
const kept: Array<unknown> = []

const LEAKS = {
  none: () => {},
  /** A server that the registry knows nothing of. */
  process: (mark: string) => {
    const { args, command } = Object(echo?.entry(Dice.make(0, 0)))
    // Its input stays open as long as this program runs.
    const child = spawn(command, args, { env: { [Census.MARK]: `${mark}/echo` }, stdio: ["pipe", "ignore", "ignore"] })
    child.unref()
  },
  /** A listening socket that nobody closes. */
  handle: () => void createServer().listen(0, "127.0.0.1"),
  /** Fibers that wait for nothing, and that somebody still knows: others are collected. */
  fiber: () => {
    for (let count = 0; count < 10; count++) kept.push(Effect.runFork(Effect.never))
  },
  /** A rejection that nobody handles. */
  rejection: () => void Promise.reject(new Error("rejected on purpose"))
}

export type Leak = keyof typeof LEAKS

export const isLeak = (name: string): name is Leak => name in LEAKS

export const names = Object.keys(LEAKS)

export const leak = (leak: Leak, mark: string): Effect.Effect<void> => Effect.sync(() => LEAKS[leak](mark))
