/**
 * The value of a call inside a program, and the report that a model reads of a program that ended: its value, its
 * console, and the outcomes of its calls.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ResultFiles } from "../results/ResultFiles.ts"
import type * as ToolResult from "../results/ToolResult.ts"
import * as Utf8 from "../text/Utf8.ts"
import type { CallRecord, ProgramError, ProgramFunction, ProgramOutcome } from "./Sandbox.ts"

/** How much of value and console is shown, in bytes; the rest is kept in a file. */
const SHOWN_BYTES = 32_000

/** The part of it that the console has in any case. */
const CONSOLE_BYTES = 8000

/** The report that a model reads of a program, and the file with the whole of it where that is more. */
export const of = Effect.fnUntraced(function*(
  outcome: ProgramOutcome,
  more: ReadonlyArray<string>
): Effect.fn.Return<Pick<ToolResult.ToolResult, "text" | "truncated">, never, ResultFiles> {
  const [given, said] = [valueText(outcome), outcome.console.join("\n")]
  const report = (shown: string, lines: string, notes: ReadonlyArray<string>): string =>
    reported(outcome, shown, lines, [...more, ...notes])
  const bytes = { value: Utf8.byteLength(given), console: Utf8.byteLength(said) }
  if (bytes.value + bytes.console <= SHOWN_BYTES) return { text: report(given, said, []), truncated: null }
  const whole = report(given, said, [])
  const file = yield* (yield* ResultFiles).write(whole)
  const room = Math.max(SHOWN_BYTES - bytes.console, SHOWN_BYTES - CONSOLE_BYTES)
  const shown = Utf8.prefix(given, Math.min(bytes.value, room))
  const lines = Utf8.suffix(said, SHOWN_BYTES - Utf8.byteLength(shown))
  const left = bytes.value + bytes.console - Utf8.byteLength(shown) - Utf8.byteLength(lines)
  const where = file === null ? "the whole could not be kept" : `read the whole with view_file ${file}`
  const text = report(shown, lines, [`[${left} bytes of it left out; ${where}. Return less.]`])
  const all = Utf8.byteLength(whole)
  return { text, truncated: { bytes: all, shownBytes: Utf8.byteLength(text), file, text: { bytes: all, file } } }
})

/** All that a model reads of a program, however long. */
export const whole = (outcome: ProgramOutcome, more: ReadonlyArray<string> = []): string =>
  reported(outcome, valueText(outcome), outcome.console.join("\n"), more)

const valueText = ({ value }: ProgramOutcome): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const reported = (
  { calls, error, value }: ProgramOutcome,
  shown: string,
  lines: string,
  more: ReadonlyArray<string>
): string =>
  [
    ...error === null ? [] : [errorText(error)],
    ...value === undefined
      ? error === null ? [lines === "" ? NOTHING : "The program returned nothing."] : []
      : [`Value:\n${shown}`],
    ...lines === "" ? [] : [`Console:\n${lines}`],
    ...callsText(calls),
    ...more
  ].join("\n\n")

const NOTHING =
  "The program returned nothing. Only return at its top gives a value, and only what it awaits is done for certain."

/** The report of a program that did not come to its end. `why` begins with the event that ended it. */
export const interrupted = (
  why: string,
  calls: ReadonlyArray<Made>,
  console: ReadonlyArray<string> = []
): string => {
  const said = Utf8.suffix(console.join("\n"), CONSOLE_BYTES)
  return [why, ...said === "" ? [] : [`Console:\n${said}`], ...callsText(calls)].join("\n\n")
}

/** A call of a program, and what became of it. */
export type Made = Pick<CallRecord, "name" | "line" | "outcome">

const errorText = ({ during, line, message, text }: ProgramError): string => {
  const place = line === null ? "" : ` at line ${line}`
  const call = during === null || message.startsWith(during) ? "" : ` in a call of ${during}`
  return `The program ended with an error${place}${call}: ${message}${
    text === null || line === null ? "" : `\n  ${line} | ${Utf8.prefix(text, MOST_BYTES)}`
  }`
}

const MOST_BYTES = 300

/** Calls that follow each other and ended alike stand on one line. */
const callsText = (calls: ReadonlyArray<Made>): ReadonlyArray<string> => {
  if (calls.length === 0) return []
  const groups: Array<{ readonly text: string; readonly from: number; to: number }> = []
  for (const [at, { line, name, outcome }] of calls.entries()) {
    const text = `${name}${line === null ? "" : ` (line ${line})`}: ${outcome}`
    const last = groups.at(-1)
    if (last?.text === text) last.to = at + 1
    else groups.push({ text, from: at + 1, to: at + 1 })
  }
  const lines = groups.map(({ from, text, to }) => `${from === to ? from : `${from}-${to}`} ${text}`)
  const is = new Set(calls.map(({ outcome }) => outcome))
  const notes = [
    ...is.has("done") && is.size > 1 ? ["Those that are done have been made: do not repeat them."] : [],
    ...is.has("unknown") ? ["Nobody knows what came of unknown ones: look before you make one again."] : [],
    ...is.has("not made") ? ["Those that are not made were refused, or the program ended before they were."] : []
  ]
  return [[`Calls:\n${lines.join("\n")}`, ...notes.length === 0 ? [] : [notes.join(" ")]].join("\n")]
}

const MOST_SERVERS = 20

/** An error about a name that is not there tells those that are. */
export const withNames = (outcome: ProgramOutcome, functions: ReadonlyArray<ProgramFunction>): ProgramOutcome => {
  const { error } = outcome
  if (error?.kind !== "threw" || !/^ReferenceError: \S+ is not defined$/.test(error.message)) return outcome
  const servers = [...new Set(functions.flatMap(({ server }) => server ?? []))].slice(0, MOST_SERVERS)
  const message = `${error.message}; beside JavaScript's own a program has ${
    ["tools", "boo", "console", ...servers].join(", ")
  }`
  return { ...outcome, error: { ...error, message } }
}

/**
 * The value of a good result inside a program: its structured content, else an object or a list that its text is, else
 * its text.
 */
export const valueOf = (text: string, structuredContent: Schema.Json): Schema.Json => {
  if (structuredContent !== null) return structuredContent
  return /^\s*[[{]/.test(text)
    ? Result.getOrElse(Result.flatMap(Result.try((): unknown => JSON.parse(text)), decodeJson), () => text)
    : text
}

const decodeJson = Schema.decodeUnknownResult(Schema.Json)
