/**
 * Histories that every provider accepts, in each of the four shapes that chats are kept in.
 *
 * After it each tool call has exactly one result, directly after it; a missing one is an error result that says so.
 * Results without a call, second results, second calls of one id and blank text are left out; an id that a later
 * message uses again becomes another; arguments that are no object become one; a user's message is added where a
 * history begins with the assistant, where the assistant calls right after it spoke, and where it spoke last. Messages
 * keep their ids, metadata and every field that is not mentioned. Applied twice it changes nothing more.
 */
import type * as Prompt from "effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ForeignShapes from "./ForeignShapes.ts"
import type { Shape } from "./MessageShape.ts"
import { promptShape } from "./PromptShape.ts"
import { describe, isRoutine, type Repair, type RepairKind } from "./RepairNote.ts"
import { type Item, itemsOf, match, type Matched, type Matches } from "./ResultMatching.ts"

export type { Block, BlockMessage, MadeBlock, MadeBlockMessage } from "./ForeignShapes.ts"
export type {
  MadeOpenCodeMessage,
  MadeUiMessage,
  MadeUiPart,
  OpenCodeMessage,
  UiMessage,
  UiPart
} from "./ForeignShapes.ts"
export { MISSING_RESULT, NOT_APPROVED } from "./MessageShape.ts"
export { describe, isRoutine, type Repair, type RepairKind } from "./RepairNote.ts"

/** How a history is repaired. */
export interface RepairOptions {
  /**
   * False for a history to which a question is still added, or whose last message a model is to continue: it may then
   * end with a message of the assistant. True by default.
   */
  readonly isRequest?: boolean
}

/**
 * Repairs messages of `effect/ai`. User messages that follow each other also become one, blank system messages are left
 * out.
 */
export const prompt = (
  messages: ReadonlyArray<Prompt.Message>,
  { isRequest = true }: RepairOptions = {}
): Mended<Prompt.Message> => mend(promptShape, messages, isRequest)

/**
 * Repairs messages of content blocks, as Anthropic's API takes them: `tool_use` of the assistant, `tool_result` at the
 * beginning of the user's message directly after it. Tools that providers run themselves (`server_tool_use`) stay as
 * they are.
 */
