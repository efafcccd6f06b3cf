/**
 * Holds a server to so many requests: nobody answers a flood.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Refused } from "./ServerQuestion.ts"

/** Questions of one connection that may be open at once. @category constants */
export const MOST_OPEN = 10
/** Requests of one connection within a minute: questions, pings, and what nobody here knows. @category constants */
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
  /** Counts a request that is answered at once, so that it is never open. Gives why it is one too many, else null. */
  readonly passing: () => Refused | null
  /** Whether so many were refused within this minute that the next is not even looked at. To be asked before each. */
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
    passing,
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
