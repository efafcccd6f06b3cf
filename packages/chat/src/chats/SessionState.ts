/** The state of a chat in memory, and how each event changes it. Pure. */
import type * as Fiber from "effect/Fiber"
import type * as Tracer from "effect/Tracer"
import { type ChatRecord, type ChatSummary, shownOf } from "../model/Chat.ts"
import type { Part } from "../model/Part.ts"
import type { ChatHead, ChatStoreFailed, TurnStart } from "../store/ChatStore.ts"

/** A turn that has not begun, or that goes on after a restart. */
export interface Pending {
  readonly turn: number
  /** The parts it has already; null when it has not begun. */
  readonly resume: ReadonlyArray<Part> | null
  /** The turn that runs takes its message at its next step; when that ends first, this is the next turn. */
  readonly isUrgent?: boolean
  /** The span in which its message was sent, where traces are kept. */
  readonly sentIn?: Tracer.AnySpan | null
}

/**
 * - `removing`: takes no message any more; open again when the store fails
 * - `removed`: final, nothing changes the state any more
 * - `ending`: the program ends, so that a turn that is stopped now was interrupted
 * - `suspended`: the program ends, and no part is written any more: the next start goes on from what is stored. Only a
 *   removal ends it
 */
export type Phase = "open" | "removing" | "removed" | "ending" | "suspended"

interface RunningTurn {
  readonly turn: number
  readonly fiber: Fiber.Fiber<unknown, unknown>
  /** A person stopped it, and it is about to end. */
  readonly isStopped: boolean
}

export interface SessionState {
  readonly record: ChatRecord
  /** Every turn, without its parts. */
  readonly turns: ReadonlyMap<number, TurnStart>
  readonly lastTurn: number
  /** The `seq` of the last part that can be read. */
  readonly lastSeq: number
  /** The parts of the last write. A listener who keeps up reads them here. */
  readonly lastParts: ReadonlyArray<Part>
  readonly running: RunningTurn | null
  readonly queue: ReadonlyArray<Pending>
  /** The turns of the calls that wait for a person, by the ids of their approvals. */
  readonly approvals: ReadonlyMap<string, number>
  /** The ids of the questions that wait. Each is answered or cancelled before its call is over. */
  readonly questions: ReadonlySet<string>
  readonly phase: Phase
  /** Why the chat cannot be kept. Nothing is written until it is read again. */
  readonly broken: ChatStoreFailed | null
}

export type SessionEvent =
  | { readonly type: "record-put"; readonly record: ChatRecord }
  | { readonly type: "turn-put"; readonly start: TurnStart }
  | { readonly type: "turn-removed"; readonly turn: number }
  /** Turns wait in the order of their numbers: one that goes on after a restart comes first, then urgent ones. */
  | { readonly type: "queued"; readonly pending: Pending }
  | { readonly type: "hurried"; readonly pending: Pending }
  | { readonly type: "unqueued"; readonly pending: ReadonlyArray<Pending> }
  | { readonly type: "begun"; readonly pending: Pending; readonly fiber: Fiber.Fiber<unknown, unknown> }
  | { readonly type: "stopped" }
  | { readonly type: "left"; readonly turn: number }
  | { readonly type: "written"; readonly parts: ReadonlyArray<Part> }
  | { readonly type: "part-put"; readonly part: Part }
  | { readonly type: "asked"; readonly approval: string; readonly turn: number }
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "broke"; readonly error: ChatStoreFailed }

export const make = ({ lastSeq, lastTurn, record, turns }: ChatHead): SessionState => ({
  record,
  turns: new Map(turns.map((start) => [start.turn, start])),
  lastTurn,
  lastSeq,
  lastParts: [],
  running: null,
  queue: [],
  approvals: new Map(),
  questions: new Set(),
  phase: "open",
  broken: null
})

