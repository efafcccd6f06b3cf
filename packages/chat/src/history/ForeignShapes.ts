/** Messages of content blocks: `tool_use` of the assistant, `tool_result` in the user's message directly after it. */
import * as Predicate from "effect/Predicate"
import {
  argumentsOf,
  isBlank,
  MISSING_RESULT,
  NOT_APPROVED,
  type Piece,
  type Role,
  type Shape,
  textField
} from "./MessageShape.ts"

/** A content block; fields other than the type are read as they are needed. */
export interface Block {
  readonly type: string
}

/** A message of content blocks. */
export interface BlockMessage<B extends Block = Block> {
  readonly role: string
  readonly content: string | ReadonlyArray<B>
}

/** A block that the repair makes. */
export type MadeBlock =
  | { readonly type: "text"; readonly text: string }
  | {
    readonly type: "tool_result"
    readonly tool_use_id: string
    readonly content: string
    readonly is_error: boolean
  }

/** A message that the repair makes or changes; every field of a changed one that is not named here stays. */
export interface MadeBlockMessage<B extends Block, R extends string> {
  readonly role: R | "user"
  content: Array<B | MadeBlock>
}

export const make = <B extends Block, M extends BlockMessage>(): Shape<
  (M & BlockMessage<B>) | MadeBlockMessage<B, M["role"]>,
  B | MadeBlock
> => ({
  role: ({ role }) => roleOf(role),
  parts: ({ content }) => typeof content === "string" ? [{ type: "text", text: content }] : content,
  piece: (part) => piece(part),
  withParts: (message, parts) => ({ ...message, content: [...parts] }),
  call: (part, id) => ({ ...part, id, input: argumentsOf(Reflect.get(part, "input")) }),
  apart: {
    carries: "user",
    carrier: (results) => ({ role: "user", content: [...results] }),
    missing: ({ id }) => ({ type: "tool_result", tool_use_id: id, content: MISSING_RESULT, is_error: true }),
    result: (part, id) => ({ ...part, tool_use_id: id })
  },
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  join: null
})

const roleOf = (role: string): Role => role === "user" || role === "assistant" ? role : "other"

const piece = (block: Block): Piece => {
  switch (block.type) {
    case "text":
      return { type: isBlank(textField(block, "text") ?? "") ? "blank" : "said" }
    case "thinking":
    case "redacted_thinking":
      return { type: "thought" }
    case "tool_use": {
      const isSound = Predicate.isObject(Reflect.get(block, "input"))
      const id = textField(block, "id") ?? ""
      return { type: "call", id, name: textField(block, "name") ?? "", result: "apart", isSound }
    }
    case "tool_result":
      return { type: "result", id: textField(block, "tool_use_id") ?? "" }
    default:
      return { type: "said" }
  }
}

/** A part; fields other than the type are read as they are needed. */
export interface UiPart {
  readonly type: string
}

/** A message of parts. */
export interface UiMessage<P extends UiPart = UiPart> {
  readonly id: string
  readonly role: string
  readonly parts: ReadonlyArray<P>
}

/** A message of OpenCode. */
export interface OpenCodeMessage<P extends UiPart = UiPart> {
  readonly info: { readonly id: string; readonly role: string }
  readonly parts: ReadonlyArray<P>
}

/** A part that the repair makes. */
export type MadeUiPart = { readonly type: "text"; readonly text: string }

/** A message that the repair makes or changes; every field of a changed one that is not named here stays. */
export interface MadeUiMessage<P extends UiPart, R extends string> {
  readonly id: string
  readonly role: R | "user"
  parts: Array<P | MadeUiPart>
}

/** A message of OpenCode that the repair makes or changes; `info` of a made one is its neighbour's, but for id and role. */
export interface MadeOpenCodeMessage<P extends UiPart, I extends OpenCodeMessage["info"]> {
  readonly info: I | (Omit<I, "role"> & { readonly role: "user" })
  parts: Array<P | MadeUiPart>
}

export const makeUiShape = <P extends UiPart, M extends UiMessage>(): Shape<
  (M & UiMessage<P>) | MadeUiMessage<P, M["role"]>,
  P | MadeUiPart
> => ({
  role: ({ role }) => roleOf(role),
  parts: ({ parts }) => parts,
  piece: (part, isAtEnd) => pieceUiShape(part, isAtEnd),
  withParts: (message, parts) => ({ ...message, parts: [...parts] }),
  call: (part, id) => ({ ...part, ...call(part, id) }),
  apart: null,
  user: (text, { id }, place) => ({ id: `${id}-${place}`, role: "user", parts: [{ type: "text", text }] }),
  join: null
})

