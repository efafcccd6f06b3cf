/** A program as a model writes it becomes JavaScript: types are blanked out, so that lines and columns stay. */
import { stripTypeScriptTypes } from "node:module"
import type { MachineFault } from "./MachineFault.ts"

/** Why there is no program. One that breaks what reads it leaves nothing that could read another. */
export interface Unreadable {
  readonly fault: MachineFault
  readonly isBroken: boolean
}

/** An expression of JavaScript that gives a promise; or why there is none. */
export const prepare = (source: string): string | Unreadable => {
  // oxlint-disable-next-line house/no-try -- it has no other way to say no
  try {
    return stripTypeScriptTypes(`(async () => {${source}\n})()`)
  } catch (error) {
    return refusal(source, error)
  }
}

const refusal = (source: string, error: unknown): Unreadable => {
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error))
  const [said = ""] = message.split("\n")
  const line = lineOf(stack)
  const fault = (text: string): MachineFault => ({
    kind: "syntax",
    message: text,
    line: line === null ? null : Math.min(line, source.split("\n").length),
    during: null
  })
  const isBroken = !(error instanceof Error && "code" in error && TYPESCRIPT.test(String(error.code)))
  if (isBroken) return { fault: fault("it cannot be read: it is nested too deeply"), isBroken }
  const found = ADVICE.find(([pattern]) => pattern.test(said))
  return { fault: fault(found === undefined ? `SyntaxError: ${said}` : found[1](said)), isBroken }
}

const TYPESCRIPT = /_TYPESCRIPT_SYNTAX$/

const ADVICE: ReadonlyArray<readonly [RegExp, (said: string) => string]> = [
  [/^'import'/, () => "a program has no import and no export: its tools are there already, and return gives its value"],
  [
    /^TypeScript (.*) is not supported in strip-only mode/,
    (said) =>
      `${
        said.replace(/ is not supported.*/, "")
      } cannot be used: types are taken out and nothing is translated. Write it in JavaScript`
  ]
]

/** Node puts the place before the stack: a colon and the line, then its text. */
const lineOf = (stack: string): number | null => {
  const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1]
  return line === undefined ? null : Number(line)
}
