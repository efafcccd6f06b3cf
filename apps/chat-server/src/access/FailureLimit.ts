/** How often somebody may be wrong: so many times a minute from one address or for one name, and so many from all together. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as PrivateAddress from "../settings/PrivateAddress.ts"

export interface FailureLimit {
  /** Counts a failure of a peer. Gives null, or in how many seconds it may try again when that was one too many. */
  readonly failed: (peer: string) => Effect.Effect<number | null>
  /** In how many seconds a peer may try again; null for one that may now. Counts nothing. */
  readonly wait: (peer: string) => Effect.Effect<number | null>
}

const WINDOW_MILLIS = 60_000
const PER_PEER = 10
const ALL = 200
/** So many addresses are remembered; what comes beyond counts only for all together. */
const MAX_PEERS = 1000

interface Window {
  failures: number
  readonly until: number
}

const NEVER: Window = { failures: 0, until: 0 }

/** Begins with a clean slate. Its memory is bounded whatever comes. `keyOf` tells peers from each other. */
export const make = (keyOf: (peer: string) => string = PrivateAddress.householdOf): FailureLimit => {
  const peers = new Map<string, Window>()
  let all = NEVER
  const count = (window: Window | undefined, now: number): Window => ({
    failures: (window === undefined || window.until <= now ? 0 : window.failures) + 1,
    until: window === undefined || window.until <= now ? now + WINDOW_MILLIS : window.until
  })
  const forget = (now: number) => {
    for (const [peer, { until }] of peers) if (until <= now) peers.delete(peer)
  }
  const over = (key: string, now: number, most: number): number | null => {
    const windows = [{ ...peers.get(key) ?? NEVER, limit: PER_PEER }, { ...all, limit: ALL }]
    const [found] = windows.filter(({ failures, limit, until }) => until > now && failures >= limit + most)
    return found === undefined ? null : Math.max(1, Math.ceil((found.until - now) / 1000))
  }
  return {
    wait: (peer) => Effect.map(Clock.currentTimeMillis, (now) => over(keyOf(peer), now, 0)),
    failed: (peer) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = keyOf(peer)
        all = count(all, now)
        if (!peers.has(key) && peers.size >= MAX_PEERS) forget(now)
        const own = count(peers.get(key), now)
        if (peers.has(key) || peers.size < MAX_PEERS) peers.set(key, own)
        return over(key, now, 1)
      })
  }
}
