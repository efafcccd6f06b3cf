/**
 * Messages of parts, as the AI SDK's user interfaces keep them: a call and its result are one part with a state.
 */
import { MISSING_RESULT, NOT_APPROVED } from "./MissingResult.ts"
import { argumentsOf, isBlank, isObject, type Piece, type Role, type Shape, textField } from "./Shape.ts"

/** A part; fields other than the type are read as they are needed. @category models */
export interface UiPart {
  readonly type: string
}

/** A message of parts. @category models */
export interface UiMessage<P extends UiPart = UiPart> {
  readonly id: string
  readonly role: string
  readonly parts: ReadonlyArray<P>
}

/** A part that the repair makes. @category models */
export type MadeUiPart = { readonly type: "text"; readonly text: string }

/** A message that the repair makes or changes; every field of a changed one that is not named here stays. @category models */
export interface MadeUiMessage<P extends UiPart, R extends string> {
  readonly id: string
  readonly role: R | "user"
  parts: Array<P | MadeUiPart>
}

/** @category constructors */
export const make = <P extends UiPart, M extends UiMessage>(): Shape<
  (M & UiMessage<P>) | MadeUiMessage<P, M["role"]>,
  P | MadeUiPart
> => ({
  role: ({ role }) => roleOf(role),
  parts: ({ parts }) => parts,
  piece: (part, isAtEnd) => piece(part, isAtEnd),
  withParts: (message, parts) => ({ ...message, parts: [...parts] }),
  call: (part, id) => ({ ...part, toolCallId: id, input: inputOf(part), ...answer(part) }),
  apart: null,
  user: (text, { id }, place) => ({ id: `${id}-${place}`, role: "user", parts: [{ type: "text", text }] }),
  join: null
})

const roleOf = (role: string): Role => role === "user" || role === "assistant" ? role : "other"

const piece = (part: UiPart, isAtEnd: boolean): Piece => {
  if (part.type === "dynamic-tool" || part.type.startsWith("tool-")) return callPiece(part, isAtEnd)
  switch (part.type) {
    case "text": {
      const isPlain = Reflect.get(part, "providerMetadata") === undefined
      return { type: isPlain && isBlank(textField(part, "text") ?? "") ? "blank" : "said" }
    }
    case "reasoning":
      return { type: "thought" }
    case "step-start":
      return { type: "mark" }
    default:
      return { type: "said" }
  }
}

const callPiece = (part: UiPart, isAtEnd: boolean): Piece => {
  const isAnswered = ANSWERED.has(textField(part, "state") ?? "") || isAgreed(part, isAtEnd)
  const raw: unknown = Reflect.get(part, "rawInput")
  return {
    type: "call",
    id: textField(part, "toolCallId") ?? "",
    name: textField(part, "toolName") ?? part.type.slice("tool-".length),
    result: isAnswered ? "within" : "open",
    isSound: isObject(Reflect.get(part, "input") ?? raw)
  }
}

const ANSWERED: ReadonlySet<string> = new Set(["output-available", "output-error", "output-denied"])

/** A no is an answer; after a yes at the very end, the request that follows runs the call. */
const isAgreed = (part: UiPart, isAtEnd: boolean): boolean =>
  textField(part, "state") === "approval-responded" && (isAtEnd || !isApproved(part))

const isApproved = (part: UiPart): boolean => {
  const approval: unknown = Reflect.get(part, "approval")
  return isObject(approval) && Reflect.get(approval, "approved") === true
}

const inputOf = (part: UiPart): object => argumentsOf(Reflect.get(part, "input") ?? Reflect.get(part, "rawInput"))

const answer = (part: UiPart): object => {
  const piece = callPiece(part, false)
  if (piece.type !== "call" || piece.result === "within") return {}
  const approval: unknown = Reflect.get(part, "approval")
  return textField(part, "state") === "approval-requested" && isObject(approval)
    ? { state: "output-denied", approval: { ...approval, approved: false, reason: NOT_APPROVED } }
    : { state: "output-error", errorText: MISSING_RESULT }
}
