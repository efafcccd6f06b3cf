/**
 * Answers to what a server asks, on their way to it: each is a POST of its own, so a few leave at a time and the rest wait.
 */
import type * as Clock from "effect/Clock"
import type { Pause } from "../host/McpFetch.ts"

/** So many are under way at once. */
export const MOST_UNDER_WAY = 8
/** So many wait. What comes beyond is dropped: a server that takes no answers costs no more than that. */
export const MOST_WAITING = 256
/** One that waited for so long, in milliseconds, is dropped: reading goes on while the server takes nothing. */
export const LONGEST_WAIT = 10_000
/** One that ends after so long, in milliseconds, without having been taken was given up. */
const SLOW = 5000

/** Who is told of a reply on its way. */
export interface Sent {
  /** To be called when the server has accepted it. */
  readonly onTaken: () => void
  /** To be called once, when its response has ended or was given up. */
  readonly onOver: () => void
}

/** Sends a reply. */
export type Send = (sent: Sent) => void

/** */
export interface HttpReplies {
  /** Sends a reply when its turn comes. */
  readonly add: (send: Send) => void
  /** While replies wait, nothing more is read of what the server may ask: null when none does. */
  readonly pause: () => Pause | null
  /** Drops what waits, and whatever is added from now on. */
  readonly close: () => void
  /** What is worth telling: one line at most. */
  readonly diagnostics: () => ReadonlyArray<string>
}

/** Nothing waits. */
export const make = (clock: Clock.Clock): HttpReplies => {
  let underWay = 0
  let dropped = 0
  let isClosed = false
  const waiting: Array<Waiting> = []
  const readers: Array<() => void> = []
  const now = () => clock.currentTimeMillisUnsafe()

  const start = (send: Send) => {
    const since = now()
    let isTaken = false
    underWay++
    send({
      onTaken: () => {
        isTaken = true
      },
      onOver: () => {
        underWay--
        if (!isTaken && now() - since >= SLOW) dropped++
        next()
      }
    })
  }
  const next = () => {
    dropped += dropOld(waiting, now() - LONGEST_WAIT)
    const first = waiting.shift()
    if (first !== undefined) return start(first.send)
    for (const goOn of readers.splice(0)) goOn()
  }
  return {
    add: (send) => {
      if (isClosed) return
      if (underWay < MOST_UNDER_WAY) start(send)
      else if (waiting.length < MOST_WAITING) waiting.push({ send, since: now() })
      else dropped++
    },
    pause: () => waiting.length === 0 ? null : (goOn) => void readers.push(goOn),
    close: () => {
      isClosed = true
      waiting.length = 0
    },
    diagnostics: () => dropped === 0 ? [] : [droppedWords(dropped)]
  }
}

interface Waiting {
  readonly send: Send
  readonly since: number
}

/** Gives how many had waited since then. The oldest stand first. */
const dropOld = (waiting: Array<Waiting>, then: number): number => {
  const young = waiting.findIndex(({ since }) => since > then)
  return waiting.splice(0, young === -1 ? waiting.length : young).length
}

const droppedWords = (count: number): string =>
  `it did not take the answers to its requests in time: ${count === 1 ? "1 was" : `${count} were`} dropped`
