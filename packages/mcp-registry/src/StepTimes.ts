/**
 * How far an attempt at a connection got, and how long each of its steps took.
 */
import type * as Clock from "effect/Clock"
import * as Schema from "effect/Schema"
import type { Attempt } from "./rpc/Connect.ts"

/**
 * One step of an attempt: `start` (until something is asked), `headersHelper`, the method that was waited for, or
 * `its work`, which is what follows until the connection is lost.
 *
 * @category schemas
 */
export const StepTime = Schema.Struct({ step: Schema.String, millis: Schema.Number })

/**
 * One step of an attempt.
 *
 * @category models
 */
export type StepTime = typeof StepTime.Type

/** An attempt that knows its past. @category models */
export interface TimedAttempt extends Attempt {
  /** The steps so far, in order; the last one goes on, or is where the attempt ended. */
  readonly steps: () => ReadonlyArray<StepTime>
}

/** Begins an attempt, now. @category constructors */
export const begin = (clock: Clock.Clock): TimedAttempt => {
  const now = () => clock.currentTimeMillisUnsafe()
  const started = now()
  const past: Array<StepTime> = []
  let step = "start"
  let since = started
  const current = () => ({ step, millis: now() - since })
  return {
    get step() {
      return step
    },
    set step(next) {
      if (next === step) return
      past.push(current())
      step = next
      since = now()
    },
    elapsed: () => now() - started,
    stderr: () => "",
    said: () => [],
    steps: () => [...past, current()]
  }
}
