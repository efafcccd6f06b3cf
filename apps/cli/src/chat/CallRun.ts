/** The tool calls between two texts of an answer: a line each, or folded to one when there are many. Pure. */
import type { Part } from "@boocode/chat"
import * as ProgramLines from "../lines/ProgramLines.ts"
import { cut, wrapped } from "../terminal/Layout.ts"
import { counted, oneLine, type Paint } from "../terminal/Output.ts"

export interface Call {
  readonly title: string
  /** The argument that says most about it; empty without one. */
  readonly about: string
  /** Whether a program made it. */
  readonly isMade: boolean
  /** Null while it runs; a call that a person refused has not failed. */
  readonly outcome: "done" | "failed" | "refused" | null
  readonly millis: number
  /** The first line of what a failed call brought. */
  readonly why: string
}

/** A call that begins. `titles` has the human titles of tools, by name. */
export const begun = (
  { args, name, program, server }: Extract<Part, { readonly type: "tool-call" }>,
  titles: ReadonlyMap<string, string>
): Call => ({
  title: ProgramLines.isProgram({ name, server })
    ? "Program"
    : titles.get(name) ??
      titled(server !== null && name.startsWith(`${server}_`) ? name.slice(server.length + 1) : name),
  // The lines of a program stand below it.
  about: ProgramLines.isProgram({ name, server }) ? "" : aboutOf(args),
  isMade: program !== undefined,
  outcome: null,
  millis: 0,
  why: ""
})

export const ended = (call: Call, part: Extract<Part, { readonly type: "tool-result" }>, isRefused: boolean): Call => ({
  ...call,
  outcome: isRefused ? "refused" : part.isError ? "failed" : "done",
  millis: part.millis,
  why: part.isError ? part.text.split("\n").find((line) => line.trim() !== "") ?? "" : ""
})

/** A call at the end of its turn: what has no result because a person stopped it has not failed. */
export const stopped = (call: Call, isByPerson: boolean): Call =>
  call.outcome === null || isByPerson && call.outcome === "failed" && / has no result: /.test(call.why)
    ? { ...call, outcome: "refused" }
    : call

/** `read_text_file` is `Read text file`. */
const titled = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, " ").trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

/** The arguments that say most about a call; the first that is there counts. */
const TELLING = ["path", "file", "uri", "url", "query", "sql", "command", "q", "text", "name", "title", "id"]

const aboutOf = (args: unknown): string => {
  if (typeof args !== "object" || args === null) return ""
  const values = new Map<string, unknown>(Object.entries(args))
  const told = [...TELLING.map((key) => values.get(key)), ...values.values()]
  const first = told.find((value) => typeof value === "string" || typeof value === "number")
  return first === undefined ? "" : oneLine(String(first), 200)
}

/** So many calls stand one by one. */
const ONE_BY_ONE = 3
const MOST_FAILED = 8

/** Calls as lines. Calls of programs stand a step to the right, below their program. */
export const lines = (calls: ReadonlyArray<Call>, columns: number, paint: Paint): ReadonlyArray<string> => [
  ...folded(calls.filter(({ isMade }) => isMade), columns, paint, "    "),
  ...folded(calls.filter(({ isMade }) => !isMade), columns, paint, "  ")
]

const folded = (
  calls: ReadonlyArray<Call>,
  columns: number,
  paint: Paint,
  lead: string
): ReadonlyArray<string> => {
  if (calls.length <= ONE_BY_ONE) return calls.flatMap((call) => whole(call, columns, paint, lead))
  const failed = calls.filter(({ outcome }) => outcome === "failed")
  const shown = failed.slice(0, MOST_FAILED)
  return [
    `${lead}${paint.dim("▸")} ${counted(calls.length, "tool")}${
      failed.length === 0 ? "" : `, ${paint.bad(`${failed.length} failed`)}`
    }`,
    ...shown.flatMap((call) => whole(call, columns, paint, `${lead}  `)),
    ...(shown.length < failed.length ? [paint.dim(`${lead}  … ${failed.length - shown.length} more`)] : [])
  ]
}

/** A call on a row, and below it why it failed where that does not fit there. */
const whole = (call: Call, columns: number, paint: Paint, lead: string): ReadonlyArray<string> => {
  const row = line(call, columns, paint, lead)
  if (call.outcome !== "failed" || row.includes(oneLine(call.why, 400))) return [row]
  const short = line({ ...call, why: "" }, columns, paint, lead)
  return [short, ...wrapped(oneLine(call.why, 300), Math.min(columns, 100), `${lead}  `).map(paint.dim)]
}

/** One call on one row: mark, title, what it is about, and its time or why it failed. */
export const line = (
  { about, millis, outcome, title, why }: Call,
  columns: number,
  paint: Paint,
  lead = "  "
): string => {
  const name = cut(title, 40)
  const end = outcome === "failed"
    ? cut(why, 100)
    : outcome === "refused"
    ? "not done"
    : outcome === null
    ? ""
    : time(millis)
  const mark = outcome === "failed"
    ? paint.bad("✗")
    : outcome === null
    ? paint.dim("○")
    : outcome === "refused"
    ? paint.dim("–")
    : paint.accent("●")
  const used = lead.length + 2 + name.length
  const row = Math.min(columns, 100)
  const room = Math.max(0, row - used - 4)
  const shownAbout = cut(
    about,
    Math.max(12, Math.min(60, outcome === "failed" ? Math.floor(room / 2) : room - end.length))
  )
  const shownEnd = cut(end, Math.max(12, room - shownAbout.length))
  const parts = [shownAbout, shownEnd].filter((part) => part !== "").map(paint.dim)
  return [`${lead}${mark} ${name}`, ...parts].join("  ")
}

const time = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(millis < 10_000 ? 1 : 0)} s`
