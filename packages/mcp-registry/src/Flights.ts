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
  /** Counts somebody who is no call, but needs the server to be awake, such as a watcher. */
  readonly attended: <A, E, R>(stay: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits until there is no call. */
  readonly none: Effect.Effect<void>
  /** Waits until nobody needs the server. */
  readonly idle: Effect.Effect<void>
  /** How many need the server, calls and others. */
  readonly count: () => number
  /** When there was last one, in milliseconds of the clock; null before that. */
  readonly landedAt: () => number | null
}

/** No call is on its way. @category constructors */
export const make: Effect.Effect<Flights> = Effect.map(Clock.Clock, (clock) => {
  let landedAt: number | null = null
  const onLast = () => {
    landedAt = clock.currentTimeMillisUnsafe()
  }
  const calls = counter(onLast)
  const stays = counter(onLast)
  const count = () => calls.count() + stays.count()
  return {
    during: counted(calls),
    attended: counted(stays),
    none: calls.none,
    // Each may come while the other is waited for.
    idle: Effect.repeat(Effect.andThen(calls.none, stays.none), { until: () => count() === 0 }),
    count,
    landedAt: () => landedAt
  }
})

/** It is counted only once its end is sure to be noticed: an interruption may come between any two steps. */
const counted = ({ add, remove }: Counter) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isCounted = false
    const begun = Effect.suspend(() => {
      isCounted = true
      add()
      return effect
    })
    return Effect.onExitPrimitive(begun, () => {
      if (isCounted) remove()
      return undefined
    })
  })

type Counter = ReturnType<typeof counter>

const counter = (onLast: () => void) => {
  const latch = Latch.makeUnsafe(true)
  let count = 0
  return {
    none: latch.await,
    count: () => count,
    add: () => {
      count += 1
      if (count === 1) Latch.closeUnsafe(latch)
    },
    remove: () => {
      count -= 1
      if (count > 0) return
      onLast()
      Latch.openUnsafe(latch)
    }
  }
}
