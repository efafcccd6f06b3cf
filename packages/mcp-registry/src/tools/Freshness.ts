/**
 * For how long a list of tools is believed, and who says when it is used after that: it is listed again behind their back.
 */
import type * as Clock from "effect/Clock"

/** Why the tools are to be listed again: the server told that they changed, or they are used and may be old. */
export type Occasion = "told" | "stale"

export interface Freshness {
  /** The tools were listed by a connection which `tell` has list them again. */
  readonly listed: (ttlMillis: number | null, now: number, tell: (occasion: Occasion) => void) => void
  /** They are used. Costs nothing where they are believed, or no server says for how long. */
  readonly used: (clock: Clock.Clock) => void
}

/** The bounds of the times that servers give, in milliseconds. */
export const SHORTEST = 1000
const LONGEST = 24 * 60 * 60 * 1000
const PAUSE = 60_000

/**
 * For how long a list is believed whose server says so. None at all is what the official SDK says where nobody chose, and
 * would have every list fetched at every use; a minute it is then.
 */
export const believed = (ttlMillis: number): number =>
  ttlMillis <= 0 ? PAUSE : Math.min(Math.max(ttlMillis, SHORTEST), LONGEST)

/** Nothing is listed yet. */
export const make = (): Freshness => new Belief()

class Belief implements Freshness {
  private until = Number.POSITIVE_INFINITY
  private tell: ((occasion: Occasion) => void) | null = null

  listed(ttlMillis: number | null, now: number, tell: (occasion: Occasion) => void): void {
    this.tell = tell
    this.until = ttlMillis === null ? Number.POSITIVE_INFINITY : now + believed(ttlMillis)
  }
  used(clock: Clock.Clock): void {
    if (this.until === Number.POSITIVE_INFINITY) return
    const now = clock.currentTimeMillisUnsafe()
    if (now < this.until) return
    // The one that is under way answers for all who come meanwhile; one that fails is tried again no sooner.
    this.until = now + PAUSE
    this.tell?.("stale")
  }
}
