/** How many requests one connection may bring at once and in a minute: nobody answers a flood. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Refused } from "./ServerQuestion.ts"

/** Questions of one connection that may be open at once. */
export const MOST_OPEN = 10
/** Requests of one connection within a minute: questions, pings, and what nobody here knows. */
const MOST_A_MINUTE = 100
/** The refusals within a minute; further requests get no answer at all. */
const MOST_REFUSED = 100

const MINUTE = 60_000
/** A code of the range that JSON-RPC leaves to implementations. */
const TOO_MANY = -32000

export const make = (clock: Clock.Clock) => {
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
  const refuse = (limit: string) => {
    refused++
    return new Refused({ code: TOO_MANY, message: `Too many requests: no more than ${limit}` })
  }
  const passing = () => {
    turn()
    inMinute++
    return inMinute > MOST_A_MINUTE ? refuse(`${MOST_A_MINUTE} within a minute`) : null
  }
  const admit = Effect.suspend(() => {
    const refusal = passing() ?? (open < MOST_OPEN ? null : refuse(`${MOST_OPEN} at once`))
    return refusal === null ? Effect.sync(() => void open++) : Effect.fail(refusal)
  })
  return {
    /** Counts a request that is answered at once, so that it is never open. Gives why it is one too many, else null. */
    passing,
    /** Runs what answers a question, or fails when it is one too many. */
    during: <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> =>
      Effect.acquireUseRelease(admit, () => answer, () => Effect.sync(() => void open--)),
    /** Whether so many were refused within this minute that the next is not even looked at. */
    isFlooded: () => {
      turn()
      if (inMinute < MOST_A_MINUTE + MOST_REFUSED) return false
      refused++
      return true
    },
    diagnostics: (): ReadonlyArray<string> =>
      refused === 0 ? [] : [`it asked more than it may: ${refused} of its requests were refused`]
  }
}
