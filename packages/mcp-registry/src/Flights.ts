/**
 * How many calls are on their way, for whoever waits until there is none, or has been none for a while.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** The calls of one server. @category models */
export interface Flights {
  /** Counts a call for as long as it runs. */
  readonly during: <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits until there is none. */
  readonly none: Effect.Effect<void>
  readonly count: () => number
  /** When the last one ended, in milliseconds of the clock; null before that. */
  readonly landedAt: () => number | null
}

/** No call is on its way. @category constructors */
export const make = (): Flights => {
  const latch = Latch.makeUnsafe(true)
  let count = 0
  let landedAt: number | null = null
  const depart = Effect.sync(() => {
    count += 1
    Latch.closeUnsafe(latch)
  })
  const land = Effect.map(Clock.currentTimeMillis, (now) => {
    landedAt = now
    count -= 1
    if (count === 0) Latch.openUnsafe(latch)
  })
  return {
    during: (call) => Effect.acquireUseRelease(depart, () => call, () => land),
    none: latch.await,
    count: () => count,
    landedAt: () => landedAt
  }
}
