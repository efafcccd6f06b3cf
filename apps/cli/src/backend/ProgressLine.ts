/** How far a call is, on one line of a terminal that is gone when the call is done. */
import { CallEvents } from "@boocode/toolkit"
import * as Effect from "effect/Effect"
import { oneLine, Output } from "../terminal/Output.ts"
import type { Call } from "./Servers.ts"

const WIDTH = 100

/** Runs with what shows progress on standard error; null where that is no terminal. */
export const shown = <A, E, R>(use: (onProgress: Call["onProgress"]) => Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.gen(function*() {
    const { notePaint, notesAreTerminal, prompt } = yield* Output
    if (!notesAreTerminal) return yield* use(null)
    let isShown = false
    const show = yield* CallEvents.throttled((progress) => {
      isShown = true
      return prompt(`${CLEAR}${notePaint.dim(oneLine(CallEvents.progressText(progress), WIDTH))}`)
    })
    const clear = Effect.suspend(() => isShown ? prompt(CLEAR) : Effect.void)
    return yield* Effect.ensuring(use(show), clear)
  }))

/** To the beginning of the line, and without what stood there. */
const CLEAR = "\r\u001b[K"
