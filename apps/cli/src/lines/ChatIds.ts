/** Ids of chats as people type them: the first characters are enough. */
import * as Effect from "effect/Effect"
import { Failed } from "../terminal/Failure.ts"
import { oneLine } from "../terminal/Output.ts"

export const short = (id: string): string => id.slice(0, SHOWN)

const SHOWN = 8
const WHOLE = 36
/** A server gives no more at once. */
const MOST = 1000
/** Fewer characters would soon be those of another chat as well. */
const FEWEST = 4

/**
 * The id of the one chat that begins so, among the 1,000 that were used last. An id that fits none stays as it is, for the
 * chats themselves to refuse.
 */
export const whole = Effect.fnUntraced(function*(
  list: (words: null, limit: number) => Effect.Effect<ReadonlyArray<{ readonly id: string }>, Failed>,
  typed: string
) {
  const start = typed.trim().toLowerCase()
  if (start.length >= WHOLE || start.length < FEWEST) return typed
  const found = (yield* list(null, MOST)).filter(({ id }) => id.startsWith(start))
  if (found.length > 1) {
    return yield* new Failed({
      tag: "UnknownChat",
      message: `${found.length} chats begin with ${oneLine(typed)}`,
      hint: `type one character more: ${found.slice(0, 5).map(({ id }) => id.slice(0, start.length + 4)).join(", ")}`
    })
  }
  return found[0]?.id ?? typed
})
