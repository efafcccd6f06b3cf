/** Notices that this process did not run for a while: another node may own its servers since. */

/** A node may lose its locks after 25 s without a sign of life, so a shorter standstill than that changes nothing. */
export const STANDSTILL_MILLIS = 10_000
/** By then the engine has looked at its locks, which it does every 10 s, and has closed what it lost. */
export const DOUBT_MILLIS = 15_000

/** Beats once a second. Times are milliseconds of one clock. */
export class Standstill {
  private beatAt: number
  private doubtUntil = -Infinity

  constructor(now: number) {
    this.beatAt = now
  }
  /** Whether the process stood still and has not beaten since. It may read what came meanwhile before it beats. */
  isLate(now: number): boolean {
    return now - this.beatAt > STANDSTILL_MILLIS
  }
  /** Gives true when the process stood still since the last beat. */
  beat(now: number): boolean {
    const wasLate = this.isLate(now)
    if (wasLate) this.doubtUntil = now + DOUBT_MILLIS
    this.beatAt = now
    return wasLate
  }
  /** Whether the node may not know yet that it lost what it owned. */
  isInDoubt(now: number): boolean {
    return this.isLate(now) || now < this.doubtUntil
  }
}
