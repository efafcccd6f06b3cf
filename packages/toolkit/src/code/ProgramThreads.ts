/** Where the threads come from in which programs run. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FromThread, ToThread } from "./ThreadMessages.ts"

/** Starts threads. `@boocode/mcp-node/NodeSandbox` has those of Node. */
export class ProgramThreads extends Context.Service<ProgramThreads, {
  /** A thread that is ready. The end of its scope ends it at once, also while it computes. */
  readonly start: Effect.Effect<ProgramThread, ThreadLost, Scope.Scope>
}>()("toolkit/ProgramThreads") {}

/** A thread. */
export interface ProgramThread {
  /** The build of the sandbox. A state that another build saved means nothing to it. */
  readonly build: string
  /** Whether it still runs. */
  readonly isAlive: () => boolean
  /** Tells one listener from now on, or none. Only a thread with a listener keeps the process from ending. */
  readonly listen: (listener: ThreadListener | null) => void
  readonly post: (message: ToThread) => void
}

/** Is told what comes from a thread, by plain calls. None of it may throw. */
export interface ThreadListener {
  readonly heard: (message: FromThread) => void
  /** It ended, or could not go on. At most once, and nothing comes after. */
  readonly lost: (why: ThreadLost) => void
}

/** Why a thread is gone that nobody ended. */
export interface ThreadLost {
  readonly isMemory: boolean
  readonly detail: string
}
