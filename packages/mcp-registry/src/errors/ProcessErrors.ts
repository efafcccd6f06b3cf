/**
 * What goes wrong with the process of a server.
 */
import * as Data from "effect/Data"
import { type Details, lasted, saidOf, tail } from "./Words.ts"

/** The operating system refused to start the command. @category reasons */
export class SpawnFailed extends Data.TaggedError("SpawnFailed")<{
  readonly command: string
  readonly detail: string
  /** Better advice than the usual one. */
  readonly try?: string
  readonly cause?: unknown
}> implements Details {
  override get message() {
    return `could not start ${this.command}: ${this.detail}`
  }
  get hint() {
    return this.try ?? `check that ${this.command} may be executed and that "cwd" is a folder`
  }
}

/** The process ended although it was needed. @category reasons */
export class Exited extends Data.TaggedError("Exited")<{
  /** The method that was waited for, or `its work`. */
  readonly during: string
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: string
  /** From the start to the end; absent where it is not known. */
  readonly afterMillis?: number
  /** What it wrote to standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
}> implements Details {
  override get message() {
    const after = this.afterMillis === undefined ? "" : ` after ${lasted(this.afterMillis)}`
    return `the server ${endOf(this)}${after}${whenOf(this.during)}${wordsOf(this)}`
  }
  get hint() {
    return hintOfEnd(this)
  }
}

/** The process keeps dying. @category reasons */
export class CrashLoop extends Data.TaggedError("CrashLoop")<{
  readonly restarts: number
  readonly exitCode: number | null
  readonly stderr: string
  /** The signal that ended it the last time. */
  readonly signal?: string | null
  /** What it wrote to standard output that is no message; absent where it is not known. */
  readonly said?: ReadonlyArray<string>
  /** The method that was waited for the last time, or `its work`. */
  readonly during?: string
}> implements Details {
  override get message() {
    const when = this.during === undefined ? "" : whenOf(this.during)
    const last = `the last time it ${endOf(this.end)}${when}`
    return `the server died ${this.restarts} times in a row; ${last}${wordsOf(this)}`
  }
  get hint() {
    return `it is tried again once a minute; ${hintOfEnd(this.end)}`
  }
  private get end() {
    return { exitCode: this.exitCode, signal: this.signal ?? null, stderr: this.stderr }
  }
}

const endOf = ({ exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null }): string =>
  exitCode === null ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`

const whenOf = (during: string): string => during === AT_WORK ? ", while it was ready" : `, during ${during}`

/** What a server does once it is ready; a failure during anything else is one of its start. @category constants */
export const AT_WORK = "its work"

/** What it wrote to standard error says more, and both together would be too much for one line. */
const wordsOf = ({ said = [], stderr }: { readonly said?: ReadonlyArray<string>; readonly stderr: string }): string =>
  stderr === "" ? saidOf(said) || "; it wrote nothing to standard error" : tail(stderr)

const hintOfEnd = ({ exitCode, signal, stderr }: Pick<Exited, "exitCode" | "signal" | "stderr">): string => {
  if (stderr !== "") return "its last lines on standard error say why; correct that and start it again"
  if (signal === "SIGKILL") return "the system or somebody killed it; often there was too little memory"
  if (exitCode === 127) return `127 is how a shell says that there is no such command: check what "args" names`
  if (exitCode === 126) return `126 is how a shell says that a command may not be executed: check what "args" names`
  if (exitCode === 0) return `it ended as if its work was done: perhaps it needs an argument such as "--stdio" to serve`
  return "run the command by hand to see why it ends"
}
