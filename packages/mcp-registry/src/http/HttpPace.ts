/**
 * How fast the streams of an HTTP server are read that bring what nobody asked for: as fast as the pipes of a program.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Background } from "../Background.ts"
import type { Pause } from "../McpFetch.ts"
import * as Pace from "../transport/Pace.ts"

/** @category models */
export interface HttpPace {
  /** Notes so many characters that answer no request of ours. */
  readonly weigh: (length: number) => void
  /** What to wait for before more of a stream is read; null when that is nothing. */
  readonly pause: () => Pause | null
  /** What is worth telling: one line at most. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** One allowance for all streams of a session. What waits ends with `background`. @category constructors */
export const make = (clock: Clock.Clock, background: Background): HttpPace => {
  const pace = Pace.make()
  let unasked = 0
  return {
    weigh: (length) => {
      unasked += length + Pace.LINE_COST
    },
    pause: () => {
      if (unasked === 0) return null
      const wait = pace.note(unasked, clock.currentTimeMillisUnsafe())
      unasked = 0
      return wait === 0 ? null : (goOn) => void background.run(Effect.andThen(Effect.sleep(wait), Effect.sync(goOn)))
    },
    diagnostics: () => pace.diagnostics()
  }
}

/** Waits for one and then for the other. @category combinators */
export const both = (one: Pause | null, other: Pause | null): Pause | null => {
  if (one === null) return other
  return other === null ? one : (goOn) => one(() => other(goOn))
}
