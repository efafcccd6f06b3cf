/**
 * When a server goes to sleep: nothing of it runs then, its tools stay known, and the next call wakes it (R93, R94).
 */
import type { Connection } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { InFlightCalls } from "../server/InFlightCalls.ts"
import type { Standing } from "../server/ServerState.ts"
import type { WakeSignal } from "../server/WakeSignal.ts"

/** A lazy server that was started only to list its tools stays for whoever calls it right away. @category constants */
export const LINGER = Duration.seconds(3)

/** What sleeping needs. @category models */
export interface Options {
  readonly config: ServerConfig
  readonly flights: InFlightCalls
  readonly standing: Standing
  /** Is said by whoever wants the server to run. */
  readonly wish: WakeSignal
}

/** Whether it may come to that at all. @category predicates */
export const isPossible = ({ config: { idleTtl } }: Options, isListed: boolean): boolean => isListed || idleTtl !== null

/**
 * Waits until a connection was not called for as long as its entry allows, and takes it from whoever comes next. Answers
 * once there is nothing to do but close it; never where the entry sets no limit. `isListed`: it was opened only to list.
 *
 * @category constructors
 */
export const due = Effect.fnUntraced(function*(
  options: Options,
  connection: Connection,
  isListed: boolean
): Effect.fn.Return<void> {
  const { config: { idleTtl, name }, flights, standing } = options
  const readyAt = yield* Clock.currentTimeMillis
  for (;;) {
    yield* flights.idle
    const landedAt = flights.landedAt()
    const ttl = isListed && landedAt === null ? Duration.min(LINGER, idleTtl ?? LINGER) : idleTtl
    if (ttl === null || standing.now.connection !== connection) return yield* Effect.never
    const left = Math.max(readyAt, landedAt ?? 0) + Duration.toMillis(ttl) - (yield* Clock.currentTimeMillis)
    if (left > 0) yield* Effect.sleep(left)
    else if (yield* taken(options, connection)) {
      const why = isListed && landedAt === null ? "its tools are known" : `no call for ${Duration.format(ttl)}`
      yield* Effect.logInfo(`${name}: asleep until it is called: ${why}`)
      return yield* ServerLog.event(`asleep until it is called: ${why}`)
    }
  }
})

/** In one step, so that a call finds the connection or that there is none, but never one about to close. */
const taken = ({ flights, standing, wish }: Options, connection: Connection): Effect.Effect<boolean> =>
  Effect.sync(() => {
    // Of an earlier call that waited. Whoever says it later is in flight, or finds the server asleep.
    wish.withdraw()
    const isFree = flights.count() === 0 && standing.now.connection === connection
    if (isFree) standing.set(ASLEEP)
    return isFree
  })

/** Sleeps until somebody wants the server; it may be called all the time, so it stays ready. @category constructors */
export const untilWoken = ({ standing, wish }: Options): Effect.Effect<void> =>
  Effect.andThen(wish.taken, Effect.sync(() => standing.set({ retry: "trying" })))

/** A server that sleeps. @category constants */
export const ASLEEP = { state: "ready", reason: null, connection: null, retry: "soon", missedPings: 0 } as const
