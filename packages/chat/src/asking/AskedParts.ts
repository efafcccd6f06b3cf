/** Calls, approvals and questions in the parts of a chat: those that are open, and those that hold for the chat. Pure. */
import type { PermissionRule } from "@boocode/toolkit"
import type { ApprovalPart, Part, TurnPart } from "../model/Part.ts"

/** The question of a server, as a chat keeps it. */
export type QuestionPart = Extract<Part, { readonly type: "question" }>

/** The calls without a result. */
export const openCalls = (parts: ReadonlyArray<Part>): ReadonlyArray<Extract<Part, { readonly type: "tool-call" }>> => {
  const answered = new Set(parts.flatMap((part) => part.type === "tool-result" ? [part.id] : []))
  return parts.filter((part) => part.type === "tool-call").filter(({ id }) => !answered.has(id))
}

/** The approvals without an answer whose calls have no result, in turns that have not ended. */
export const openApprovals = (parts: ReadonlyArray<Part>): ReadonlyArray<typeof ApprovalPart.Type> => {
  const isOpen = openIn(parts)
  return parts.filter((part) => part.type === "approval").filter(isOpen)
}

/** The questions without an answer whose calls have no result, in turns that have not ended. */
const openQuestions = (parts: ReadonlyArray<Part>): ReadonlyArray<QuestionPart> => {
  const isOpen = openIn(parts)
  return parts.filter((part) => part.type === "question").filter(isOpen)
}

/** The parts that cancel the questions a program left open: nobody waits for their answers any more. */
export const cancelledQuestions = (parts: ReadonlyArray<Part>): ReadonlyArray<TurnPart> =>
  openQuestions(parts).map(({ id }) => ({
    type: "question-answer",
    id,
    action: "cancel",
    content: null,
    reason: "the chat server ended before it was answered"
  }))

/**
 * The grants that a person gave for the rest of the chat. A tool that changes has another print, to which nothing is
 * granted.
 */
export const grantsForChat = (parts: ReadonlyArray<Part>): ReadonlyArray<PermissionRule.Grant> => {
  const asked = new Map(parts.flatMap((part) => part.type === "approval" ? [[part.id, part] as const] : []))
  return parts.flatMap((part) => {
    const request = part.type === "approval-answer" && part.decision === "chat" ? asked.get(part.id) : undefined
    if (part.type !== "approval-answer" || request?.print === undefined) return []
    return [grantForChat(request.print, request.name, part.where ?? {})]
  })
}

/** A yes for the rest of the chat. */
export const grantForChat = (
  print: string,
  name: string,
  where: PermissionRule.Grant["where"]
): PermissionRule.Grant => ({ print, name, where, until: null, since: "this chat" })

/** The prints of the servers that a person let use the model for the rest of the chat. */
export const serversAllowedForChat = (parts: ReadonlyArray<Part>): ReadonlySet<string> => {
  const allowed = new Set(
    parts.flatMap((part) =>
      part.type === "question-answer" && part.action === "accept" && part.scope === "chat" ? [part.id] : []
    )
  )
  return new Set(parts.flatMap((part) => part.type === "question" && allowed.has(part.id) ? part.print ?? [] : []))
}

interface Asked {
  readonly id: string
  readonly turn: number
  readonly call: string | null
}

const openIn = (parts: ReadonlyArray<Part>): (asked: Asked) => boolean => {
  const over = new Set(parts.flatMap((part) => {
    if (part.type === "tool-result") return [callKey(part.turn, part.id)]
    return part.type === "finish" ? [`${part.turn}`] : []
  }))
  const answered = new Set(
    parts.flatMap((part) => part.type === "approval-answer" || part.type === "question-answer" ? [part.id] : [])
  )
  return ({ call, id, turn }) =>
    !answered.has(id) && !over.has(`${turn}`) && (call === null || !over.has(callKey(turn, call)))
}

const callKey = (turn: number, call: string): string => `${turn} ${call}`
