/**
 * How programs are run whose pipes are spoken to all day: what they write comes by a plain call, and so does what they are
 * written, with no stream and no fiber between.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** A program to start, as the leader of a process group of its own. */
export interface ProgramCommand {
  /** The program; with `isLine`, a whole command line for the shell of the system. */
  readonly file: string
  readonly args: ReadonlyArray<Redacted.Redacted<string>>
  readonly isLine: boolean
  readonly cwd: string
  /** All variables it gets. */
  readonly env: Readonly<Record<string, string | Redacted.Redacted<string>>>
}

/** How a program ended: by itself, or by a signal. */
export interface ExitStatus {
  readonly exitCode: number | null
  readonly signal: string | null
}

export type OutputPipe = "output" | "errors"

/** Is told what becomes of a program. None of it may throw. */
export interface ProgramListener {
  /** Some bytes came, which stay as they are. */
  readonly wrote: (pipe: OutputPipe, bytes: Uint8Array) => void
  /** Nothing more will come of a pipe. At most once each, and after all of its bytes. */
  readonly ended: (pipe: OutputPipe) => void
  /** After a `write` that gave false: the time has come for more. */
  readonly drained: () => void
  /** It closed its standard input. At most once. */
  readonly deaf: () => void
  /** Its process ended, perhaps before all of its output was read. Once. */
  readonly exited: (status: ExitStatus) => void
}

/** A program that runs. The end of its scope lets go of its pipes, and ends nothing else. */
export interface Program {
  readonly pid: number
  /** Begins to read and to tell. Once. */
  readonly listen: (listener: ProgramListener) => Effect.Effect<void, never, Scope.Scope>
  /** Puts a text on its way, never waits. False where what is to follow had better wait for `drained`. */
  readonly write: (text: string) => boolean
  /** Whether its standard input still takes anything. */
  readonly isWritable: () => boolean
  /** Ends its standard input after what was written. */
  readonly end: () => void
  /** Reads no more of a pipe: when that is full, the program waits. Some bytes that were read already may still come. */
  readonly pause: (pipe: OutputPipe) => void
  readonly resume: (pipe: OutputPipe) => void
  /** Does something once what has come from outside by now is attended to: what answers it may leave together. */
  readonly soon: (work: () => void) => void
}

/**
 * Starts programs. Fails when the system refuses; what is wrong with a command even before it is asked, such as arguments
 * that are too long, may be a defect. mcp-node gives it.
 */
export class Programs extends Context.Service<Programs, {
  readonly start: (command: ProgramCommand) => Effect.Effect<Program, PlatformError.PlatformError, Scope.Scope>
}>()("mcp-client/Programs") {}
