/** One chat while somebody uses it: who listens, which turn runs, what waits. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type * as Tracer from "effect/Tracer"
import type { ChatRecord, ChatSummary } from "../model/Chat.ts"
import type { Part, TurnPart } from "../model/Part.ts"
import type { ChatHead, TurnStart } from "../store/ChatKeeping.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"

/** A turn that has not begun, or that goes on after a restart. */
export interface Pending {
  readonly turn: number
  /** What it has already; null when it has not begun. */
  readonly resume: ReadonlyArray<Part> | null
  /** The span of whoever sent the message, where traces are kept. */
  readonly sentIn?: Tracer.AnySpan | null
}

/** What changes of one chat. Only the modules of `Chats` write to it. */
export interface ChatSession {
  readonly id: string
  readonly store: ChatStore["Service"]
  readonly news: ChatNews
  /** Closes when the chat leaves memory. */
  readonly scope: Scope.Scope
  /** One write after the other. */
  readonly writing: Semaphore.Semaphore
  /** One message after the other. */
  readonly sending: Semaphore.Semaphore
  record: ChatRecord
  /** Every turn, without what came of it. */
  readonly turns: Map<number, TurnStart>
  lastTurn: number
  /** The last part that can be read. */
  lastSeq: number
  /** The parts of the last write: who listens and keeps up reads them here. */
  lastParts: ReadonlyArray<Part>
  running: { readonly turn: number; readonly fiber: Fiber.Fiber<unknown, unknown> } | null
  readonly queue: Array<Pending>
  /** The calls that wait for a person, with their turns. */
  readonly approvals: Map<string, number>
  /** The questions of servers that wait; each is answered or cancelled before its call is over. */
  readonly questions: Set<string>
  /** Parts on their way to the store. */
  readonly unwritten: Array<{ readonly turn: number; part: TurnPart }>
  /** When the last write ended, in milliseconds. */
  writtenAt: number
  isWriting: boolean
  isWritePlanned: boolean
  /** Done at the next part; then another takes its place. */
  heard: Deferred.Deferred<void>
  /** Takes no message any more. */
  removing: boolean
  removed: boolean
  /** The program ends: what is stopped now was interrupted. */
  ending: boolean
  /** Nothing is written any more: the next start goes on from what is stored. */
  suspended: boolean
  /** What the store could not do; nothing is written until the chat is read again. */
  broken: ChatStoreFailed | null
}

/** The session of a chat as it is stored. */
export const make = (
  { lastSeq, lastTurn, record, turns }: ChatHead,
  services: Pick<ChatSession, "store" | "news" | "scope">
): ChatSession => ({
  ...services,
  id: record.id,
  writing: Semaphore.makeUnsafe(1),
  sending: Semaphore.makeUnsafe(1),
  record,
  turns: new Map(turns.map((start) => [start.turn, start])),
  lastTurn,
  lastSeq,
  lastParts: [],
  running: null,
  queue: [],
  approvals: new Map(),
  questions: new Set(),
  unwritten: [],
  writtenAt: Number.NEGATIVE_INFINITY,
  isWriting: false,
  isWritePlanned: false,
  heard: Deferred.makeUnsafe(),
  removing: false,
  removed: false,
  ending: false,
  suspended: false,
  broken: null
})

/** The line of a list that stands for this chat now. */
export const summary = ({ approvals, questions, queue, record, running }: ChatSession): ChatSummary => ({
  ...record,
  running: running?.turn ?? null,
  waiting: queue.length,
  approvals: approvals.size,
  questions: questions.size
})

/** Tells the list that something of this chat changed. */
export const tell = (session: ChatSession): void => {
  if (!session.removed) session.news.tell({ type: "chat", chat: summary(session) })
}

/** Changes what is known of the chat besides its turns, in the store first. */
export const change = (
  session: ChatSession,
  changed: (record: ChatRecord) => ChatRecord
): Effect.Effect<void, ChatStoreFailed> =>
  session.writing.withPermit(Effect.suspend(() => {
    const record = changed(session.record)
    if (session.removed || record === session.record) return Effect.void
    return Effect.map(session.store.put(record), () => {
      session.record = record
      tell(session)
    })
  })).pipe(Effect.uninterruptible)

