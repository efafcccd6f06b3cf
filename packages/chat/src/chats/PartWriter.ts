/** How the parts of a chat are numbered and kept before anyone sees them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Part, TurnPart } from "../model/Part.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ChatSession from "./ChatSession.ts"

/** How long a piece of text waits for more of it, at most. */
const WINDOW_MILLIS = 30
/** A model that writes faster than the store waits for it. */
const MOST_CHARACTERS = 65_536

/**
 * Numbers a part, keeps it and wakes who listens. Text that comes within 30 ms of a write, or while one goes on, is
 * answered at once and kept together as one part; everything else is kept when this ends, with the text before it. Not
 * interrupted half-way, so that nothing is lost and no number is missing. Does nothing once the chat cannot be kept.
 */
export const write = (session: ChatSession.ChatSession, turn: number, part: TurnPart): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (isMute(session)) return Effect.void
    const characters = add(session, turn, part)
    return isText(part) && characters < MOST_CHARACTERS ? soon(session) : flush(session)
  }).pipe(Effect.uninterruptible)

/** Keeps what is on its way. */
export const flush = (session: ChatSession.ChatSession): Effect.Effect<void> =>
  session.writing.withPermit(Effect.suspend(() => {
    if (isMute(session) || session.unwritten.length === 0) return Effect.void
    session.isWriting = true
    const first = session.lastSeq + 1
    const parts = session.unwritten.splice(0).map(({ part, turn }, at): Part => ({ ...part, seq: first + at, turn }))
    return session.store.append(session.id, parts).pipe(
      Effect.andThen(endTurns(session, parts)),
      Effect.andThen(Clock.currentTimeMillis),
      Effect.map((now) => show(session, parts, now))
    )
  })).pipe(
    Effect.catch((error) => breakOff(session, error)),
    Effect.ensuring(Effect.sync(() => void (session.isWriting = false))),
    Effect.uninterruptible
  )

/** Ends the turn that runs and the streams of who listens: nothing can be kept any more. */
export const breakOff = (session: ChatSession.ChatSession, error: ChatStoreFailed): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (session.broken !== null) return Effect.void
    session.broken = error
    session.running?.fiber.interruptUnsafe()
    ChatSession.wake(session)
    return Effect.logError(`the chat ${session.id} cannot be kept: ${error.message}`)
  }).pipe(Effect.uninterruptible)

const isMute = ({ broken, removed, suspended }: ChatSession.ChatSession): boolean =>
  broken !== null || suspended || removed

type Text = Extract<TurnPart, { type: "text-delta" | "reasoning-delta" }>

const isText = (part: TurnPart): part is Text => part.type === "text-delta" || part.type === "reasoning-delta"

/** Gives the length of the text that waits now. */
const add = ({ unwritten }: ChatSession.ChatSession, turn: number, part: TurnPart): number => {
  const last = unwritten.at(-1)
  if (!isText(part)) return unwritten.push({ turn, part })
  if (last?.turn !== turn || last.part.type !== part.type) {
    unwritten.push({ turn, part })
    return part.text.length
  }
  const text = last.part.text + part.text
  last.part = { ...part, text }
  return text.length
}

const soon = (session: ChatSession.ChatSession): Effect.Effect<void> =>
  Effect.gen(function*() {
    if (session.isWritePlanned) return
    const passed = (yield* Clock.currentTimeMillis) - session.writtenAt
    if (passed >= WINDOW_MILLIS && !session.isWriting) return yield* flush(session)
    session.isWritePlanned = true
    const planned = Effect.suspend(() => {
      session.isWritePlanned = false
      return flush(session)
    })
    yield* Effect.forkIn(Effect.delay(planned, Math.max(1, WINDOW_MILLIS - passed)), session.scope)
  })

const endTurns = (session: ChatSession.ChatSession, parts: ReadonlyArray<Part>): Effect.Effect<void, ChatStoreFailed> =>
  Effect.forEach(parts, (part) => {
    const start = part.type === "finish" ? session.turns.get(part.turn) : undefined
    return start === undefined ? Effect.void : ChatSession.putTurn(session, { ...start, state: "ended" })
  }, { discard: true })

const show = (session: ChatSession.ChatSession, parts: ReadonlyArray<Part>, now: number): void => {
  session.lastSeq += parts.length
  session.lastParts = parts
  session.writtenAt = now
  const before = ChatSession.summary(session)
  for (const part of parts) note(session, part)
  ChatSession.wake(session)
  const after = ChatSession.summary(session)
  const isNews = after.running !== before.running || after.approvals !== before.approvals ||
    after.questions !== before.questions
  if (isNews) ChatSession.tell(session)
}

const note = (session: ChatSession.ChatSession, part: Part): void => {
  if (part.type === "approval") session.approvals.set(part.id, part.turn)
  if (part.type === "approval-answer") session.approvals.delete(part.id)
  if (part.type === "question") session.questions.add(part.id)
  if (part.type === "question-answer") session.questions.delete(part.id)
  if (part.type !== "finish") return
  for (const [id, turn] of session.approvals) if (turn === part.turn) session.approvals.delete(id)
  // Who reads the end of a turn may send at once, and must not find the chat still busy.
  if (session.running?.turn === part.turn) session.running = null
}
