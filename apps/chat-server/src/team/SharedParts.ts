/** The parts of a chat that readers of its link see: what waits for its owner is the owner's alone. Pure. */
import type { Part } from "@boocode/chat"

/** Whether a part asks the owner for something. It has arguments and texts that may never be sent. */
export const isAsking = ({ type }: Part): boolean => type === "approval" || type === "question"

/** A part as it comes, while nobody knows whether its call will wait for the owner: without arguments. */
export const arriving = (part: Part): Part => part.type === "tool-call" ? { ...part, args: {} } : part

/**
 * The parts without those that wait for the owner. Answered ones stay. A call has its arguments when it was answered, or has
 * its result: before, it may be about to wait.
 */
export const shown = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const answered = new Set(
    parts.flatMap((part) => part.type === "approval-answer" || part.type === "question-answer" ? [part.id] : [])
  )
  const decided = new Set(parts.flatMap((part) => {
    if (part.type === "tool-result") return [part.id]
    return part.type === "approval" && answered.has(part.id) ? [part.call] : []
  }))
  return parts.filter((part) => part.type !== "approval" && part.type !== "question" || answered.has(part.id))
    .map((part) => part.type === "tool-call" && decided.has(part.id) ? part : arriving(part))
}
