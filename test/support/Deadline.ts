/** How long a promised deadline may last on the machine the tests happen to run on. */

/** All of a closed registry is gone within 6 s; five times that, since a machine may be held up by others for a while. */
export const GONE_MILLIS = 30_000
