/** How long a promised deadline may last on the machine the tests happen to run on. */

/** Ten times what is promised: other programs may hold the machine up for a while. */
export const SLACK = 10

/** What is promised within so many milliseconds has come by then, whatever else the machine does. */
export const late = (promisedMillis: number) => promisedMillis * SLACK

/** Half a second after a registry said that it is closed, nothing of it is left. */
export const LEFT_MILLIS = late(500)

/** All of a registry that is being closed is gone within 6 s. */
export const GONE_MILLIS = 6000 * SLACK

/** For what is promised to come, but not by when: only a failing test waits so long. */
export const WAIT_MILLIS = 60_000

/** Of a test that waits for several such things, one after the other. */
export const TEST = { timeout: 300_000 }
