/** When a server goes to sleep: nothing of it runs then, its tools stay known, and the next call wakes it (R93, R94). */
import type { Connection } from "@boocode/mcp-client/Connection"
import { ServerLog } from "@boocode/mcp-client/Host"
import type { ServerConfig } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import type { InFlightCalls } from "../state/InFlightCalls.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"

/** A lazy server that was started only to list its tools stays for so long, for a call that comes right away. */
const LINGER = Duration.seconds(3)

export interface Options {
  readonly config: ServerConfig
  readonly calls: InFlightCalls
  readonly state: StateRef.StateRef
  /** Open while a caller wants the server to run. */
  readonly wake: Latch.Latch
}

/** Whether the server ever goes to sleep. */
export const isPossible = ({ config: { idleTtl } }: Options, isListed: boolean): boolean => isListed || idleTtl !== null

/**
 * Waits until nobody called for as long as the entry allows, and takes the connection out of the state. Answers when the
 * connection is to be closed; never where the entry sets no limit. `isListed`: it was opened only to list the tools.
 */
export const due = Effect.fnUntraced(function*(
  options: Options,
  connection: Connection,
  isListed: boolean
): Effect.fn.Return<void> {
  const { calls, config: { idleTtl, name }, state } = options
  const readyAt = yield* Clock.currentTimeMillis
  for (;;) {
    yield* calls.idle
    const endedAt = calls.endedAt()
    const ttl = isListed && endedAt === null ? Duration.min(LINGER, idleTtl ?? LINGER) : idleTtl
    if (ttl === null || ServerState.connectionOf(StateRef.now(state)) !== connection) return yield* Effect.never
    const left = Math.max(readyAt, endedAt ?? 0) + Duration.toMillis(ttl) - (yield* Clock.currentTimeMillis)
    if (left > 0) yield* Effect.sleep(left)
    else if (yield* taken(options, connection)) {
      const why = isListed && endedAt === null ? "its tools are known" : `no call for ${Duration.format(ttl)}`
      yield* Effect.logInfo(`${name}: asleep until it is called: ${why}`)
      return yield* ServerLog.event(`asleep until it is called: ${why}`)
    }
  }
})

/** In one step: a call finds the connection or none, but never one that is about to close. */
const taken = ({ calls, state, wake }: Options, connection: Connection): Effect.Effect<boolean> =>
  StateRef.sendIf(state, { _tag: "Slept" }, (now) => {
    // The wish of an earlier call. A later one is in flight, or finds the server asleep.
    wake.closeUnsafe()
    return calls.count() === 0 && ServerState.connectionOf(now) === connection
  })

/** Waits until a call wakes the server, and tells that it does. */
export const asleep = (options: Pick<Options, "state" | "wake">): Effect.Effect<void> =>
  Effect.andThen(untilWoken(options), StateRef.send(options.state, { _tag: "Woken" }))

/** Waits until a caller wants the server to run. */
export const untilWoken = ({ wake }: Pick<Options, "wake">): Effect.Effect<void> =>
  Effect.andThen(wake.await, Effect.asVoid(wake.close))
