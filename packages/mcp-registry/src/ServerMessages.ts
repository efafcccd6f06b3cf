/**
 * What a server sends as log messages, into its log: cleaned, cut, and so much of it that a flood costs little.
 */
import { LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Connection, LogMessage } from "./Connection.ts"
import type * as ServerLog from "./ServerLog.ts"

/** So many messages of one second are kept; the others are counted. @category constants */
export const MOST_A_SECOND = 100
/** More of one message is not kept, in characters. @category constants */
export const LONGEST = 2000
const LONGEST_LOGGER = 100
/** What is looked through for secrets, so that half of one at the cut does not stay. */
const LOOKED_THROUGH = 4 * LONGEST

/** @category models */
export interface Options {
  readonly wanted: () => LogLevel
  readonly log: ServerLog.ServerLog
  readonly clock: Clock.Clock
  /** Runs what counts a flood. */
  readonly fork: (counting: Effect.Effect<void>) => unknown
}

type Speaking = Pick<Connection, "closed" | "onLog" | "scrub">

/** Hears a connection's messages from now on. @category constructors */
export const listen = (connection: Speaking, options: Options): void => {
  const hearing = new Hearing(connection, options)
  connection.onLog((message) => hearing.hear(message))
}

class Hearing {
  private readonly connection: Speaking
  private readonly options: Options
  private since = Number.NEGATIVE_INFINITY
  private kept = 0
  private left = 0

  constructor(connection: Speaking, options: Options) {
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
