/**
 * What is heard of one server besides answers: updates of resources, log messages from a level on, lists that grow old.
 */
import type { Connection, LogMessage } from "@boocode/mcp-client/Connection"
import type { ServerLog } from "@boocode/mcp-client/Host"
import { CallTimeout, type McpErrorReason, NotOffered } from "@boocode/mcp-client/McpError"
import { type ConfiguredServer, LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Dispatch } from "../calls/Dispatch.ts"
import * as ResourceWatches from "../offerings/ResourceWatches.ts"
import type { InFlightCalls } from "../server/InFlightCalls.ts"
import type { Standing } from "../server/ServerState.ts"
import * as Freshness from "../tools/Freshness.ts"

/** @category models */
export interface Options {
  /** The entry as it is now. */
  readonly described: ConfiguredServer
  readonly standing: Standing
  readonly dispatch: Dispatch
  readonly flights: InFlightCalls
  readonly log: ServerLog.ServerLog
  readonly clock: Clock.Clock
  /** Where watches are kept. */
  readonly scope: Scope.Scope
}

/** What is heard of one server. @category models */
export class ServerNotifications {
  readonly freshness = Freshness.make()
  private readonly options: Options
  private watching: ResourceWatches.ResourceWatches | null = null
  private chosen: LogLevel | null = null
  private told: LogLevel | null = null

  constructor(options: Options) {
    this.options = options
  }

  /** Made for the first watcher: few servers are ever watched. */
  get watches(): ResourceWatches.ResourceWatches {
    const { clock, described, dispatch, flights, scope, standing } = this.options
    const { name: server } = described
    return this.watching ??= ResourceWatches.make({
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

// What a server sends as log messages, into its log: cleaned, cut, and so much of it that a flood costs little.

/** So many messages of one second are kept; the others are counted. @category constants */
export const MOST_A_SECOND = 100
/** More of one message is not kept, in characters. @category constants */
export const LONGEST = 2000
const LONGEST_LOGGER = 100
/** What is looked through for secrets, so that half of one at the cut does not stay. */
const LOOKED_THROUGH = 4 * LONGEST

/** @category models */
export interface MessagesOptions {
  readonly wanted: () => LogLevel
  readonly log: ServerLog.ServerLog
  readonly clock: Clock.Clock
  /** Runs what counts a flood. */
  readonly fork: (counting: Effect.Effect<void>) => unknown
}

type Speaking = Pick<Connection, "closed" | "onLog" | "scrub">

/** Hears a connection's messages from now on. @category constructors */
export const listen = (connection: Speaking, options: MessagesOptions): void => {
  const hearing = new Hearing(connection, options)
  connection.onLog((message) => hearing.hear(message))
}

class Hearing {
  private readonly connection: Speaking
  private readonly options: MessagesOptions
  private since = Number.NEGATIVE_INFINITY
  private kept = 0
  private left = 0

  constructor(connection: Speaking, options: MessagesOptions) {
    this.connection = connection
    this.options = options
  }

  hear(message: LogMessage): void {
    const { clock, fork, log, wanted } = this.options
    if (isBelow(message.level, wanted())) return
    const now = clock.currentTimeMillisUnsafe()
    if (now - this.since >= 1000) {
      this.since = now
      this.kept = 0
    }
    if (this.kept++ < MOST_A_SECOND) return log.appendMessage(shown(message, this.connection.scrub), now)
    if (this.left++ > 0) return
    const gone = Effect.asVoid(this.connection.closed)
    fork(Effect.raceFirst(Effect.andThen(Effect.sleep("1 second"), this.counted), gone))
  }
  private get counted(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const count = this.left
      this.left = 0
      return this.options.log.appendAmongMessages(
        `it sent ${count} more log messages within a second; they are not kept`
      )
    })
  }
}

/** A server may send more than it was asked for. What has no level of the protocol's is never too little. */
const isBelow = (level: Schema.Json, wanted: LogLevel): boolean => {
  const rank = LOG_LEVELS.findIndex((known) => known === level)
  return rank !== -1 && rank < LOG_LEVELS.indexOf(wanted)
}

const shown = ({ data, level, logger }: LogMessage, scrub: Connection["scrub"]) => ({
  level: LOG_LEVELS.find((known) => known === level) ?? null,
  logger: typeof logger === "string" && logger !== "" ? cut(logger, LONGEST_LOGGER, scrub) : null,
  text: cut(textOf(data), LONGEST, scrub)
})

const cut = (text: string, most: number, scrub: Connection["scrub"]): string =>
  scrub(text.slice(0, LOOKED_THROUGH)).slice(0, most).toWellFormed().trimEnd()

const textOf = (data: Schema.Json): string =>
  typeof data === "string"
    ? data
    : Result.getOrElse(Result.try(() => JSON.stringify(data)), () => "(nested too deep to be shown)")