export const blocks = <B extends ForeignShapes.Block, M extends ForeignShapes.BlockMessage>(
  messages: ReadonlyArray<M & ForeignShapes.BlockMessage<B>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | ForeignShapes.MadeBlockMessage<B, M["role"]>> => mend(ForeignShapes.make<B, M>(), messages, isRequest)

/**
 * Repairs messages of parts, as the AI SDK's user interfaces keep them: parts `tool-NAME` and `dynamic-tool` with
 * `toolCallId` and `state`; a `tool` part is read as OpenCode means it. A call that was not finished becomes an
 * `output-error`, one that waits for approval an `output-denied`; one approved at the very end stays, because the
 * request that follows runs it. An added message has the id of its neighbour with `-before` or `-after`.
 */
export const uiMessages = <P extends ForeignShapes.UiPart, M extends ForeignShapes.UiMessage>(
  messages: ReadonlyArray<M & ForeignShapes.UiMessage<P>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | ForeignShapes.MadeUiMessage<P, M["role"]>> => mend(ForeignShapes.makeUiShape<P, M>(), messages, isRequest)

/**
 * Repairs messages of OpenCode, `{ info, parts }`, whose calls are parts `tool` with `callID` and `state.status`. A
 * call that is still `pending` or `running` becomes an `error`. An added message has the `info` of its neighbour, with
 * `-before` or `-after` behind the id.
 */
export const openCodeMessages = <P extends ForeignShapes.UiPart, M extends ForeignShapes.OpenCodeMessage>(
  messages: ReadonlyArray<M & ForeignShapes.OpenCodeMessage<P>>,
  { isRequest = true }: RepairOptions = {}
): Mended<M | ForeignShapes.MadeOpenCodeMessage<P, M["info"]>> =>
  mend(ForeignShapes.openCode<P, M>(), messages, isRequest)

/**
 * Receives the repairs of a history, where there are any. By default it logs them on one line, at level info, or debug
 * when all of them are routine.
 */
export const Reporter: Context.Reference<(repairs: ReadonlyArray<Repair>) => Effect.Effect<void>> = Context.Reference(
  "chat/HistoryRepair/Reporter",
  {
    defaultValue: () => (repairs: ReadonlyArray<Repair>) => {
      const log = repairs.every(isRoutine) ? Effect.logDebug : Effect.logInfo
      return log(`repaired a history before it was sent: ${repairs.map(describe).join("; ")}`)
    }
  }
)

/**
 * The messages of a repaired history, after the `Reporter` was told what was done:
 * `HistoryRepair.reported(HistoryRepair.blocks(messages))`.
 */
export const reported = Effect.fnUntraced(function*<Message>(
  { messages, repairs }: Mended<Message>
): Effect.fn.Return<ReadonlyArray<Message>> {
  if (repairs.length > 0) yield* (yield* Reporter)(repairs)
  return messages
})

/** A history that providers accept. */
export interface Mended<Message> {
  /** The very array that was given when there was nothing to do. */
  readonly messages: ReadonlyArray<Message>
  /** In the order of the messages; empty when there was nothing to do. */
  readonly repairs: ReadonlyArray<Repair>
}

/** Stands in place of a beginning that is no longer there. */
export const BEGINNING = "(The beginning of this conversation is not here any more.)"

/** Asks the model to go on where no question does. */
export const GO_ON = "Go on."

/** Mends messages of a shape. With `isRequest` the last message is not the assistant's. */
export const mend = <Message, Part>(
  shape: Shape<Message, Part>,
  messages: ReadonlyArray<Message>,
  isRequest: boolean
): Mended<Message> => {
  const items = itemsOf(shape, messages)
  const work: Work<Message, Part> = { shape, messages, items, matches: match(items.flat()), repairs: [], out: [] }
  noteLost(work)
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (message === undefined) continue
    const role = shape.role(message)
    if (role === "other") work.out.push(message)
    else if (role === "empty") note(work, "left-out", at)
    else if (role === "assistant") at += addAssistant(work, message, at)
    else addOther(work, message, at)
  }
  addUsers(work, isRequest)
  if (work.repairs.length === 0) return { messages, repairs: [] }
  return { messages: work.out, repairs: work.repairs.toSorted((one, other) => one.message - other.message) }
}

interface Work<Message, Part> {
  readonly shape: Shape<Message, Part>
  readonly messages: ReadonlyArray<Message>
  readonly items: ReadonlyArray<ReadonlyArray<Item<Part>>>
  readonly matches: Matches<Part>
  readonly repairs: Array<Repair>
  readonly out: Array<Message>
}

const note = <M, P>(
  work: Work<M, P>,
  kind: RepairKind,
  message: number,
  call: { readonly id: string; readonly name?: string } | null = null
): void => void work.repairs.push({ kind, message, call: call?.id ?? null, tool: call?.name ?? null })

/** Notes results that no call claims, and calls that are left out. */
const noteLost = <M, P>(work: Work<M, P>): void => {
  const { calls, claimed } = work.matches
  const answered = new Set([...claimed].map(({ piece }) => piece.type === "result" ? piece.id : ""))
  for (const item of work.items.flat()) {
    if (item.piece.type === "call" && !calls.has(item)) note(work, "repeated-call", item.at, item.piece)
    else if (item.piece.type === "result" && !claimed.has(item)) {
      note(work, answered.has(item.piece.id) ? "repeated-result" : "stray-result", item.at, item.piece)
    }
  }
}

/** Adds a message of the assistant and the results of its calls; tells how many more messages that used up. */
const addAssistant = <M, P>(work: Work<M, P>, message: M, at: number): number => {
  const kept = assistantItems(work, at)
  if (kept === null) return 0
  const { calls } = work.matches
  const matched = kept.flatMap((item) => calls.get(item) ?? [])
  if (matched.length > 0 && endsOpen(work.shape, work.out.at(-1))) {
    note(work, "user-added", at)
    work.out.push(work.shape.user(GO_ON, message, "before"))
  }
  work.out.push(rebuilt(work, message, at, kept.map((item) => mendedCall(work, item))))
  const waiting = kept.flatMap((item) =>
    item.piece.type === "call" && item.piece.result === "apart" ? calls.get(item) ?? [] : []
  )
  return waiting.length === 0 ? 0 : addResults(work, waiting, at)
}

/** Null when a provider would take none of them. */
const assistantItems = <M, P>(work: Work<M, P>, at: number): ReadonlyArray<Item<P>> | null => {
  const items = (work.items[at] ?? []).filter((item) => item.piece.type !== "call" || work.matches.calls.has(item))
  const full = items.filter(({ piece }) => piece.type !== "result" && piece.type !== "blank")
  const last = full.findLastIndex(({ piece }) => piece.type === "said" || piece.type === "call")
  if (last === -1) return leaveOut(work, at)
  // Reasoning at the end belongs to an answer that was cut off. Next to a call, a provider may want its signature.
  const hasCall = full.some(({ piece }) => piece.type === "call")
  const kept = full.filter(({ piece }, index) => index <= last || hasCall || piece.type !== "thought")
  if (kept.length < items.filter(({ piece }) => piece.type !== "result").length) note(work, "left-out", at)
  return kept
}

const leaveOut = <M, P>(work: Work<M, P>, at: number): null => {
  note(work, "left-out", at)
  return null
}

const mendedCall = <M, P>(work: Work<M, P>, item: Item<P>): P => {
  const { at, part, piece } = item
  if (piece.type !== "call") return part
  const id = work.matches.calls.get(item)?.id ?? piece.id
  if (id !== piece.id) note(work, "renamed-call", at, piece)
  if (!piece.isSound) note(work, "call-arguments", at, piece)
  if (piece.result === "open") note(work, "missing-result", at, piece)
  return id !== piece.id || !piece.isSound || piece.result === "open" ? work.shape.call(part, id) : part
}

/** Adds the results of the message before, in the message behind it where that may carry them. */
const addResults = <M, P>(work: Work<M, P>, calls: ReadonlyArray<Matched<P>>, at: number): number => {
  const { apart } = work.shape
  if (apart === null) return 0
  const next = work.messages[at + 1]
  const isCarried = next !== undefined && work.shape.role(next) === apart.carries
  const rest = isCarried ? otherItems(work, at + 1) : []
  const results = calls.map((call) => resultOf(work, call, at, apart))
  noteMoved(work, calls, isCarried ? at + 1 : null, rest)
  const parts = [...results, ...rest.map(({ part }) => part)]
  work.out.push(isCarried ? rebuilt(work, next, at + 1, parts) : apart.carrier(parts))
  return isCarried ? 1 : 0
}

const resultOf = <M, P>(
  work: Work<M, P>,
  { id, name, result }: Matched<P>,
  at: number,
  apart: NonNullable<Shape<M, P>["apart"]>
): P => {
  if (result === null) {
    note(work, "missing-result", at, { id, name })
    return apart.missing({ id, name })
  }
  return result.piece.type === "result" && result.piece.id !== id ? apart.result(result.part, id) : result.part
}

/** A result has moved when it was in another message, or not at this place among what stays in this one. */
const noteMoved = <M, P>(
  work: Work<M, P>,
  calls: ReadonlyArray<Matched<P>>,
  carrier: number | null,
  rest: ReadonlyArray<Item<P>>
): void => {
  const here = calls.flatMap(({ result }) => result !== null && result.at === carrier ? [result] : [])
  const now = [...here, ...rest]
  const before = carrier === null ? [] : (work.items[carrier] ?? []).filter((item) => now.includes(item))
  for (const { id, name, result } of calls) {
    if (result === null || (result.at === carrier && before.indexOf(result) === now.indexOf(result))) continue
    note(work, "moved-result", result.at, { id, name })
  }
}

/** The items of a message without results and blank text. */
const otherItems = <M, P>(work: Work<M, P>, at: number): ReadonlyArray<Item<P>> => {
  const items = (work.items[at] ?? []).filter(({ piece }) => piece.type !== "result")
  const kept = items.filter(({ piece }) => piece.type !== "blank")
  if (kept.length < items.length) note(work, "left-out", at)
  return kept
}

const addOther = <M, P>(work: Work<M, P>, message: M, at: number): void => {
  const kept = otherItems(work, at)
  if (kept.length === 0) {
    // Results that went elsewhere, or nowhere, were noted as such.
    if ((work.items[at] ?? []).length === 0) note(work, "left-out", at)
    return
  }
  const { join, role } = work.shape
  const mended = rebuilt(work, message, at, kept.map(({ part }) => part))
  const before = work.out.at(-1)
  if (join === null || before === undefined || role(before) !== "user" || role(mended) !== "user") {
    return void work.out.push(mended)
  }
  note(work, "joined", at)
  work.out[work.out.length - 1] = join(before, mended)
}

const rebuilt = <M, P>(work: Work<M, P>, message: M, at: number, parts: ReadonlyArray<P>): M => {
  const before = work.items[at] ?? []
  const isSame = before.length === parts.length && before.every(({ part }, index) => part === parts[index])
  return isSame ? message : work.shape.withParts(message, parts)
}

const addUsers = <M, P>({ messages, out, repairs, shape }: Work<M, P>, isRequest: boolean): void => {
  const added: Repair = { kind: "user-added", message: 0, call: null, tool: null }
  const first = out.findIndex((message) => shape.role(message) !== "other")
  const beginning = out[first]
  if (beginning !== undefined && shape.role(beginning) !== "user") {
    repairs.push({ ...added, message: Math.max(0, messages.indexOf(beginning)) })
    out.splice(first, 0, shape.user(BEGINNING, beginning, "before"))
  }
  const last = out.at(-1)
  if (!isRequest || last === undefined || !endsOpen(shape, last)) return
  repairs.push({ ...added, message: messages.length })
  out.push(shape.user(GO_ON, last, "after"))
}

/** True for a message of the assistant after which it would speak again; a call's result comes between. */
const endsOpen = <M, P>(shape: Shape<M, P>, message: M | undefined): boolean =>
  message !== undefined && shape.role(message) === "assistant" &&
  shape.parts(message).map((part) => shape.piece(part, true))
      .findLast(({ type }) => type === "said" || type === "call" || type === "thought")?.type !== "call"
