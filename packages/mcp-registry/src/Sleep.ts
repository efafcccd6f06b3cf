/**
 * When a server goes to sleep: nothing of it runs then, its tools stay known, and the next call wakes it (R93, R94).
 */
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Connection } from "./Connection.ts"
import type { Flights } from "./Flights.ts"
import * as ServerLog from "./ServerLog.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"

/** A lazy server that was started only to list its tools stays for whoever calls it right away. @category constants */
export const LINGER = Duration.seconds(3)

/** What sleeping needs. @category models */
export interface Options {
  readonly config: ServerConfig
  readonly flights: Flights
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  /** Is offered to by whoever wants the server to run. */
  readonly wake: Queue.Dequeue<void>
}

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
  const { config: { idleTtl, name }, flights, snapshot } = options
  const readyAt = yield* Clock.currentTimeMillis
  for (;;) {
    yield* flights.idle
    const landedAt = flights.landedAt()
    const ttl = isListed && landedAt === null ? Duration.min(LINGER, idleTtl ?? LINGER) : idleTtl
    if (ttl === null || (yield* SubscriptionRef.get(snapshot)).connection !== connection) return yield* Effect.never
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
const taken = ({ flights, snapshot, wake }: Options, connection: Connection): Effect.Effect<boolean> =>
  Effect.andThen(
    // Of an earlier call that waited. Whoever offers later is in flight, or finds the server asleep.
    Queue.clear(wake),
    SubscriptionRef.modify(snapshot, (now) =>
      flights.count() === 0 && now.connection === connection
        ? [true, { ...now, ...ASLEEP }]
        : [false, now])
  )

/** Sleeps until somebody wants the server; it may be called all the time, so it stays ready. @category constructors */
export const untilWoken = Effect.fnUntraced(function*({ snapshot, wake }: Options) {
  yield* Queue.take(wake)
  yield* SubscriptionRef.update(snapshot, (now) => ({ ...now, retry: "trying" as const }))
})

/** A server that sleeps. @category constants */
export const ASLEEP = { state: "ready", reason: null, connection: null, retry: "soon", missedPings: 0 } as const
