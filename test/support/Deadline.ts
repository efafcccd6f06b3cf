/** How long a promised deadline may last on the machine the tests happen to run on. */
import { availableParallelism, loadavg } from "node:os"

/** All of a closed registry is gone within 6 s; where more programs want to run than there are cores, a bit later. */
export const goneMillis = (): number => (loadavg()[0] ?? 0) > availableParallelism() ? 10_000 : 6000
