/** How long to wait before a stream that a server ended is asked for again: less and less often, once a minute in the end. */

/** A stream that lasted so long, in milliseconds, begins again without earlier failures. */
export const HEALTHY_MILLIS = 60_000
const FIRST_DELAY_MILLIS = 1000
const MAX_DELAY_MILLIS = 60_000

/**
 * The wait in milliseconds after so many failures in a row: doubling from a second. `random` in [0, 1) takes away up to a
 * quarter, so that streams that broke together do not return together.
 */
export const delayMillis = (failures: number, random: number): number =>
  Math.min(FIRST_DELAY_MILLIS * 2 ** failures, MAX_DELAY_MILLIS) * (0.75 + random / 4)
