/**
 * Answers to what a server asks, on their way to it: each is a POST of its own, so a few leave at a time and the rest wait.
 */
import type { Pause } from "../McpFetch.ts"

/** So many are under way at once. @category constants */
export const MOST_UNDER_WAY = 8
/** So many wait. What comes beyond is dropped: a server that takes no answers costs no more than that. @category constants */
export const MOST_WAITING = 256

/** Sends a reply, and calls `over` once when its response has ended or was given up. @category models */
export type Send = (over: () => void) => void

/** @category models */
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

/** Nothing waits. @category constructors */
export const make = (): HttpReplies => {
  let underWay = 0
  let dropped = 0
  let isClosed = false
  const waiting: Array<Send> = []
  const readers: Array<() => void> = []

  const start = (send: Send) => {
    underWay++
    send(() => {
      underWay--
      next()
    })
  }
  const next = () => {
    const send = waiting.shift()
    if (send !== undefined) return start(send)
    for (const goOn of readers.splice(0)) goOn()
  }
  return {
    add: (send) => {
      if (isClosed) return
      if (underWay < MOST_UNDER_WAY) start(send)
      else if (waiting.length < MOST_WAITING) waiting.push(send)
      else dropped++
    },
    pause: () => waiting.length === 0 ? null : (goOn) => void readers.push(goOn),
    close: () => {
      isClosed = true
      waiting.length = 0
    },
    diagnostics: () =>
      dropped === 0 ? [] : [`it asked faster than it took the answers: ${dropped} of them were dropped`]
  }
}
