/**
 * The repair of a history in any shape (Decision 16).
 */
import { type Item, itemsOf, match, type Matched, type Matches } from "./Matching.ts"
import type { Repair, RepairKind } from "./Repair.ts"
import type { Shape } from "./Shape.ts"

/** A history that providers accept. @category models */
export interface Mended<Message> {
  /** The very array that was given when there was nothing to do. */
  readonly messages: ReadonlyArray<Message>
  /** In the order of the messages; empty when there was nothing to do. */
  readonly repairs: ReadonlyArray<Repair>
}

/** What a model reads in place of what is no longer there. @category constants */
export const BEGINNING = "(The beginning of this conversation is not here any more.)"

/** What a model reads where it is its turn again without a question. @category constants */
export const GO_ON = "Go on."

/**
 * Mends messages of a shape. With `isRequest` the last message is not the assistant's.
 *
 * @category repairing
 */
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

/** Results that no call claims, and calls that do not stay. */
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

/** Null when nothing is left that a provider would take. */
const assistantItems = <M, P>(work: Work<M, P>, at: number): ReadonlyArray<Item<P>> | null => {
  const items = (work.items[at] ?? []).filter((item) => item.piece.type !== "call" || work.matches.calls.has(item))
  const full = items.filter(({ piece }) => piece.type !== "result" && piece.type !== "blank")
  const last = full.findLastIndex(({ piece }) => piece.type === "said" || piece.type === "call")
  if (last === -1) return leaveOut(work, at)
  // Reasoning after the last words is of an answer that was cut off; next to a call its signature may be wanted.
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

/** What is in a message besides results and what nobody needs. */
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

/** The message itself when its parts stay as they are. */
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
