/** Bounds how much garbage this process keeps. */
import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"

/** In percent of the heap in use. */
const MOST_GARBAGE = 25

/**
 * From now on the heap is collected when it grew by a quarter. Node by itself waits, on a machine with much memory,
 * until it is up to four times as large, and gives little of that back.
 */
export const bounded: Effect.Effect<void> = Effect.sync(() =>
  setFlagsFromString(`--heap-growing-percent=${MOST_GARBAGE}`)
)
