/** The messages between a sandbox and the thread that runs its program. */
import type { ProgramError, ProgramFunction, ProgramLimits } from "./Sandbox.ts"

/** To the thread, which has one program at a time. `save` and `drop` come only while the program waits. */
export type ToThread =
  | {
    readonly type: "run"
    readonly source: string
    readonly functions: ReadonlyArray<ProgramFunction>
    readonly limits: ProgramLimits
  }
  | { readonly type: "restore"; readonly state: SavedState; readonly limits: ProgramLimits }
  /** `[[id, true, value], [id, false, text], …]` as JSON. */
  | { readonly type: "answers"; readonly answers: string }
  | { readonly type: "save" }
  | { readonly type: "drop" }

/** From the thread: a `turn` after `run`, `restore` and `answers`, when the program waits or has ended. */
export type FromThread =
  | {
    readonly type: "turn"
    /** Milliseconds of computing, in all. */
    readonly spent: number
    readonly asks: ReadonlyArray<Ask>
    /** The end of the last turn. The thread has forgotten the program then. */
    readonly end: ThreadEnd | null
    /** Whether the thread can take another program. */
    readonly isUsable: boolean
  }
  | { readonly type: "saved"; readonly state: SavedState }

/**
 * A request of a program, in the order it made them: its kind, id, name, line and text (the arguments, or a line of the
 * console).
 */
export type Ask = readonly [
  kind: "call" | "describe" | "console",
  id: number,
  name: string,
  line: number | null,
  text: string
]

/** How the program ended, with its value as JSON. */
export interface ThreadEnd {
  readonly value: string | null
  readonly error: Omit<ProgramError, "text"> | null
}

/** A program that waits, as a thread of the same build can go on with it. */
export interface SavedState {
  /** Compressed. */
  readonly memory: Uint8Array<ArrayBuffer>
  /** Where in it the functions are that a thread calls. */
  readonly roots: ReadonlyArray<number>
  readonly spent: number
}
