/** How many calls of one server are in flight, and when there is none. */
import * as CallScope from "@boocode/mcp-client/CallScope"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** The calls of one server; none at first. */
export class InFlightCalls {
  private readonly clock: Clock.Clock
  private readonly calls = new Counter()
  private readonly stays = new Counter()
  private last: number | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Counts a call that begins until it is over. */
  join(scope: CallScope.CallScope): void {
    this.counting(this.calls, scope)
  }
  /** Counts anything else for as long as it runs. */
  during<A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.counted(this.calls, call)
  }
  /** Counts what is no call, but keeps the server awake, such as a watcher. */
  attended<A, E, R>(stay: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.counted(this.stays, stay)
  }
  /** Waits until there is no call. */
  get none(): Effect.Effect<void> {
    return this.calls.none
  }
  /** Waits until neither a call nor a watcher needs the server. */
  get idle(): Effect.Effect<void> {
    // Each may come while the other is waited for.
    return Effect.repeat(Effect.andThen(this.calls.none, this.stays.none), { until: () => this.count() === 0 })
  }
  /** How many need the server, calls and others. */
  count(): number {
    return this.calls.count + this.stays.count
  }
  /** When there was last one, in milliseconds of the clock; null before that. */
  endedAt(): number | null {
    return this.last
  }
  private counted<A, E, R>(counter: Counter, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return CallScope.around((scope) => {
      this.counting(counter, scope)
      return effect
    })
  }
  private counting(counter: Counter, scope: CallScope.CallScope): void {
    counter.add()
    scope.add(() => {
      // Before anybody hears of it.
      if (counter.count === 1) this.last = this.clock.currentTimeMillisUnsafe()
      counter.remove()
    })
  }
}

class Counter {
  count = 0
  /** Made when somebody first waits, which is seldom. */
  private latch: Latch.Latch | null = null

  get none(): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.count === 0) return Effect.void
      this.latch ??= Latch.makeUnsafe(false)
      return this.latch.await
    })
  }
  add(): void {
    this.count += 1
    if (this.count === 1 && this.latch !== null) Latch.closeUnsafe(this.latch)
  }
  remove(): void {
    this.count -= 1
    if (this.count === 0 && this.latch !== null) Latch.openUnsafe(this.latch)
  }
}
