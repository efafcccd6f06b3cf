/**
 * Answers to what a server asks, on their way to it: each is a POST of its own, so a few leave at a time and the rest wait.
 */
import type * as Clock from "effect/Clock"
import type { Pause } from "../host/McpFetch.ts"

/** So many are under way at once. */
const MOST_UNDER_WAY = 8
/** So many wait. Responses beyond are dropped: a server that takes no answers costs no more than that. */
const MOST_WAITING = 256
/** A reply that waited for so long, in milliseconds, is dropped: reading goes on while the server takes nothing. */
const LONGEST_WAIT = 10_000
/** A reply that ends after so long, in milliseconds, without having been taken was given up. */
const SLOW = 5000

export interface Sent {
  /** To be called when the server has accepted the reply. */
  readonly onTaken: () => void
  /** To be called once, when the response has ended or was aborted. */
  readonly onOver: () => void
}

type Send = (sent: Sent) => void

/** A queue: it changes with every reply, and is read by plain calls while a response streams. */
export class ResponseQueue {
  private readonly clock: Clock.Clock
  private underWay = 0
  private dropped = 0
  private isClosed = false
  private readonly waiting: Array<{ readonly send: Send; readonly since: number }> = []
  private readonly readers: Array<() => void> = []

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Sends a reply when its turn comes. */
  add(send: Send): void {
    if (this.isClosed) return
    if (this.underWay < MOST_UNDER_WAY) this.start(send)
    else if (this.waiting.length < MOST_WAITING) this.waiting.push({ send, since: this.now() })
    else this.dropped++
  }
  /** While replies wait, nothing more is read of what the server may ask: null when none waits. */
  pause(): Pause | null {
    return this.waiting.length === 0 ? null : (goOn) => void this.readers.push(goOn)
  }
  /** Drops what waits, and whatever is added from now on. */
  close(): void {
    this.isClosed = true
    this.waiting.length = 0
  }
  /** At most one line. */
  diagnostics(): ReadonlyArray<string> {
    const count = this.dropped === 1 ? "1 was" : `${this.dropped} were`
    return this.dropped === 0 ? [] : [`it did not take the answers to its requests in time: ${count} dropped`]
  }

  private now(): number {
    return this.clock.currentTimeMillisUnsafe()
  }
  private start(send: Send): void {
    const since = this.now()
    let isTaken = false
    this.underWay++
    send({
      onTaken: () => {
        isTaken = true
      },
      onOver: () => {
        this.underWay--
        if (!isTaken && this.now() - since >= SLOW) this.dropped++
        this.next()
      }
    })
  }
  private next(): void {
    // The oldest stand first.
    const young = this.waiting.findIndex(({ since }) => since > this.now() - LONGEST_WAIT)
    this.dropped += this.waiting.splice(0, young === -1 ? this.waiting.length : young).length
    const first = this.waiting.shift()
    if (first !== undefined) return this.start(first.send)
    for (const goOn of this.readers.splice(0)) goOn()
  }
}
