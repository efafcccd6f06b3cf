/** A program as a model writes it becomes JavaScript: types are blanked out, so that lines and columns stay. */
import type { ProgramError } from "@boocode/toolkit/code"
import { stripTypeScriptTypes } from "node:module"

export type SourceError = Omit<ProgramError, "text">

/** An expression of JavaScript that gives a promise; or why the program has none. */
export const prepare = (source: string): string | SourceError => {
  const whole = `(async () => {${source}\n})()`
  // oxlint-disable-next-line house/no-try -- it has no other way to say no
  try {
    return stripTypeScriptTypes(whole)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"
      ? untranslated(error)
      : whole // JavaScript says where it is wrong, and may be right
  }
}

const untranslated = (error: Error): SourceError => ({
  kind: "syntax",
  message: `${
    firstLine(error.message)
  }: types are taken out and nothing is translated. Write it without enum, namespace, decorators and parameter properties`,
  line: lineOf(error.stack ?? ""),
  during: null
})

const firstLine = (text: string): string => text.split("\n")[0]?.trim() ?? ""

/** Node puts the place before the stack, as `:LINE` and the text of the line. */
const lineOf = (stack: string): number | null => {
  const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1]
  return line === undefined ? null : Number(line)
}
