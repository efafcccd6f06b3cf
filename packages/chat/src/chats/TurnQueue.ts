/**
 * Which turn of a chat runs: one at a time, in the order of their messages, until it ends, is stopped, or the program
 * ends.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import { Spending, TurnsAtOnce } from "../spending/Spending.ts"
import type { ChatStore, ChatStoreFailed } from "../store/ChatStore.ts"
import { asOwner } from "../users/CurrentUser.ts"
import * as ChatSession from "./ChatSession.ts"
import type { ChatSessions } from "./ChatSessions.ts"
import type * as ChatTurns from "./ChatTurns.ts"
import * as PartWriter from "./PartWriter.ts"
import type { Pending } from "./SessionState.ts"
import type { FirstTurn } from "./Titles.ts"

/** A queue in which no turn runs yet. Turns end with the scope. */
export const make = Effect.fnUntraced(function*(
  sessions: ChatSessions,
  turns: ChatTurns.ChatTurns,
  named: (id: string, first: FirstTurn) => Effect.Effect<void>
) {
  let closing = false
  const leaving = new WeakSet<ChatSession.ChatSession>()
  const titling = yield* FiberSet.make()
  const fibers = yield* FiberSet.make()

  const isReady = (session: ChatSession.ChatSession) =>
    session.state.running === null && !closing && !leaving.has(session) && session.state.phase === "open" &&
    session.state.broken === null

  /** Starts the next turn that waits, unless one runs. The turn runs before anything else can happen. */
  const startNext = (session: ChatSession.ChatSession): Effect.Effect<void> =>
    Effect.suspend(() => {
      const next = isReady(session) ? session.state.queue[0] : undefined
      return next === undefined ? Effect.void : FiberSet.run(fibers, run(session, next), { startImmediately: true })
    }).pipe(Effect.uninterruptible)

  const run = (session: ChatSession.ChatSession, next: Pending): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      ChatSession.happened(session, { type: "begun", pending: next, fiber })
      // The chat stays in memory while its turn runs.
      return sessions.hold(session.id).pipe(
        Effect.andThen(asOwner(session.state.record.owner, turns.run(session, next))),
        Effect.flatMap((first) =>
          first === null || closing ? Effect.void : FiberSet.run(titling, named(session.id, first))
        ),
        Effect.catch(() => Effect.void),
        Effect.ensuring(Effect.suspend(() => ended(session, next.turn))),
        Effect.scoped,
        Effect.asVoid
      )
    })

  const ended = (session: ChatSession.ChatSession, turn: number) => {
    ChatSession.happened(session, { type: "left", turn })
    return session.state.broken === null ? startNext(session) : sessions.forget(session.id)
  }

  /** Ends the turn that runs. Waiting messages go on behind it. Answers when that has happened. */
  const stop = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    // After a message that is just being kept, whose turn is the one to be ended where none runs.
    yield* session.sending.withPermit(startNext(session))
    ChatSession.happened(session, { type: "stopped" })
    yield* interruptRunning(session)
  }, Effect.uninterruptible)

  const suspend = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    yield* PartWriter.flush(session)
    // To the store it looks as if the program had been killed here.
    if (session.state.phase === "open") ChatSession.happened(session, { type: "phase", phase: "suspended" })
    yield* interruptRunning(session)
  })

  /** Starts no turn of a chat any more. One that runs goes on until `patience` ends, unless it waits for a person. */
  const leave = Effect.fnUntraced(function*(session: ChatSession.ChatSession, patience: Effect.Effect<unknown>) {
    leaving.add(session)
    const { approvals, running } = session.state
    if (running !== null && approvals.size === 0) {
      yield* Effect.interruptible(Effect.raceFirst(Fiber.await(running.fiber), patience))
    }
    yield* suspend(session)
  })

  const interrupt = Effect.fnUntraced(function*(session: ChatSession.ChatSession) {
    if (session.state.phase === "open") ChatSession.happened(session, { type: "phase", phase: "ending" })
    yield* interruptRunning(session)
  })

  const running = () => [...sessions.live.values()].filter((session) => session.state.running !== null)

  /**
   * Starts no turn any more. A turn that waits for a person is left as it is stored; the others go on until they end,
   * or until `patience` does: then they finish with `interrupted`. Gives how many ran.
   */
  const close = Effect.fnUntraced(function*(patience: Effect.Effect<unknown>) {
    closing = true
    yield* FiberSet.clear(titling)
    const count = running().length
    const each = (end: (session: ChatSession.ChatSession) => Effect.Effect<void>) =>
      Effect.forEach(running(), end, { concurrency: "unbounded", discard: true })
    yield* each((session) => session.state.approvals.size > 0 ? suspend(session) : Effect.void)
    yield* Effect.raceFirst(FiberSet.awaitEmpty(fibers), patience)
    yield* each((session) => session.state.approvals.size > 0 ? suspend(session) : interrupt(session))
    return count
  })

  return { startNext, stop, leave, close }
})

const interruptRunning = ({ state: { running } }: ChatSession.ChatSession): Effect.Effect<void> =>
  running === null ? Effect.void : Fiber.interrupt(running.fiber)

/** Keeps a message, unless as many other chats of its person are answered as may be. Messages behind a turn of the same chat wait there. */
export type Within = <A, E>(
  session: ChatSession.ChatSession,
  admit: Effect.Effect<A, E>
) => Effect.Effect<A, E | TurnsAtOnce | ChatStoreFailed>

/** Counts the chats of a person of which a turn has not ended. */
export const limited = Effect.fnUntraced(function*(
  store: ChatStore["Service"],
  { live }: Pick<ChatSessions, "live">
): Effect.fn.Return<Within> {
  const { turnsOf } = yield* Spending
  /** Their messages are on the way into the store. */
  const admitting = new Set<ChatSession.ChatSession>()
  const isBusy = (session: ChatSession.ChatSession) =>
    session.state.running !== null || session.state.queue.length > 0 || admitting.has(session)
  return (session, admit) =>
    Effect.gen(function*() {
      const { owner } = session.state.record
      const limit = yield* turnsOf(owner)
      if (limit === null) return yield* admit
      // Other servers may answer chats of this database.
      const elsewhere = (yield* store.busy(owner)).filter((id) => !live.has(id)).length
      const others = [...live.values()].filter((one) => one.state.record.owner === owner && isBusy(one))
      const running = elsewhere + others.length
      if (!isBusy(session) && running >= limit) return yield* new TurnsAtOnce({ running, limit })
      admitting.add(session)
      return yield* Effect.ensuring(admit, Effect.sync(() => admitting.delete(session)))
    })
})
