/**
 * How far an attempt at a connection got, and how long each of its steps took.
 */
import type { Attempt, Greeting } from "@boocode/mcp-client/Connect"
import type * as Clock from "effect/Clock"
import type { StepTime } from "./ServerStatus.ts"

export type { StepTime } from "./ServerStatus.ts"

/** An attempt that knows its past. @category models */
export class TimedAttempt implements Attempt {
  stderr: Attempt["stderr"] = nothing
  said: Attempt["said"] = nobody
  private readonly clock: Clock.Clock
  private readonly started: number
  private past: ReadonlyArray<StepTime> = []
  private current = "start"
  private since: number

  readonly greeting: Greeting

  /** Begins now. */
  constructor(clock: Clock.Clock, greeting: Greeting = "first") {
    this.clock = clock
    this.greeting = greeting
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
    return this.past.concat({ step: this.current, millis: this.clock.currentTimeMillisUnsafe() - this.since })
  }
}

const nothing = () => ""
const nobody = () => []
