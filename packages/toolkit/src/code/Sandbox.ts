/** Where programs of models run: the contract. The tools are functions in a program, and it reaches nothing else. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/**
 * Runs programs, each in a sandbox of its own.
 *
 * @category code
 */
export class Sandbox extends Context.Service<Sandbox, {
  /**
   * Runs a program to its end. Never fails: the outcome has the error. Interruption ends the program and its calls at once.
   * A program that finds all threads taken waits for one.
   */
  readonly run: (program: Program) => Effect.Effect<ProgramOutcome>
}>()("toolkit/Sandbox") {}

/**
 * A program, and what it may do.
 *
 * @category code
 */
export interface Program {
  /** TypeScript or JavaScript: the body of an async function, so that `await` and `return` stand at its top. */
  readonly source: string
  readonly functions: ReadonlyArray<ProgramFunction>
  /** The answer of `await boo.describe(name)` inside, for any name. */
  readonly describe: (name: string) => Effect.Effect<string>
  /**
   * Makes one call. The caller is the gate: it checks, asks and makes the call. It is interrupted with the program. When the
   * program ends by itself, calls that wait for no person have `graceMillis` to finish.
   */
  readonly call: (call: ProgramCall) => Effect.Effect<CallAnswer>
  /** Is told each line of the console in order, while the program runs. A restored program does not repeat its lines. */
  readonly onConsole?: (line: string) => Effect.Effect<void>
  /**
   * Goes on where this was saved, with the source of then. `call` is run anew for each call that was open, with its id: it
   * may have been made since, which the caller knows. A snapshot of another build ends with an error of kind `snapshot`.
   */
  readonly from?: Snapshot
  /**
   * Is given the state once every open call has waited `parkMillis` for a person. The program goes on with the first
   * answer. A later snapshot replaces this one, and the end of the program makes it useless.
   */
  readonly onSnapshot?: (snapshot: Snapshot) => Effect.Effect<void>
  readonly limits?: Partial<ProgramLimits>
}

/**
 * A tool as the program sees it: `files.read_text_file(args)` and `tools["files_read_text_file"](args)`.
 *
 * @category code
 */
export interface ProgramFunction {
  /** An identifier. A tool without a server is in `tools` alone, and so is one whose server has a name of JavaScript's own. */
  readonly server: string | null
  /** Its name behind the server. Any text; a name that is no identifier is written as `files["read-file"]`. */
  readonly tool: string
  /** The name that models know it by. */
  readonly name: string
}

/**
 * One call that a program makes.
 *
 * @category code
 */
export interface ProgramCall {
  /** Counts from 1, and stays over snapshots. */
  readonly id: number
  /** `ProgramFunction.name`. */
  readonly name: string
  /**
   * The arguments that the program gave, as JSON has them; `{}` when it gave none. Always an object: others throw in
   * the program.
   */
  readonly args: Schema.JsonObject
  /** The line of the program that makes the call, from 1. */
  readonly line: number | null
  /** To be told while the call waits for a person. Nothing else begins the wait for a snapshot. */
  readonly waiting: (isWaiting: boolean) => Effect.Effect<void>
}

/**
 * The answer of a call. An error throws inside the program, with the name of the tool at the beginning of its text.
 *
 * @category code
 */
export type CallAnswer = CallValue | CallError

/**
 * The value of a call that went well.
 *
 * @category code
 */
export interface CallValue {
  readonly value: Schema.Json
}

/**
 * The error of a call, which throws inside the program.
 *
 * @category code
 */
export interface CallError {
  readonly error: string
  /** `failed` when it is not given. A call that was refused before anything was sent was `not made`. */
  readonly outcome?: "failed" | "unknown" | "not made"
}

/**
 * How a program ended. All calls it began are in `calls`, also when a limit ended it, so that nobody repeats a write.
 *
 * @category code
 */
export interface ProgramOutcome {
  /** The value that it returned, as JSON has it; undefined when it returned nothing or ended with an error. */
  readonly value: Schema.Json | undefined
  /** All lines of the console, up to `outputLength` in all; a last line says that some are missing. */
  readonly console: ReadonlyArray<string>
  readonly calls: ReadonlyArray<CallRecord>
  readonly error: ProgramError | null
}

/**
 * The outcome of a call.
 *
 * @category code
 */
export interface CallRecord {
  readonly id: number
  readonly name: string
  readonly line: number | null
  /** `unknown`: it was under way at the end. `not made`: it still waited for others or for a person, or the caller refused it. */
  readonly outcome: "done" | "failed" | "unknown" | "not made"
  readonly millis: number
}

/**
 * Why a program ended before its end.
 *
 * - `syntax`: it is not TypeScript, or has what only a compiler could translate
 * - `threw`: it did not catch an error
 * - `compute`, `memory`, `stack`, `calls`, `output`: it met a limit
 * - `stalled`: it waits, and nothing is left that could wake it
 * - `snapshot`: this build cannot go on with it
 * - `broken`: the sandbox failed, which is no fault of the program
 *
 * @category code
 */
export interface ProgramError {
  readonly kind: ErrorKind
  /** Complete, with the limit that was met. */
  readonly message: string
  /** The line of the program as it was written, from 1. */
  readonly line: number | null
  /** That line. */
  readonly text: string | null
  /** The name of the tool whose failure it is. */
  readonly during: string | null
}

/**
 * The ways in which a program fails.
 *
 * @category code
 */
export type ErrorKind =
  | "syntax"
  | "threw"
  | "compute"
  | "memory"
  | "stack"
  | "calls"
  | "output"
  | "stalled"
  | "snapshot"
  | "broken"

/**
 * The state of a program that waits, as bytes to keep: its memory compressed, its console and its calls. It has what the
 * tools gave, so keep it as carefully.
 *
 * @category code
 */
export type Snapshot = Uint8Array

/**
 * The limits of a program. Time that it waits for tools and people does not count.
 *
 * @category code
 */
export interface ProgramLimits {
  /** The length of the source, in UTF-16 units. */
  readonly sourceLength: number
  /** Typed arrays included. */
  readonly memoryBytes: number
  readonly stackBytes: number
  /** Half a second later its thread is ended. */
  readonly computeMillis: number
  /** In all; `boo.describe` has as many of its own. */
  readonly calls: number
  /** Made at the same time; the others wait in their order. */
  readonly inFlight: number
  /** Neither answered nor made. */
  readonly waiting: number
  /** The length of the arguments of one call as JSON. */
  readonly argumentLength: number
  /**
   * The length of the answer of one call as JSON; a longer one throws in the program, and so does one nested more than
   * 200 levels deep.
   */
  readonly answerLength: number
  /** The length of the value as JSON, and that of the console: each. */
  readonly outputLength: number
  /** How long every open call has waited for a person before the program gives up its thread. */
  readonly parkMillis: number
  /** How long calls under way may take after the end of the program. */
  readonly graceMillis: number
}

/**
 * The limits of a program that says nothing else.
 *
 * @category code
 */
export const LIMITS: ProgramLimits = {
  sourceLength: 256_000,
  memoryBytes: 64_000_000,
  stackBytes: 256_000,
  computeMillis: 5000,
  calls: 200,
  inFlight: 16,
  waiting: 1000,
  argumentLength: 1_000_000,
  answerLength: 4_000_000,
  outputLength: 1_000_000,
  parkMillis: 10_000,
  graceMillis: 5000
}