export const openCode = <P extends UiPart, M extends OpenCodeMessage>(): Shape<
  (M & OpenCodeMessage<P>) | MadeOpenCodeMessage<P, M["info"]>,
  P | MadeUiPart
> => ({
  role: ({ info }) => roleOf(info.role),
  parts: ({ parts }) => parts,
  piece: (part, isAtEnd) => pieceUiShape(part, isAtEnd),
  withParts: (message, parts) => ({ ...message, parts: [...parts] }),
  call: (part, id) => ({ ...part, ...call(part, id) }),
  apart: null,
  user: (text, { info }, place) => ({
    info: { ...info, id: `${info.id}-${place}`, role: "user" },
    parts: [{ type: "text", text }]
  }),
  join: null
})

const pieceUiShape = (part: UiPart, isAtEnd: boolean): Piece => {
  if (part.type === OPEN_CODE) return openCodePiece(part)
  if (part.type === "dynamic-tool" || part.type.startsWith("tool-")) return callPiece(part, isAtEnd)
  switch (part.type) {
    case "text": {
      const isPlain = Reflect.get(part, "providerMetadata") === undefined
      return { type: isPlain && isBlank(textField(part, "text") ?? "") ? "blank" : "said" }
    }
    case "reasoning":
      return { type: "thought" }
    case "step-start":
    case "step-finish":
    case "snapshot":
    case "patch":
    case "retry":
      return { type: "mark" }
    default:
      return { type: "said" }
  }
}

const OPEN_CODE = "tool"

const openCodePiece = (part: UiPart): Piece => {
  const { input, status } = openCodeState(part)
  return {
    type: "call",
    id: textField(part, "callID") ?? "",
    name: textField(part, "tool") ?? "",
    result: status === "completed" || status === "error" ? "within" : "open",
    isSound: Predicate.isObject(input)
  }
}

const openCodeState = (part: UiPart) => {
  const state: unknown = Reflect.get(part, "state")
  const given = Predicate.isObject(state) ? state : {}
  const time: unknown = Reflect.get(given, "time")
  const start: unknown = Predicate.isObject(time) ? Reflect.get(time, "start") : undefined
  return {
    given,
    status: textField(given, "status"),
    input: Reflect.get(given, "input") ?? Reflect.get(given, "raw"),
    start: typeof start === "number" ? start : 0
  }
}

const openCodeCall = (part: UiPart, id: string): object => {
  const { given, input, start } = openCodeState(part)
  const piece = openCodePiece(part)
  const state = piece.type === "call" && piece.result === "open"
    ? { ...given, status: "error", input: argumentsOf(input), error: MISSING_RESULT, time: { start, end: start } }
    : { ...given, input: argumentsOf(input) }
  return { callID: id, state }
}

const call = (part: UiPart, id: string): object =>
  part.type === OPEN_CODE ? openCodeCall(part, id) : { toolCallId: id, input: inputOf(part), ...answer(part) }

const callPiece = (part: UiPart, isAtEnd: boolean): Piece => {
  const isAnswered = ANSWERED.has(textField(part, "state") ?? "") || isAgreed(part, isAtEnd)
  const raw: unknown = Reflect.get(part, "rawInput")
  return {
    type: "call",
    id: textField(part, "toolCallId") ?? "",
    name: textField(part, "toolName") ?? part.type.slice("tool-".length),
    result: isAnswered ? "within" : "open",
    isSound: Predicate.isObject(Reflect.get(part, "input") ?? raw)
  }
}

const ANSWERED: ReadonlySet<string> = new Set(["output-available", "output-error", "output-denied"])

/** A no is an answer; after a yes at the very end, the request that follows runs the call. */
const isAgreed = (part: UiPart, isAtEnd: boolean): boolean =>
  textField(part, "state") === "approval-responded" && (isAtEnd || !isApproved(part))

const isApproved = (part: UiPart): boolean => {
  const approval: unknown = Reflect.get(part, "approval")
  return Predicate.isObject(approval) && Reflect.get(approval, "approved") === true
}

const inputOf = (part: UiPart): object => argumentsOf(Reflect.get(part, "input") ?? Reflect.get(part, "rawInput"))

const answer = (part: UiPart): object => {
  const piece = callPiece(part, false)
  if (piece.type !== "call" || piece.result === "within") return {}
  const approval: unknown = Reflect.get(part, "approval")
  return textField(part, "state") === "approval-requested" && Predicate.isObject(approval)
    ? { state: "output-denied", approval: { ...approval, approved: false, reason: NOT_APPROVED } }
    : { state: "output-error", errorText: MISSING_RESULT }
}
