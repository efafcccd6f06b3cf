/** How long a promised deadline may last on the machine the tests happen to run on. */
import { availableParallelism, loadavg } from "node:os"

/**
 * All of a closed registry is gone within 6 s. A machine may be held up by others for a while, and where more programs
 * want to run than there are cores it is.
 */
export const goneMillis = (): number => (loadavg()[0] ?? 0) > availableParallelism() ? 18_000 : 9000
