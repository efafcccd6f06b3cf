/** Reads the parts of a chat for the calls that a program made, and their outcomes. */
import { type CallRecord, ProgramReport } from "@boocode/toolkit/code"
import type { Part } from "../model/Part.ts"

/** The calls that a program made, with their outcomes as far as these parts tell, by the ids of the calls. */
export const callsIn = (parts: ReadonlyArray<Part>, program: string): ReadonlyMap<string, ProgramReport.Made> => {
  const errors = new Map(parts.flatMap((part) => part.type === "tool-result" ? [[part.id, part.isError]] : []))
  const writes = new Map(parts.flatMap((part) => part.type === "write" ? [[part.call, part.outcome]] : []))
  const answered = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
  const waiting = new Set(
    parts.flatMap((part) => part.type === "approval" && !answered.has(part.id) ? [part.call] : [])
  )
  const outcomeOf = (id: string): CallRecord["outcome"] => {
    const isError = errors.get(id)
    if (isError === undefined) return waiting.has(id) ? "not made" : writes.get(id) ?? "unknown"
    return writes.get(id) ?? (isError ? "failed" : "done")
  }
  const made = parts.filter((part) => part.type === "tool-call").filter((part) => part.program === program)
  return new Map(made.map(({ id, line = null, name }) => [id, { name, line, outcome: outcomeOf(id) }]))
}

/** The words about a program that the end of the chat server cut off, by its call of `execute`. */
export const lost = (parts: ReadonlyArray<Part>, program: string): string =>
  ProgramReport.interrupted(LOST, [...callsIn(parts, program).values()])

const LOST = "The program was interrupted: the chat server ended before it did, and its state was not kept."
