/**
 * One chat while the program runs: who listens, which turn runs, what waits.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Message } from "./Chat.ts"
import type { ChatStore, StoredChat } from "./ChatStore.ts"
import type { Part, TurnPart } from "./Part.ts"

/** A message with the number of its turn. @category models */
export interface Pending {
  readonly turn: number
  readonly message: Message
}

/** What changes of one chat. Only `Chats` and this module write to it. @category models */
export interface ChatSession {
  readonly id: string
  /** Numbers and keeps one part after the other. */
  readonly writing: Semaphore.Semaphore
  lastSeq: number
  lastTurn: number
  running: { readonly turn: number; readonly fiber: Fiber.Fiber<unknown, unknown> } | null
  readonly queue: Array<Pending>
  /** Done at the next part; then another takes its place. */
  news: Deferred.Deferred<void>
  /** Takes no message any more. */
  removing: boolean
  removed: boolean
}

/**
 * The session of a chat as it is stored.
 *
 * @category constructors
 */
export const make = ({ lastSeq, lastTurn, record }: StoredChat): ChatSession => ({
  id: record.id,
  writing: Semaphore.makeUnsafe(1),
  lastSeq,
  lastTurn,
  running: null,
  queue: [],
  news: Deferred.makeUnsafe(),
  removing: false,
  removed: false
})

/**
 * Numbers a part, keeps it and wakes who listens. Not interrupted half-way, so that no number is ever missing.
 *
 * @category writing
 */
export const publish = (
  session: ChatSession,
  store: ChatStore["Service"],
  turn: number,
  part: TurnPart
): Effect.Effect<void> =>
  session.writing.withPermit(Effect.suspend(() => {
    session.lastSeq += 1
    return Effect.andThen(
      store.append(session.id, { ...part, seq: session.lastSeq, turn }),
      Effect.sync(() => {
        // Who reads the end of a turn may send at once, and must not find the chat still busy.
        if (part.type === "finish" && session.running?.turn === turn) session.running = null
        wake(session)
      })
    )
  })).pipe(Effect.uninterruptible)

/**
 * Ends the streams of who listens, once they have read what there is.
 *
 * @category writing
 */
export const close = (session: ChatSession): void => {
  session.removed = true
  wake(session)
}

const wake = (session: ChatSession): void => {
  const { news } = session
  session.news = Deferred.makeUnsafe()
  Deferred.doneUnsafe(news, Effect.void)
}

/** How many parts a listener holds at once. */
const BATCH = 256

/**
 * The parts after a number, then each new one. A listener holds a position and at most 256 parts, however slow it is;
 * it reads the rest from the store, so that nothing is lost or comes twice.
 *
 * @category reading
 */
export const events = (
  session: ChatSession,
  store: ChatStore["Service"],
  after: number
): Stream.Stream<Part> => {
  const next = (position: number): Effect.Effect<readonly [ReadonlyArray<Part>, Option.Option<number>]> =>
    Effect.suspend(() => {
      // Taken before reading: a part that comes in between is then no reason to wait.
      const { news, removed } = session
      return Effect.flatMap(store.parts(session.id, position, BATCH), (parts) => {
        const last = parts.at(-1)
        if (last !== undefined) return Effect.succeed([parts, Option.some(last.seq)] as const)
        if (removed) return Effect.succeed([[], Option.none()] as const)
        return Effect.andThen(Deferred.await(news), next(position))
      })
    })
  return Stream.paginate(Math.max(0, after), next)
}
