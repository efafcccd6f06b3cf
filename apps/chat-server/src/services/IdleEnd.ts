/** A server that ends when nobody has used it for a while: such a server was started for programs that come and go. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

/** Whether this server ends by itself, and what keeps it. Without a value it does not. */
export class IdleEnd extends Context.Reference<{
  /** Null for a server that a person ends. */
  readonly limit: Duration.Duration | null
  /** Keeps the server until the scope closes: a request whose answer is not over, or a turn. */
  readonly hold: Effect.Effect<void, never, Scope.Scope>
  /** Ends the server now: another one serves the same folder. */
  readonly end: Effect.Effect<void>
  /** Done when nothing held the server for as long as the limit, or it is to end now. */
  readonly ended: Effect.Effect<void>
}>("chat-server/IdleEnd", {
  defaultValue: () => ({ limit: null, hold: Effect.void, end: Effect.void, ended: Effect.never })
}) {}

/** Counts from now on. */
export const make = (limit: Duration.Duration): Effect.Effect<typeof IdleEnd.Service> =>
  Effect.map(Clock.currentTimeMillis, (began) => {
    let holders = 0
    let free = began
    const over = Deferred.makeUnsafe<void>()
    const enter = Effect.sync(() => {
      holders++
    })
    const leave = Effect.map(Clock.currentTimeMillis, (now) => {
      holders--
      free = now
    })
    const left = Effect.map(
      Clock.currentTimeMillis,
      (now) => holders > 0 ? Duration.toMillis(limit) : free + Duration.toMillis(limit) - now
    )
    const idle: Effect.Effect<void> = Effect.flatMap(
      left,
      (millis) => millis <= 0 ? Effect.void : Effect.andThen(Effect.sleep(millis), idle)
    )
    return {
      limit,
      // `Effect.acquireRelease` would keep all services of each request for the release.
      hold: Effect.uninterruptible(
        Effect.flatMap(Effect.scope, (scope) => Effect.andThen(enter, Scope.addFinalizer(scope, leave)))
      ),
      end: Effect.asVoid(Deferred.succeed(over, undefined)),
      ended: Effect.raceFirst(idle, Deferred.await(over))
    }
  })
