/** Which calls have come to one start of a server, so that none is sent to the server a second time. */

/** So many numbers of one holder are remembered one by one; an older one counts as seen. */
export const REMEMBERED = 65_536

/**
 * The calls that one instance took. The engine resends a request whose node it cannot reach, so a call may come twice, and
 * it may come to an instance that began after it was sent. Both are refused: each call names the instance it was meant for,
 * and has a number that its holder never uses again.
 */
export class CallRecord {
  private readonly holders = new Map<string, Seen>()
  private isRetired = false

  /** Takes calls of this holder from now on. A holder joins once. */
  join(holder: string): void {
    this.holders.set(holder, { highest: 0, recent: new Set() })
  }
  /** A later message of this holder may have come before, so it is refused. */
  leave(holder: string): void {
    this.holders.delete(holder)
  }
  /** Whether the call may be sent to the server: true once at most for each number of a holder. */
  admit(holder: string, number: number): boolean {
    const seen = this.holders.get(holder)
    if (seen === undefined || this.isRetired || number <= seen.highest - REMEMBERED || seen.recent.has(number)) {
      return false
    }
    seen.recent.add(number)
    seen.highest = Math.max(seen.highest, number)
    // The oldest come first in a set.
    for (const old of seen.recent) {
      if (old > seen.highest - REMEMBERED) break
      seen.recent.delete(old)
    }
    return true
  }
  /** Takes no call any more. */
  retire(): void {
    this.isRetired = true
  }
  /** The calls of a holder that came, once no more are taken. */
  taken(holder: string): Taken | null {
    const seen = this.holders.get(holder)
    if (seen === undefined || !this.isRetired) return null
    const first = Math.max(0, seen.highest - REMEMBERED) + 1
    const missing: Array<number> = []
    for (let number = first; number <= seen.highest; number++) if (!seen.recent.has(number)) missing.push(number)
    return { highest: seen.highest, missing }
  }
}

/** The numbers of the calls that came from one holder: those up to the highest, without the missing. */
export interface Taken {
  readonly highest: number
  readonly missing: ReadonlyArray<number>
}

/** Whether a call of this number did not come, and so was not sent to the server. */
export const isUntaken = ({ highest, missing }: Taken, number: number): boolean =>
  number > highest || missing.includes(number)

interface Seen {
  highest: number
  readonly recent: Set<number>
}
