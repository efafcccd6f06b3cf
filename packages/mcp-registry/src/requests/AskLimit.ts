/**
 * Holds a server to so many questions: nobody answers a flood.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Refused } from "./ServerQuestion.ts"

/** Questions of one connection that may be open at once. @category constants */
export const MOST_OPEN = 10
/** Questions of one connection within a minute. @category constants */
export const MOST_A_MINUTE = 100
/** Of what is too many, so much within a minute is told so; the rest gets no answer at all. */
const MOST_REFUSED = 100

const MINUTE = 60_000
/** A code of the range that JSON-RPC leaves to implementations. */
const TOO_MANY = -32000

/** @category models */
export interface AskLimit {
  /** Runs what answers a question, or fails when it is one too many. */
  readonly during: <A, E, R>(answer: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refused, R>
  /** Whether so many were refused within this minute that the next is not even looked at. To be asked before `during`. */
  readonly isFlooded: () => boolean
  /** What is worth telling. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** Begins without any question. @category constructors */
export const make = (clock: Clock.Clock): AskLimit => {
  let open = 0
  let since = Number.NEGATIVE_INFINITY
  let inMinute = 0
  let refused = 0

  const turn = () => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - since < MINUTE) return
    since = now
    inMinute = 0
  }
  const admit = Effect.suspend(() => {
    turn()
    inMinute++
    const isTooMany = inMinute > MOST_A_MINUTE
    if (!isTooMany && open < MOST_OPEN) return Effect.sync(() => void open++)
    refused++
    const limit = isTooMany ? `${MOST_A_MINUTE} within a minute` : `${MOST_OPEN} at once`
    return Effect.fail(new Refused({ code: TOO_MANY, message: `Too many requests: no more than ${limit}` }))
  })
  return {
    during: (answer) => Effect.acquireUseRelease(admit, () => answer, () => Effect.sync(() => void open--)),
    isFlooded: () => {
      turn()
      if (inMinute < MOST_A_MINUTE + MOST_REFUSED) return false
      refused++
      return true
    },
    diagnostics: () => refused === 0 ? [] : [`it asked more than it may: ${refused} of its requests were refused`]
  }
}
