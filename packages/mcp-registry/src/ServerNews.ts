/**
 * What is heard of one server besides answers: updates of resources, log messages from a level on, lists that grow old.
 */
import type { ConfiguredServer, LogLevel } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { Connection } from "./Connection.ts"
import type { Dispatch } from "./Dispatch.ts"
import type { Flights } from "./Flights.ts"
import * as Freshness from "./Freshness.ts"
import { CallTimeout, type McpErrorReason, NotOffered } from "./McpError.ts"
import type * as ServerLog from "./ServerLog.ts"
import type { Standing } from "./Standing.ts"
import * as Watches from "./Watches.ts"

/** @category models */
export interface Options {
  /** The entry as it is now. */
  readonly described: ConfiguredServer
  readonly standing: Standing
  readonly dispatch: Dispatch
  readonly flights: Flights
  readonly log: ServerLog.ServerLog
  readonly clock: Clock.Clock
  /** Where watches are kept. */
  readonly scope: Scope.Scope
}

/** What is heard of one server. @category models */
export class ServerNews {
  readonly freshness = Freshness.make()
  private readonly options: Options
  private watching: Watches.Watches | null = null
  private chosen: LogLevel | null = null
  private told: LogLevel | null = null

  constructor(options: Options) {
    this.options = options
  }

  /** Made for the first watcher: few servers are ever watched. */
  get watches(): Watches.Watches {
    const { clock, described, dispatch, flights, scope, standing } = this.options
    const { name: server } = described
    return this.watching ??= Watches.make({
      clock,
      dispatch,
      flights,
      scope,
      standing,
      server,
      limit: timeoutOf(described)
    })
  }
  /** From which level on log messages are wanted: what somebody asked for, else what the entry says. */
  get level(): LogLevel {
    return this.chosen ?? levelOf(this.options.described)
  }
  /**
   * Asks for log messages from this level on, also of connections to come; null is what the entry says. Fails with
   * `NotOffered`, and with what a request fails with.
   */
  setLevel(next: LogLevel | null): Effect.Effect<void, McpErrorReason> {
    return Effect.suspend(() => {
      const { capabilities, connection } = this.options.standing.now
      if (capabilities?.logging === false) return Effect.fail(new NotOffered({ what: "log messages" }))
      const before = this.chosen
      this.chosen = next
      const asked = connection === null
        ? Effect.void
        : Effect.tapError(this.send(connection), () => Effect.sync(() => void (this.chosen = before)))
      return Effect.andThen(asked, this.note)
    })
  }
  /** Tells a connection which level is wanted, the entry's `timeout` at most. What goes wrong is in the log. */
  tellLevel(connection: Connection): Effect.Effect<void> {
    return Effect.andThen(
      Effect.catch(
        this.send(connection),
        ({ message }) => this.options.log.append("event", `it does not take the log level: ${message}`)
      ),
      this.note
    )
  }
  /** The entry may say another level now; the connection there is hears of it in the background. */
  get adopted(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { scope, standing: { now: { connection } } } = this.options
      return connection === null || this.told === null || this.told === this.level
        ? Effect.void
        : Effect.asVoid(Effect.forkIn(this.tellLevel(connection), scope))
    })
  }
  private send(connection: Connection) {
    return Effect.suspend(() => {
      const limit = timeoutOf(this.options.described)
      this.told = this.level
      return Effect.timeoutOrElse(connection.setLogLevel(this.told), {
        duration: limit,
        orElse: () => Effect.fail(tooLong(limit))
      })
    })
  }
  private get note() {
    return this.options.standing.update(({ capabilities }) =>
      capabilities?.logging === true ? { logLevel: this.level } : null
    )
  }
}

const tooLong = (limit: Duration.Duration) =>
  new CallTimeout({ tool: "the log level", limitMillis: Duration.toMillis(limit), limit: "timeout" })

const levelOf = ({ config }: ConfiguredServer): LogLevel => Result.isSuccess(config) ? config.success.logLevel : "info"

const timeoutOf = ({ config }: ConfiguredServer): Duration.Duration =>
  Result.isSuccess(config) ? config.success.timeout : Duration.zero
