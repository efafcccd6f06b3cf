/**
 * How many servers of a registry connect at the same time, where somebody limits it (R17).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"

/**
 * The turns that there are; null, for all at once, without a limit.
 *
 * @category references
 */
export class ConnectTurn extends Context.Reference<Semaphore.Semaphore | null>("mcp-registry/ConnectTurn", {
  defaultValue: () => null
}) {}

/** Waits for a turn, which has no limit of its own, and gives it back when the attempt is over. @category combinators */
export const during = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ConnectTurn, (turns) => turns === null ? attempt : turns.withPermit(attempt))
