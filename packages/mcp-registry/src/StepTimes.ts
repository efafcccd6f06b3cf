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
export class TimedAttempt implements Attempt {
  stderr: Attempt["stderr"] = nothing
  said: Attempt["said"] = nobody
  private readonly clock: Clock.Clock
  private readonly started: number
  private past: ReadonlyArray<StepTime> = []
  private current = "start"
  private since: number

  /** Begins now. */
  constructor(clock: Clock.Clock) {
    this.clock = clock
    this.since = this.started = clock.currentTimeMillisUnsafe()
  }

  get step(): string {
    return this.current
  }
  set step(next) {
    if (next === this.current) return
    this.past = this.steps()
    this.current = next
    this.since = this.clock.currentTimeMillisUnsafe()
  }
  elapsed(): number {
    return this.clock.currentTimeMillisUnsafe() - this.started
  }
  /** The steps so far, in order; the last one goes on, or is where the attempt ended. */
  steps(): ReadonlyArray<StepTime> {
    return [...this.past, { step: this.current, millis: this.clock.currentTimeMillisUnsafe() - this.since }]
  }
}

const nothing = () => ""
const nobody = () => []