/** Changes what is known of a turn besides its parts, in the store first. */
export const putTurn = (session: ChatSession, start: TurnStart): Effect.Effect<void, ChatStoreFailed> =>
  Effect.map(session.store.putTurn(session.id, start), () => void session.turns.set(start.turn, start))

/** Ends the streams of who listens, once they have read what there is. */
export const close = (session: ChatSession): void => {
  session.removed = true
  wake(session)
  session.news.tell({ type: "chat-removed", id: session.id })
}

/** Lets those who listen look again. */
export const wake = (session: ChatSession): void => {
  const { heard } = session
  session.heard = Deferred.makeUnsafe()
  Deferred.doneUnsafe(heard, Effect.void)
}

/** How many parts a listener holds at once, and how many bytes of them beyond the first. */
const BATCH = 256
const BATCH_BYTES = 262_144

/**
 * The parts after a number, then each new one. A listener holds a position, one part and 255 more of 256 KB together,
 * however slow it is; who keeps up reads what was just written, the others read from the store, so that nothing is lost
 * or comes twice. Fails when the chat cannot be kept any more.
 */
export const events = (session: ChatSession, after: number): Stream.Stream<Part, ChatStoreFailed> => {
  const next = (position: number): Effect.Effect<
    readonly [ReadonlyArray<Part>, Option.Option<number>],
    ChatStoreFailed
  > =>
    Effect.suspend(() => {
      // Taken before reading: a part that comes in between is then no reason to wait.
      const { broken, heard, removed } = session
      return Effect.flatMap(read(session, position), (parts) => {
        const last = parts.at(-1)
        if (last !== undefined) return Effect.succeed([parts, Option.some(last.seq)] as const)
        if (broken !== null) return Effect.fail(broken)
        if (removed) return Effect.succeed([[], Option.none()] as const)
        return Effect.andThen(Deferred.await(heard), next(position))
      })
    })
  return Stream.paginate(Math.max(0, after), next)
}

const read = (session: ChatSession, position: number): Effect.Effect<ReadonlyArray<Part>, ChatStoreFailed> => {
  const { id, lastParts, lastSeq, removed, store } = session
  if (removed || position >= lastSeq) return Effect.succeed([])
  const first = lastParts[0]
  if (first !== undefined && first.seq <= position + 1) return Effect.succeed(lastParts.slice(position + 1 - first.seq))
  // What is stored and not shown yet waits for its turn's end to be stored, too.
  return Effect.map(
    store.parts(id, position, BATCH, BATCH_BYTES),
    (parts) => parts.filter(({ seq }) => seq <= session.lastSeq)
  )
}

/** One change of the list. */
export type ChatChange =
  | { readonly type: "chat"; readonly chat: ChatSummary }
  | { readonly type: "chat-removed"; readonly id: string }

/** Tells changes to all who listen. */
export interface ChatNews {
  readonly tell: (change: ChatChange) => void
  /**
   * Each change from now on. Who is slow gets only the last change of each chat, so nobody holds more than one a chat.
   */
  readonly changes: Stream.Stream<ChatChange>
}

interface Listener {
  readonly waiting: Map<string, ChatChange>
  news: Deferred.Deferred<void>
}

/** News that nobody listens to yet. */
export const makeNews = (): ChatNews => {
  const listeners = new Set<Listener>()
  const listen = Effect.acquireRelease(
    Effect.sync(() => {
      const listener: Listener = { waiting: new Map(), news: Deferred.makeUnsafe() }
      listeners.add(listener)
      return listener
    }),
    (listener) => Effect.sync(() => listeners.delete(listener))
  )
  return {
    tell: (change) => {
      for (const listener of listeners) hear(listener, change)
    },
    changes: Stream.unwrap(Effect.map(listen, (listener) => Stream.fromIterableEffectRepeat(take(listener))))
  }
}

const hear = (listener: Listener, change: ChatChange): void => {
  const id = change.type === "chat" ? change.chat.id : change.id
  // The last that changed stands last.
  listener.waiting.delete(id)
  listener.waiting.set(id, change)
  Deferred.doneUnsafe(listener.news, Effect.void)
}

const take = (listener: Listener): Effect.Effect<ReadonlyArray<ChatChange>> =>
  Effect.suspend(() =>
    Effect.map(Deferred.await(listener.news), () => {
      const all = [...listener.waiting.values()]
      listener.waiting.clear()
      listener.news = Deferred.makeUnsafe()
      return all
    })
  )
