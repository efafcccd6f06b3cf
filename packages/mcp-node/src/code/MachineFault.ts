/** Why a program cannot go on, in words that its writer can act on. */
import type { ProgramError, ProgramLimits } from "@boocode/toolkit/code"
import type { JSValueHandle, QuickJS } from "quickjs-wasi"
import { PROGRAM } from "./GuestScript.ts"

/** An error without the text of its line, which the thread need not know. */
export type MachineFault = Omit<ProgramError, "text">

/** The exception that came out of a sandbox, or broke it. */
export interface Raised {
  readonly name: string
  readonly message: string
  readonly stack: string
}

/** Does something that may raise an error. */
export const attempt = <A>(work: () => A): { readonly value: A } | { readonly raised: Raised } => {
  // oxlint-disable-next-line house/no-try -- the errors of a program are exceptions here
  try {
    return { value: work() }
  } catch (error) {
    return { raised: raisedBy(error) }
  }
}

/** The name and the message of an exception. */
export const raisedBy = (error: unknown): Raised =>
  error instanceof Error
    ? { name: error.name, message: error.message, stack: error.stack ?? "" }
    : { name: "Error", message: String(error), stack: "" }

/** Runs what is ready, until nothing is. */
export const runJobs = (vm: QuickJS): Raised | null => {
  // The method of the library for this forgets where in the program an error was.
  const exports = vm._getExports()
  while (exports.qjs_is_job_pending() !== 0) {
    if (exports.qjs_execute_pending_job() < 0) return raisedIn(vm.getException())
  }
  return null
}

const raisedIn = (error: JSValueHandle): Raised => {
  const text = (name: string) => error.isObject ? error.getProp(name).toString() : ""
  return { name: text("name"), message: text("message"), stack: text("stack") }
}

/** The error as its writer reads it. */
export const explained = ({ message, name, stack }: Raised, limits: ProgramLimits): MachineFault =>
  classified({
    kind: name === "SyntaxError" ? "syntax" : "threw",
    message: `${name}: ${message}`,
    line: message === "interrupted" ? lineOfInterruption(stack) : lineOf(linesIn(stack)),
    during: null
  }, limits)

const linesIn = (stack: string): ReadonlyArray<string> =>
  stack.split("\n").filter((line) => line.includes(`${PROGRAM}:`))

const lineOf = ([first]: ReadonlyArray<string>): number | null =>
  first === undefined ? null : Number.parseInt(first.split(`${PROGRAM}:`)[1] ?? "", 10)

/** Where the outermost function is interrupted, the engine names the line of some statement before. */
const lineOfInterruption = (stack: string): number | null => {
  const inner = linesIn(stack).filter((line) => !line.includes("<eval>"))
  return inner.length > 1 ? lineOf(inner) : null
}

/** The engine says in a message which limit was met. */
const LIMITED: ReadonlyArray<readonly [RegExp, (fault: MachineFault, limits: ProgramLimits) => MachineFault]> = [
  [/^InternalError: interrupted$/, (fault, limits) => compute(limits, fault.line)],
  // It throws null where there is no room left for an error.
  [/^(InternalError: out of memory|null)$/, (fault, limits) => memory(limits, fault.line)],
  [/stack overflow|call stack size|memory access out of bounds/, (fault, limits) => stack(limits, fault.line)]
]

/** An error that a program did not catch is a limit, when the engine raised it. */
export const classified = (fault: MachineFault, limits: ProgramLimits): MachineFault => {
  const found = fault.kind === "threw" && fault.during === null
    ? LIMITED.find(([pattern]) => pattern.test(fault.message))
    : undefined
  return found === undefined ? fault : found[1](fault, limits)
}

export const compute = (limits: ProgramLimits, line: number | null): MachineFault => ({
  kind: "compute",
  message: `it computed for ${
    limits.computeMillis / 1000
  } s, the most that a program may; time in tools does not count. Let it do less, or end its loops`,
  line,
  during: null
})

const memory = (limits: ProgramLimits, line: number | null): MachineFault => ({
  kind: "memory",
  message: `it needed more than ${
    limits.memoryBytes / 1_000_000
  } MB of memory, the most that a program may have. Let it keep less at the same time`,
  line,
  during: null
})

const stack = (limits: ProgramLimits, line: number | null): MachineFault => ({
  kind: "stack",
  message: `its functions call each other more deeply than a stack of ${
    Math.round(limits.stackBytes / 1000)
  } KB has room for. Let it use a loop`,
  line,
  during: null
})

/** The program wrote where the script of the sandbox writes. */
export const DAMAGED: MachineFault = {
  kind: "broken",
  message: "the program damaged its sandbox, and was ended",
  line: null,
  during: null
}

/** It waits, and no answer is to come. A program without memory looks the same, because it could not say so. */
export const stalled = (vm: QuickJS, limits: ProgramLimits): MachineFault =>
  vm.getMemoryUsage().mallocSize > 0.9 * limits.memoryBytes ? memory(limits, null) : {
    kind: "stalled",
    message: "it waits for a promise that nothing will ever settle. Await calls of tools, and no others",
    line: null,
    during: null
  }
