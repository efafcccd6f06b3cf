/** The parts of a chat that readers of its link see: what waits for its owner is the owner's alone. Pure. */
import type { Part } from "@boocode/chat"

/** Whether a part asks the owner for something. It has arguments and texts that may never be sent. */
export const isAsking = ({ type }: Part): boolean => type === "approval" || type === "question"

/** The parts without those that wait for the owner. Answered ones stay. */
export const shown = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const answered = new Set(
    parts.flatMap((part) => part.type === "approval-answer" || part.type === "question-answer" ? [part.id] : [])
  )
  return parts.filter((part) => part.type !== "approval" && part.type !== "question" || answered.has(part.id))
}
