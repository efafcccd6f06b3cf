/** The way from a bridge to the running server, which may end and come back elsewhere. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { NotServed } from "./NotServed.ts"

/** A server that runs. */
export interface Target {
  /** Its MCP endpoint. */
  readonly url: URL
  /** The headers that let this bridge in. */
  readonly headers: Readonly<Record<string, string>>
  /** A bridge started it, and nobody else will start it again. */
  readonly isOnDemand: boolean
}

export interface ServerLink {
  /** The server, as soon as there is one. Fails where none runs and none can be started. */
  readonly current: Effect.Effect<Target, NotServed>
  /** The server that runs now; null while there is none. Starts nothing. */
  readonly running: () => Target | null
  /** Says that this server does not answer any more. */
  readonly lost: (target: Target) => Effect.Effect<void>
}

export interface Options {
  /** The server that runs; null where none does. */
  readonly find: Effect.Effect<Target | null>
  /** Starts a server, or finds the one that another bridge starts. */
  readonly start: Effect.Effect<Target, NotServed>
  /** Tells a server that a client is there, until the server ends or nobody waits any more. */
  readonly attend: (target: Target) => Effect.Effect<void>
}

/** A person who restarts a server gets this time, before a bridge starts one of its own. */
const RESTART = { times: 40, every: "250 millis" } as const
/** How often somebody without a message looks whether a server is back. */
const IDLE_LOOK = "2 seconds"

/** Looks for a server at once, and starts one where none runs. Ends with the scope. */
export const make = Effect.fnUntraced(function*(
  { attend, find, start }: Options
): Effect.fn.Return<ServerLink, never, Scope.Scope> {
  const wanted = Latch.makeUnsafe(true)
  const gone = Latch.makeUnsafe(false)
  let target = Deferred.makeUnsafe<Target, NotServed>()
  let known: Target | null = null

  /** After the end of a server: the one that takes its place. */
  const next = Effect.fnUntraced(function*({ isOnDemand }: Target) {
    for (let looks = 0; looks < (isOnDemand ? 1 : RESTART.times); looks++) {
      const found = yield* find
      if (found !== null) return found
      yield* Effect.sleep(RESTART.every)
    }
    const back = Effect.repeat(Effect.delay(find, IDLE_LOOK), { until: (found) => found !== null })
    return yield* Effect.raceFirst(
      Effect.andThen(wanted.await, start),
      Effect.flatMap(back, (found) => found === null ? Effect.never : Effect.succeed(found))
    )
  })
  const follow = Effect.gen(function*() {
    let search = Effect.flatMap(find, (found) => found === null ? start : Effect.succeed(found))
    while (true) {
      const exit = yield* Effect.exit(search)
      yield* Deferred.done(target, exit)
      if (exit._tag === "Failure") return
      known = exit.value
      yield* Effect.andThen(gone.close, wanted.close)
      yield* Effect.raceFirst(attend(exit.value), gone.await)
      known = null
      target = Deferred.makeUnsafe<Target, NotServed>()
      search = next(exit.value)
    }
  })
  yield* Effect.forkScoped(follow)
  return {
    current: Effect.suspend(() => Effect.andThen(known === null ? wanted.open : Effect.void, Deferred.await(target))),
    running: () => known,
    lost: (which) => Effect.suspend(() => which === known ? gone.open : Effect.void)
  }
})