export const summary = ({ approvals, questions, queue, record, running }: SessionState): ChatSummary => ({
  ...shownOf(record),
  running: running?.turn ?? null,
  waiting: queue.length,
  approvals: approvals.size,
  questions: questions.size
})

/** True when the line of the chat in a list is another one. */
export const isNews = (one: SessionState, other: SessionState): boolean =>
  one.record !== other.record || one.running?.turn !== other.running?.turn ||
  one.queue.length !== other.queue.length || one.approvals.size !== other.approvals.size ||
  one.questions.size !== other.questions.size

export const reduce = (state: SessionState, event: SessionEvent): SessionState => {
  if (state.phase === "removed") return state
  switch (event.type) {
    case "record-put":
      return { ...state, record: event.record }
    case "turn-put": {
      const { start } = event
      return {
        ...state,
        turns: new Map([...state.turns, [start.turn, start]]),
        lastTurn: Math.max(state.lastTurn, start.turn)
      }
    }
    case "turn-removed":
      return { ...state, turns: new Map([...state.turns].filter(([turn]) => turn !== event.turn)) }
    case "queued":
      return { ...state, queue: [...state.queue, event.pending].toSorted(inOrder) }
    case "hurried":
      return {
        ...state,
        queue: state.queue.map((one) => one === event.pending ? { ...one, isUrgent: true } : one).toSorted(inOrder)
      }
    case "unqueued":
      return { ...state, queue: state.queue.filter((one) => !event.pending.includes(one)) }
    case "begun": {
      const { fiber, pending } = event
      const queue = state.queue.filter((one) => one !== pending)
      return { ...state, queue, running: { turn: pending.turn, fiber, isStopped: false } }
    }
    case "stopped":
      return state.running === null ? state : { ...state, running: { ...state.running, isStopped: true } }
    case "left":
      return withoutRunning(state, event.turn)
    case "written":
      return event.parts.reduce(noted, {
        ...state,
        lastSeq: state.lastSeq + event.parts.length,
        lastParts: event.parts
      })
    case "part-put":
      return { ...state, lastParts: state.lastParts.map((part) => part.seq === event.part.seq ? event.part : part) }
    case "asked":
      return { ...state, approvals: new Map([...state.approvals, [event.approval, event.turn]]) }
    case "phase":
      return state.phase === "suspended" && event.phase !== "removed" ? state : { ...state, phase: event.phase }
    case "broke":
      return { ...state, broken: event.error }
  }
}

const inOrder = (one: Pending, other: Pending): number => rankOf(one) - rankOf(other) || one.turn - other.turn

const rankOf = ({ isUrgent = false, resume }: Pending): number => resume !== null ? 0 : isUrgent ? 1 : 2

const noted = (state: SessionState, part: Part): SessionState => {
  switch (part.type) {
    case "approval":
      return reduce(state, { type: "asked", approval: part.id, turn: part.turn })
    case "approval-answer":
      return { ...state, approvals: new Map([...state.approvals].filter(([id]) => id !== part.id)) }
    case "question":
      return { ...state, questions: new Set([...state.questions, part.id]) }
    case "question-answer":
      return { ...state, questions: new Set([...state.questions].filter((id) => id !== part.id)) }
    case "finish": {
      const approvals = new Map([...state.approvals].filter(([, turn]) => turn !== part.turn))
      // A listener who reads the end of a turn may send at once, and must not find the chat still busy.
      return withoutRunning({ ...state, approvals }, part.turn)
    }
    default:
      return state
  }
}

const withoutRunning = (state: SessionState, turn: number): SessionState =>
  state.running?.turn === turn ? { ...state, running: null } : state

/** The order of a list of chats. */
export const lastUsedFirst = (one: ChatSummary, other: ChatSummary): number =>
  compare(other.updatedAt, one.updatedAt) || compare(other.createdAt, one.createdAt)

const compare = (one: string, other: string): number => one === other ? 0 : one < other ? -1 : 1
