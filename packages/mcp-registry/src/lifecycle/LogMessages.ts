/** Log messages of one server, kept in its log: cleaned, cut, and so many that a flood costs little. */
import type { Connection, LogMessage } from "@boocode/mcp-client/Connection"
import type { ServerLog } from "@boocode/mcp-client/Host"
import { LOG_LEVELS, type LogLevel } from "@boocode/mcp-config"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Fork } from "../calls/ProgressDelivery.ts"

/** So many messages of one second are kept; the others are counted. */
const MOST_A_SECOND = 100
/** Longer messages are cut, in characters. */
const LONGEST = 2000
const LONGEST_LOGGER = 100
/** So much is searched for secrets, so that half of one does not stay at the cut. */
const LOOKED_THROUGH = 4 * LONGEST

export interface Options {
  readonly wanted: () => LogLevel
  readonly log: ServerLog.ServerLog
  readonly clock: Clock.Clock
  readonly fork: Fork
  /** Is told each message that is kept. */
  readonly tell: (message: ReturnType<typeof shown>) => void
}

type Source = Pick<Connection, "closed" | "onLog" | "scrub">

/** Keeps the messages of this connection from now on. */
export const listen = (connection: Source, { clock, fork, log, tell, wanted }: Options): void => {
  let since = Number.NEGATIVE_INFINITY
  let kept = 0
  let left = 0
  const counted = Effect.suspend(() => {
    const count = left
    left = 0
    return log.appendAmongMessages(`it sent ${count} more log messages within a second; they are not kept`)
  })
  connection.onLog((message) => {
    if (isBelow(message.level, wanted())) return
    const now = clock.currentTimeMillisUnsafe()
    if (now - since >= 1000) {
      since = now
      kept = 0
    }
    if (kept++ < MOST_A_SECOND) {
      const line = shown(message, connection.scrub)
      log.appendMessage(line, now)
      return tell(line)
    }
    if (left++ > 0) return
    fork(Effect.raceFirst(Effect.andThen(Effect.sleep("1 second"), counted), Effect.asVoid(connection.closed)))
  })
}
/** A server may send more than it was asked for. A message whose level is not the protocol's is kept. */
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
