/** The server's words about arguments, by the path they are about. Pure. */
import { forms as texts } from "../messages/FormsMessages.ts"
import { below, type FieldProblem, sentence } from "./FieldProblem.ts"

/**
 * The lines of `bad arguments for TOOL: a should be a string, got 1; in b: missing c (a number)`, each under its path.
 * A line whose path is not known here stays under "", for the form as a whole.
 */
export const problemsOf = (detail: string, tool: string): ReadonlyArray<FieldProblem> => {
  // oxlint-disable-next-line house/page-words -- read here, in the words of the server
  const start = `bad arguments for ${tool}: `
  const [, ...after] = detail.split(start)
  return after.length === 0 ? [{ path: "", message: detail }] : lines(after.join(start)).flatMap(problemsOfLine)
}

/** "unknown x; known are y" is one line. */
const lines = (detail: string): ReadonlyArray<string> =>
  detail.split("; ").reduce<ReadonlyArray<string>>(
    (all, part) =>
      /^(known are|no key is known)/.test(part) ? [...all.slice(0, -1), `${all.at(-1)}; ${part}`] : [...all, part],
    []
  )

const problemsOfLine = (line: string): ReadonlyArray<FieldProblem> => {
  const [, where = "", rest = line] = /^in (.+?): (.*)$/s.exec(line) ?? []
  const missing = /^missing (.*)$/s.exec(rest)?.[1]
  if (missing !== undefined) {
    return keysOf(missing).map((key) => ({ path: below(where, key), message: texts.required, isMissing: true }))
  }
  if (where !== "") return [{ path: where, message: sentence(rest) }]
  const [, path, message] = /^(\S+) ((?:should|does not match|is not allowed).*)$/s.exec(line) ?? []
  return path === undefined || message === undefined
    ? [{ path: "", message: line }]
    : [{ path, message: sentence(message) }]
}

/** Names before a bracket: `a (a string or "x, y"), "b c" and 3 more`. */
const keysOf = (list: string): ReadonlyArray<string> => {
  const keys: Array<string> = []
  let depth = 0
  let word = ""
  for (const character of `${list.replace(/ and \d+ more$/, "")},`) {
    if (character === "(") depth += 1
    else if (character === ")") depth -= 1
    else if (depth > 0) continue
    else if (character !== ",") word += character
    else {
      keys.push(unquoted(word.trim()))
      word = ""
    }
  }
  return keys.filter((key) => key !== "")
}

const unquoted = (word: string): string => word.startsWith("\"") && word.endsWith("\"") ? word.slice(1, -1) : word

export const about = (problems: ReadonlyArray<FieldProblem>, path: string): string | null => {
  const found = problems.filter((problem) => problem.path === path).map(({ message }) => message)
  return found.length === 0 ? null : found.join(" ")
}
