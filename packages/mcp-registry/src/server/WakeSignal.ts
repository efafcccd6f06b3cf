/**
 * The wish that a server run, from whoever calls it to the one fiber that leads its life. It is kept until it is taken,
 * however often it was said.
 */
import * as Effect from "effect/Effect"

/** The wish for one server. @category models */
export class WakeSignal {
  private isThere = false
  private taker: (() => void) | null = null

  /** Says it. */
  say(): void {
    this.isThere = true
    this.taker?.()
  }
  /** Forgets that it was said. */
  withdraw(): void {
    this.isThere = false
  }
  /** Waits until it is said, and takes it. For one fiber at a time. */
  get taken(): Effect.Effect<void> {
    return Effect.andThen(
      Effect.callback<void>((resume) => {
        if (this.isThere) return resume(Effect.void)
        this.taker = () => {
          this.taker = null
          // Not in the middle of what whoever says it is doing.
          resume(Effect.yieldNow)
        }
        return Effect.sync(() => {
          this.taker = null
        })
      }),
      Effect.sync(() => this.withdraw())
    )
  }
}
