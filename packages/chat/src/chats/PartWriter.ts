/** Gives the parts of a chat their numbers, and stores each part before a listener sees it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Part, TurnPart } from "../model/Part.ts"
import type { ChatStoreFailed } from "../store/ChatStore.ts"
import * as ChatSession from "./ChatSession.ts"

/** With so many characters of text waiting, `write` waits for the store: it slows down a model that is faster. */
const MOST_CHARACTERS = 65_536

/**
 * Gives a part its number, stores it and wakes the listeners. Text that comes within `window` after a write, or during one,
 * is collected: this returns at once, and the collected text is stored as one part. Any other part is stored when this
 * returns, and so is the text before it. Uninterruptible: no part is lost, and no number is left out. Does nothing once
 * the chat cannot be stored, is suspended or is removed.
 */
export const write = (session: ChatSession.ChatSession, turn: number, part: TurnPart): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (isMute(session)) return Effect.void
    const characters = add(session.outbox, turn, part)
    return isText(part) && characters < MOST_CHARACTERS ? soon(session) : flush(session)
  }).pipe(Effect.uninterruptible)

/** Gives parts of several turns their numbers and stores them, all or none, as `write` does. */
export const writeAll = (
  session: ChatSession.ChatSession,
  parts: ReadonlyArray<readonly [turn: number, part: TurnPart]>
): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (isMute(session)) return Effect.void
    for (const [turn, part] of parts) add(session.outbox, turn, part)
    return flush(session)
  }).pipe(Effect.uninterruptible)

export const flush = (session: ChatSession.ChatSession): Effect.Effect<void> => {
  const { outbox, store, writing } = session
  return writing.withPermit(Effect.suspend(() => {
    if (isMute(session) || outbox.parts.length === 0) return Effect.void
    outbox.isWriting = true
    const first = session.state.lastSeq + 1
    const parts = outbox.parts.splice(0).map(({ part, turn }, at): Part => ({ ...part, seq: first + at, turn }))
    return store.append(session.id, parts).pipe(
      Effect.andThen(endTurns(session, parts)),
      Effect.andThen(Clock.currentTimeMillis),
      Effect.map((now) => {
        outbox.writtenAt = now
        ChatSession.happened(session, { type: "written", parts })
      })
    )
  })).pipe(
    Effect.catch((error) => breakOff(session, error)),
    Effect.ensuring(Effect.sync(() => void (outbox.isWriting = false))),
    Effect.uninterruptible
  )
}

/** Ends the turn that runs and the streams of the listeners: nothing can be kept any more. */
export const breakOff = (session: ChatSession.ChatSession, error: ChatStoreFailed): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (session.state.broken !== null) return Effect.void
    ChatSession.happened(session, { type: "broke", error })
    session.state.running?.fiber.interruptUnsafe()
    return Effect.logError(`the chat ${session.id} cannot be kept: ${error.message}`)
  }).pipe(Effect.uninterruptible)

const isMute = ({ state: { broken, phase } }: ChatSession.ChatSession): boolean =>
  broken !== null || phase === "suspended" || phase === "removed"

type Text = Extract<TurnPart, { type: "text-delta" | "reasoning-delta" }>

const isText = (part: TurnPart): part is Text => part.type === "text-delta" || part.type === "reasoning-delta"

const add = ({ parts }: ChatSession.Outbox, turn: number, part: TurnPart): number => {
  const last = parts.at(-1)
  if (!isText(part)) return parts.push({ turn, part })
  if (last?.turn !== turn || last.part.type !== part.type) {
    parts.push({ turn, part })
    return part.text.length
  }
  const text = last.part.text + part.text
  last.part = { ...part, text }
  return text.length
}

const soon = (session: ChatSession.ChatSession): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { outbox } = session
    if (outbox.isWritePlanned) return
    const passed = (yield* Clock.currentTimeMillis) - outbox.writtenAt
    if (passed >= session.window && !outbox.isWriting) return yield* flush(session)
    outbox.isWritePlanned = true
    const planned = Effect.suspend(() => {
      outbox.isWritePlanned = false
      return flush(session)
    })
    yield* Effect.forkIn(Effect.delay(planned, Math.max(1, session.window - passed)), session.scope)
  })

const endTurns = (session: ChatSession.ChatSession, parts: ReadonlyArray<Part>): Effect.Effect<void, ChatStoreFailed> =>
  Effect.forEach(parts, (part) => {
    const start = part.type === "finish" ? session.state.turns.get(part.turn) : undefined
    return start === undefined ? Effect.void : ChatSession.putTurn(session, { ...start, state: "ended" })
  }, { discard: true })
