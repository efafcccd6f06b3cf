/** How a program stands, in words and lines. Pure. */
import type { ToolResultPart } from "../../api/Types.ts"
import { cut } from "../../messages/Numbers.ts"
import { type Outcome, outcomeOf } from "../calls/CallWords.ts"
import type { CallBlock, ProgramUnit } from "../open/TurnModel.ts"

/** The text of the program as the model wrote it. */
export const codeOf = ({ block }: ProgramUnit): string => {
  const { args } = block.call
  const code = args !== null && typeof args === "object" && "code" in args ? args["code"] : ""
  return typeof code === "string" ? code.replace(/\s+$/, "") : ""
}

/** In one line what a program is about: its first line that says something. A comment says it best. */
export const subjectOfCode = (code: string): string => {
  const lines = code.split("\n").map((line) => line.trim())
  const first = lines.find((line) => /[^\s/*{}()]/.test(line)) ?? ""
  return cut(first.replace(/^(\/[/*]+|\*+)\s*/, "").replace(/\s*\*\/$/, ""), 160)
}

/** A program waits where one of its calls does: what else runs of it stands in the list. */
export const programOutcome = ({ block, calls }: ProgramUnit, isOver: boolean, isStopped: boolean): Outcome => {
  const outcome = outcomeOf(block, isOver, isStopped)
  if (outcome === "failed" && isStopped && /^The program was stopped\b/.test(block.result?.text ?? "")) return "stopped"
  const isWaiting = calls.some((call) => outcomeOf(call, isOver, isStopped) === "waiting")
  return outcome === "running" && isWaiting ? "waiting" : outcome
}

/** The calls that wait for a yes, where there are several: one question is about all of them. */
export const askedTogether = ({ calls }: ProgramUnit, isOver: boolean): ReadonlyArray<CallBlock> => {
  const asked = calls.filter(({ answer, approval, result }) => approval !== null && answer === null && result === null)
  return isOver || asked.length < 2 ? [] : asked
}

export type LineState = "running" | "waiting" | "failed"

/** The lines that made the calls which are under way, or the one at which the program failed. */
export const lineStates = (
  { block, calls }: ProgramUnit,
  isOver: boolean
): ReadonlyMap<number, LineState> => {
  const lines = new Map<number, LineState>()
  if (block.result !== null) {
    const line = block.result.isError ? failedLine(block.result) : null
    return line === null ? lines : lines.set(line, "failed")
  }
  for (const call of calls) {
    const { line } = call.call
    if (line === undefined || call.result !== null || isOver) continue
    const isWaiting = outcomeOf(call, isOver, false) === "waiting" || lines.get(line) === "waiting"
    lines.set(line, isWaiting ? "waiting" : "running")
  }
  return lines
}

/** The line that an error names. */
const failedLine = ({ text }: Pick<ToolResultPart, "text">): number | null => {
  const [, line] = /^The program ended with an error at line (\d+)/.exec(text) ?? []
  return line === undefined ? null : Number(line)
}

/** The report of a program's end for the model, in its pieces; its calls are shown as such. */
export interface ProgramReport {
  /** Why it failed, or that it returned nothing. */
  readonly said: string
  readonly value: string | null
  readonly console: string | null
  /** The parts that were left out. */
  readonly notes: string
}

export const reportOf = ({ text }: Pick<ToolResultPart, "text">): ProgramReport => {
  const sections = text.split(/\n\n(?=(?:Value|Console|Calls):\n)|^(?=(?:Value|Console|Calls):\n)/)
  const under = (name: string) => sections.find((one) => one.startsWith(`${name}:\n`))?.slice(name.length + 2) ?? null
  const [first = ""] = sections
  const [, ...notes] = (under("Calls") ?? "").split("\n\n")
  return {
    // The line of the error is marked in the program.
    said: /^(?:Value|Console|Calls):\n/.test(first) ? "" : first.replace(/\n {2}\d+ \| .*$/, ""),
    value: under("Value"),
    console: under("Console"),
    notes: notes.join("\n\n")
  }
}

/** More failed calls of a folded program are only counted. */
const MOST_FAILED = 5

/** The calls that a folded program still shows: those that wait, and the first that failed. */
export const listedCalls = (
  { calls }: ProgramUnit,
  isOver: boolean,
  isStopped: boolean
): { readonly shown: ReadonlyArray<CallBlock>; readonly failed: number; readonly more: number } => {
  const outcomes = calls.map((call) => outcomeOf(call, isOver, isStopped))
  const failed = outcomes.filter((outcome) => outcome === "failed").length
  let room = MOST_FAILED
  const shown = calls.filter((_, at) => {
    if (outcomes[at] === "failed") room -= 1
    return outcomes[at] === "waiting" || outcomes[at] === "failed" && room >= 0
  })
  return { shown, failed, more: Math.max(0, failed - MOST_FAILED) }
}
