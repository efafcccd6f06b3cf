/**
 * What the parts of a chat say about the questions of servers: which still wait, and who may ask the model. Pure.
 */
import * as Over from "../history/Over.ts"
import type { Part, TurnPart } from "../Part.ts"

/** A question in a chat. @category models */
export type QuestionPart = Extract<Part, { readonly type: "question" }>

/**
 * The questions without an answer whose calls have no result, in turns that have not ended.
 *
 * @category reading
 */
export const open = (parts: ReadonlyArray<Part>): ReadonlyArray<QuestionPart> => {
  const answered = new Set(parts.flatMap((part) => part.type === "question-answer" ? [part.id] : []))
  const isOver = Over.of(parts)
  return parts.filter((part): part is QuestionPart =>
    part.type === "question" && !answered.has(part.id) && !isOver(part.turn, part.call)
  )
}

/**
 * What ends the questions that a program left open: nobody waits for their answers any more.
 *
 * @category reading
 */
export const closing = (parts: ReadonlyArray<Part>): ReadonlyArray<TurnPart> =>
  open(parts).map(({ id }) => ({
    type: "question-answer",
    id,
    action: "cancel",
    content: null,
    reason: "the chat server ended before it was answered"
  }))

/**
 * The prints of the servers that somebody let ask the model for the rest of the chat (see `ServerPrint`).
 *
 * @category reading
 */
export const allowedForChat = (parts: ReadonlyArray<Part>): ReadonlySet<string> => {
  const asked = new Map(parts.flatMap((part) => part.type === "question" ? [[part.id, part] as const] : []))
  return new Set(parts.flatMap((part) => {
    const question = part.type === "question-answer" && part.action === "accept" && part.scope === "chat"
      ? asked.get(part.id)
      : undefined
    return question?.print === undefined ? [] : [question.print]
  }))
}
