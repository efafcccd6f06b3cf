/**
 * Messages that are typed while a turn runs. A running server keeps them in its queue, where the page shows them too and
 * they are answered even if this command ends.
 */
import * as Commands from "@boocode/chat/Commands"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Message } from "../backend/ChatBackend.ts"
import type { RunningTurn } from "../backend/ChatConversation.ts"
import type { Failed } from "../terminal/Failure.ts"

/** A message that was sent early: its turn, as soon as the server has taken it. */
type Sent = Deferred.Deferred<RunningTurn, Failed>

export interface EarlyMessages {
  /** Takes a message that waits at the keyboard. It is sent while a turn runs, unless a command waits before it. */
  readonly add: (text: string) => void
  /** The next message of the keyboard is taken. Gives its turn when it was sent; null when it still has to be. */
  readonly taken: () => Sent | null
  /** Sends early messages while this runs. */
  readonly during: <A, E, R>(turn: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Sends one message after the other with `say`, until the scope closes; without a server that keeps them it sends none. */
export const make = Effect.fnUntraced(function*(
  hasQueue: boolean,
  say: (message: Message) => Effect.Effect<RunningTurn, Failed>
): Effect.fn.Return<EarlyMessages, never, Scope.Scope> {
  const sending = yield* Queue.unbounded<{ readonly text: string; readonly sent: Sent }>()
  let waiting: ReadonlyArray<Sent | null> = []
  let isRunning = false
  yield* Queue.take(sending).pipe(
    Effect.flatMap(({ sent, text }) => Deferred.complete(sent, say({ text }))),
    Effect.forever,
    Effect.forkScoped
  )
  const add = (text: string): void => {
    // A command may begin another chat: what comes after it is sent when it is done.
    const isSent = hasQueue && isRunning && !waiting.includes(null) &&
      Commands.parse(text, "terminal")?._tag !== "Command"
    const sent: Sent | null = isSent ? Deferred.makeUnsafe() : null
    waiting = [...waiting, sent]
    if (sent !== null) Queue.offerUnsafe(sending, { text, sent })
  }
  const taken = () => {
    const [first = null, ...rest] = waiting
    waiting = rest
    return first
  }
  const run = (isNow: boolean) => Effect.sync(() => void (isRunning = isNow))
  return { add, taken, during: (turn) => Effect.ensuring(Effect.andThen(run(true), turn), run(false)) }
})
