/**
 * What the parts of a chat say about the questions of servers: which still wait, and who may ask the model. Pure.
 */
import type { Part, TurnPart } from "../Part.ts"

/** A question in a chat. @category models */
export type QuestionPart = Extract<Part, { readonly type: "question" }>

/**
 * The questions without an answer whose calls have no result, in turns that have not ended.
 *
 * @category reading
 */
export const open = (parts: ReadonlyArray<Part>): ReadonlyArray<QuestionPart> => {
  const answered = new Set<string>()
  const closed = new Set<string>()
  for (const part of parts) {
    if (part.type === "question-answer") answered.add(part.id)
    if (part.type === "tool-result") closed.add(callKey(part.turn, part.id))
    if (part.type === "finish") closed.add(`${part.turn}`)
  }
  return parts.filter((part): part is QuestionPart =>
    part.type === "question" && !answered.has(part.id) && !closed.has(`${part.turn}`) &&
    (part.call === null || !closed.has(callKey(part.turn, part.call)))
  )
}

const callKey = (turn: number, call: string): string => `${turn} ${call}`

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
 * The servers that somebody let ask the model for the rest of the chat, each by its name and the file that declares it.
 *
 * @category reading
 */
export const allowedForChat = (parts: ReadonlyArray<Part>): ReadonlySet<string> => {
  const asked = new Map(parts.flatMap((part) => part.type === "question" ? [[part.id, part] as const] : []))
  return new Set(parts.flatMap((part) => {
    const question = part.type === "question-answer" && part.action === "accept" && part.scope === "chat"
      ? asked.get(part.id)
      : undefined
    return question?.file === undefined ? [] : [serverKey(question.server, question.file)]
  }))
}

/** One server: another file may declare another one of its name. @category getters */
export const serverKey = (server: string, file: string): string => JSON.stringify([server, file])
