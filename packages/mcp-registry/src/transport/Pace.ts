/**
 * How fast a server is read that writes what nobody asked for: as fast as it likes for a while, then no faster than costs
 * little. The pipe fills up, and the server waits.
 */

/** So many bytes are taken at any speed. @category constants */
export const BURST_BYTES = 32_000_000
/** So many bytes a second are taken in the long run. @category constants */
export const BYTES_PER_SECOND = 8_000_000

/** @category models */
export interface Pace {
  /** Notes bytes that came, at a time in milliseconds. Gives how many milliseconds to wait before more is read. */
  readonly note: (bytes: number, now: number) => number
  /** Whether anybody ever had to wait. */
  readonly isHeld: () => boolean
}

/** Begins with a full allowance. @category constructors */
export const make = (): Pace => {
  let ahead = 0
  let last = 0
  let isHeld = false
  return {
    note: (bytes, now) => {
      ahead = Math.max(0, ahead - (now - last) * BYTES_PER_SECOND / 1000) + bytes
      last = now
      if (ahead <= BURST_BYTES) return 0
      isHeld = true
      return (ahead - BURST_BYTES) * 1000 / BYTES_PER_SECOND
    },
    isHeld: () => isHeld
  }
}
