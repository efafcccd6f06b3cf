/** One chat in memory: its state, what is on its way to the store, and the parts that listeners read. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { ChatRecord } from "../model/Chat.ts"
import { UnknownChat } from "../model/ChatError.ts"
import type { Part, TurnPart } from "../model/Part.ts"
import type { ChatHead, ChatStore, ChatStoreFailed, TurnStart } from "../store/ChatStore.ts"
import * as CallDrafts from "../tools/CallDrafts.ts"
import type { ChatNews } from "./ChatNews.ts"
import * as SessionState from "./SessionState.ts"

export interface ChatSession {
  readonly id: string
  readonly store: ChatStore["Service"]
  readonly news: ChatNews
  /** Closes when the chat leaves memory. */
  readonly scope: Scope.Scope
  /** A piece of text waits at most so many milliseconds for more text. */
  readonly window: number
  /** One write after the other. */
  readonly writing: Semaphore.Semaphore
  /** One message after the other. */
  readonly sending: Semaphore.Semaphore
  readonly outbox: Outbox
  /** The calls that its model writes just now. */
  readonly drafts: CallDrafts.CallDrafts
  /** Only `happened` changes it. */
  state: SessionState.SessionState
  /** Done when listeners may find more to read; then another takes its place. */
  heard: Deferred.Deferred<void>
}

/** Parts on their way to the store. Text is joined here, thousands of times in a turn. Only `PartWriter` changes it. */
export interface Outbox {
  readonly parts: Array<{ readonly turn: number; part: TurnPart }>
  /** When the last write ended, in milliseconds. */
  writtenAt: number
  isWriting: boolean
  isWritePlanned: boolean
}

/** A piece of text waits at most this long for more text, where nothing else is said. */
const WINDOW_MILLIS = 30

export const make = (
  head: ChatHead,
  services: Pick<ChatSession, "store" | "news" | "scope"> & Partial<Pick<ChatSession, "window">>
): ChatSession => ({
  ...services,
  window: services.window ?? WINDOW_MILLIS,
  id: head.record.id,
  writing: Semaphore.makeUnsafe(1),
  sending: Semaphore.makeUnsafe(1),
  drafts: CallDrafts.make(),
  outbox: { parts: [], writtenAt: Number.NEGATIVE_INFINITY, isWriting: false, isWritePlanned: false },
  state: SessionState.make(head),
  heard: Deferred.makeUnsafe()
})

/** Changes the state. The list hears of it when the line of the chat changes, listeners when there is more to read. */
export const happened = (session: ChatSession, event: SessionState.SessionEvent): void => {
  const before = session.state
  session.state = SessionState.reduce(before, event)
  if (before.phase === "removed") return
  const { broken, lastSeq, phase } = session.state
  if (lastSeq !== before.lastSeq || broken !== before.broken || phase === "removed") {
    const { heard } = session
    session.heard = Deferred.makeUnsafe()
    Deferred.doneUnsafe(heard, Effect.void)
    session.news.wrote(session.id)
  }
  const { owner } = session.state.record
  if (phase === "removed") session.news.tell(owner, { type: "chat-removed", id: session.id })
  else if (SessionState.isNews(before, session.state)) {
    session.news.tell(owner, { type: "chat", chat: SessionState.summary(session.state) })
  }
}

/** Changes the record, in the store first. */
export const change = (
  session: ChatSession,
  changed: (record: ChatRecord) => ChatRecord
): Effect.Effect<void, ChatStoreFailed> =>
  session.writing.withPermit(Effect.suspend(() => {
    const { phase, record: before } = session.state
    const record = changed(before)
    return phase === "removed" || record === before
      ? Effect.void
      : Effect.map(session.store.put(record), () => happened(session, { type: "record-put", record }))
  })).pipe(Effect.uninterruptible)

/** Changes a turn without its parts, in the store first. */
export const putTurn = (session: ChatSession, start: TurnStart): Effect.Effect<void, ChatStoreFailed> =>
  Effect.map(session.store.putTurn(session.id, start), () => happened(session, { type: "turn-put", start }))

/** How many parts a listener holds at once, and how many bytes of them beyond the first. */
const BATCH = 256
const BATCH_BYTES = 262_144

/**
 * The parts with a `seq` above `after`, then each new one, until the chat is removed. A listener holds a position and
 * at most 256 parts, of 256 KB beyond the first, however slow it is. Nothing is lost or comes twice: a listener who
 * keeps up reads what was just written, the others read from the store. Fails when the chat cannot be kept any more.
 */
export const events = (session: ChatSession, after: number): Stream.Stream<Part, ChatStoreFailed> => {
  const next = (position: number): Effect.Effect<
    readonly [ReadonlyArray<Part>, Option.Option<number>],
    ChatStoreFailed
  > =>
    Effect.suspend(() => {
      // Taken before reading: a part that comes in between is then no reason to wait.
      const { heard, state: { broken, phase } } = session
      return Effect.flatMap(read(session, position), (parts) => {
        const last = parts.at(-1)
        if (last !== undefined) return Effect.succeed([parts, Option.some(last.seq)] as const)
        if (broken !== null) return Effect.fail(broken)
        if (phase === "removed") return Effect.succeed([[], Option.none()] as const)
        return Effect.andThen(Deferred.await(heard), next(position))
      })
    })
  return Stream.paginate(Math.max(0, after), next)
}

const read = (session: ChatSession, position: number): Effect.Effect<ReadonlyArray<Part>, ChatStoreFailed> => {
  const { lastParts, lastSeq, phase } = session.state
  if (phase === "removed" || position >= lastSeq) return Effect.succeed([])
  const first = lastParts[0]
  if (first !== undefined && first.seq <= position + 1) return Effect.succeed(lastParts.slice(position + 1 - first.seq))
  // A part that is stored and not shown yet waits for its turn's end to be stored, too.
  return Effect.map(
    session.store.parts(session.id, position, BATCH, BATCH_BYTES),
    (parts) => parts.filter(({ seq }) => seq <= lastSeq)
  )
}

/** Waits until nothing of the chat runs or waits, it cannot be kept any more, or its program ends. */
export const idle = (session: ChatSession): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { heard, state: { broken, phase, queue, running } } = session
    if (running === null && queue.length === 0 || broken !== null || phase !== "open") return Effect.void
    // A turn ends with a part that is heard of; one that a person dropped, and a removal, are looked after.
    return Effect.andThen(Effect.timeoutOption(Deferred.await(heard), LOOK_AFTER), idle(session))
  })

const LOOK_AFTER = "1 second"

export const refuseRemoved = ({ id, state }: ChatSession): Effect.Effect<void, UnknownChat> =>
  state.phase === "removed" ? Effect.fail(new UnknownChat({ id })) : Effect.void
