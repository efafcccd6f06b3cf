/**
 * What the parts of a chat say about the calls that ask: which still wait, and what was allowed for the chat. Pure.
 */
import * as Over from "../history/Over.ts"
import type { ApprovalPart as Schema, Part } from "../Part.ts"

/** A call that asks. @category models */
export type ApprovalPart = typeof Schema.Type

/** What came of it. @category models */
export type ApprovalAnswerPart = Extract<Part, { readonly type: "approval-answer" }>

/**
 * The requests without an answer whose calls have no result, in turns that have not ended.
 *
 * @category reading
 */
export const open = (parts: ReadonlyArray<Part>): ReadonlyArray<ApprovalPart> => {
  const answered = new Set(parts.flatMap((part) => part.type === "approval-answer" ? [part.id] : []))
  const isOver = Over.of(parts)
  return parts.filter((part): part is ApprovalPart =>
    part.type === "approval" && !answered.has(part.id) && !isOver(part.turn, part.call)
  )
}

/**
 * The prints of the tools that somebody allowed for the rest of the chat: one that is defined in another way asks again.
 *
 * @category reading
 */
export const allowedForChat = (parts: ReadonlyArray<Part>): ReadonlyArray<string> => {
  const requests = new Map(parts.flatMap((part) => part.type === "approval" ? [[part.id, part] as const] : []))
  return parts.flatMap((part) => {
    const request = part.type === "approval-answer" && part.decision === "chat" ? requests.get(part.id) : undefined
    return request?.print === undefined ? [] : [request.print]
  })
}
