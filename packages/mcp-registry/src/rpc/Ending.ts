/**
 * What is to end at once with a reason, although it is waiting for something else than an answer.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Call } from "../Connection.ts"
import type { McpErrorReason } from "../McpError.ts"

/**
 * Goes on with a call in a way that takes several requests, or waits in between: what is handed out here ends all of it,
 * and takes the place of what its first request handed out. `onTimedOut` is told where the reason is a time limit.
 *
 * @category combinators
 */
export const around = <A>(
  onStarted: Call["onStarted"],
  rest: Effect.Effect<A, McpErrorReason>,
  onTimedOut?: () => void
): Effect.Effect<A, McpErrorReason> =>
  onStarted === undefined ? rest : Effect.suspend(() => {
    const ended = Deferred.makeUnsafe<never, McpErrorReason>()
    onStarted((reason) => {
      Deferred.doneUnsafe(ended, Effect.fail(reason))
      if (reason._tag === "CallTimeout") onTimedOut?.()
    })
    return Effect.raceFirst(rest, Deferred.await(ended))
  })
