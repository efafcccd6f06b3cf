/** A database that does not answer for some seconds, and is waited for. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { isSqlError } from "effect/sql/SqlError"

/** Whether what failed may do again soon. The write whose answer was lost may be in the database. */
export const isAway = (error: unknown): boolean =>
  isSqlError(error) && (error.isRetryable || isRefusal(error.reason.cause))

/** PostgreSQL ends, starts, or has too many clients. The driver takes that for no errors of a connection. */
const isRefusal = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && /^(57P|53300)/.test(cause.code)

/** Asks again, five times a second and for as long as the caller waits, while the database is away. */
export const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, { schedule: Schedule.spaced("200 millis"), while: isAway })
