/**
 * How fast a server is read that writes what nobody asked for: as fast as it likes for a while, then no faster than costs
 * little. The pipe or the connection fills up, and the server waits.
 */

/** So many bytes are taken at any speed. */
export const BURST_BYTES = 32_000_000
/** So many bytes a second are taken in the long run. */
export const BYTES_PER_SECOND = 8_000_000
/** Added to the bytes of each line, so that a flood of short lines counts. */
export const LINE_COST = 64

/** An allowance, full at first. */
export class Pace {
  private ahead = 0
  private last = 0
  private hasHeld = false

  /** Notes bytes that came, at a time in milliseconds. Gives how many milliseconds to wait before more is read. */
  note(bytes: number, now: number): number {
    this.ahead = Math.max(0, this.ahead - (now - this.last) * BYTES_PER_SECOND / 1000) + bytes
    this.last = now
    if (this.ahead <= BURST_BYTES) return 0
    this.hasHeld = true
    return (this.ahead - BURST_BYTES) * 1000 / BYTES_PER_SECOND
  }
  isHeld(): boolean {
    return this.hasHeld
  }
  diagnostics(): ReadonlyArray<string> {
    return this.hasHeld ? [HELD] : []
  }
}

const HELD = `it wrote more than ${BYTES_PER_SECOND / 1_000_000} MB a second that nobody asked for, and was held up`
