/** The heap that is really in use; needs `--expose-gc`. */
import { setTimeout } from "node:timers/promises"

/** In bytes, when what can be collected is collected. */
export const heap = async (): Promise<number> => {
  const { gc } = globalThis
  if (gc === undefined) throw new Error("run it with --expose-gc")
  for (let round = 0; round < 4; round++) {
    // What ended a moment ago is let go by callbacks that are still to come.
    await setTimeout(20)
    gc()
  }
  return process.memoryUsage().heapUsed
}
