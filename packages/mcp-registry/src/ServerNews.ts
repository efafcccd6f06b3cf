/**
 * What is heard of one server besides answers: updates of resources, log messages from a level on, lists that grow old.
 */
import type { ConfiguredServer, LogLevel } from "@boocode/mcp-config"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { Connection } from "./Connection.ts"
import type { Dispatch } from "./Dispatch.ts"
import type { Flights } from "./Flights.ts"
import * as Freshness from "./Freshness.ts"
import { CallTimeout, type McpErrorReason, NotOffered } from "./McpError.ts"
import * as ServerLog from "./ServerLog.ts"
import type { ServerSnapshot } from "./ServerSnapshot.ts"
import * as Watches from "./Watches.ts"

/** @category models */
export interface ServerNews {
  readonly watches: Watches.Watches
  readonly freshness: Freshness.Freshness
  /** From which level on log messages are wanted: what somebody asked for, else what the entry says. */
  readonly level: () => LogLevel
  /**
   * Asks for log messages from this level on, also of connections to come; null is what the entry says. Fails with
   * `NotOffered`, and with what a request fails with.
   */
  readonly setLevel: (level: LogLevel | null) => Effect.Effect<void, McpErrorReason>
  /** Tells a connection which level is wanted, the entry's `timeout` at most. What goes wrong is in the log. */
  readonly tellLevel: (connection: Connection) => Effect.Effect<void>
  /** The entry may say another level now; the connection there is hears of it in the background. */
  readonly adopted: Effect.Effect<void>
}

/** @category models */
export interface Options {
  /** The entry as it is now. */
  readonly entry: () => ConfiguredServer
  readonly snapshot: SubscriptionRef.SubscriptionRef<ServerSnapshot>
  readonly dispatch: Dispatch
  readonly flights: Flights
  /** Where watches are kept. */
  readonly scope: Scope.Scope
}

/** Nothing is heard yet. @category constructors */
export const make = Effect.fnUntraced(function*(options: Options): Effect.fn.Return<ServerNews> {
  const { entry, snapshot } = options
  const clock = yield* Clock.Clock
  const limit = timeoutOf(entry())
  // Few servers are ever watched.
  let watches: Watches.Watches | null = null
  let chosen: LogLevel | null = null
  let told: LogLevel | null = null

  const level = (): LogLevel => chosen ?? levelOf(entry())
  const send = (connection: Connection) =>
    Effect.suspend(() => {
      told = level()
      return Effect.timeoutOrElse(connection.setLogLevel(told), {
        duration: limit,
        orElse: () => Effect.fail(tooLong(limit))
      })
    })
  const note = SubscriptionRef.update(
    snapshot,
    (now) => now.capabilities?.logging === true ? { ...now, logLevel: level() } : now
  )
  const tellLevel = (connection: Connection) =>
    connection.declares("logging")
      ? Effect.andThen(
        Effect.catch(send(connection), ({ message }) => ServerLog.event(`it does not take the log level: ${message}`)),
        note
      )
      : Effect.void
  return {
    get watches() {
      return watches ??= Watches.make({ ...options, clock, server: entry().name, limit })
    },
    freshness: Freshness.make(),
    level,
    setLevel: Effect.fnUntraced(function*(next: LogLevel | null) {
      const { capabilities, connection } = yield* SubscriptionRef.get(snapshot)
      if (capabilities?.logging === false) return yield* new NotOffered({ what: "log messages" })
      const before = chosen
      chosen = next
      if (connection !== null) {
        yield* Effect.tapError(send(connection), () => Effect.sync(() => void (chosen = before)))
      }
      yield* note
    }),
    tellLevel,
    adopted: Effect.gen(function*() {
      const { connection } = yield* SubscriptionRef.get(snapshot)
      if (connection !== null && told !== null && told !== level()) {
        yield* Effect.forkIn(tellLevel(connection), options.scope)
      }
    })
  }
})

const tooLong = (limit: Duration.Duration) =>
  new CallTimeout({ tool: "the log level", limitMillis: Duration.toMillis(limit), limit: "timeout" })

const levelOf = ({ config }: ConfiguredServer): LogLevel => Result.isSuccess(config) ? config.success.logLevel : "info"

const timeoutOf = ({ config }: ConfiguredServer): Duration.Duration =>
  Result.isSuccess(config) ? config.success.timeout : Duration.zero
