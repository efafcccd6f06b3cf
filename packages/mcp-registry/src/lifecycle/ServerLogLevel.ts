/** From which level on one server is asked for log messages. */
import type { Connection } from "@boocode/mcp-client/Connection"
import type { ServerLog } from "@boocode/mcp-client/Host"
import { CallTimeout, type McpErrorReason, NotOffered } from "@boocode/mcp-client/McpError"
import type { LogLevel } from "@boocode/mcp-config"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Fork } from "../calls/ProgressDelivery.ts"
import * as ServerState from "../state/ServerState.ts"
import * as StateRef from "../state/StateRef.ts"

export interface ServerLogLevel {
  /** The level that somebody asked for, else that of the entry. */
  readonly wanted: () => LogLevel
  /**
   * Asks for messages from this level on, also of connections to come; null is what the entry says. One at a time. A
   * failure or an interruption leaves the level as it was. Fails with `NotOffered`, and with what a request fails with.
   */
  readonly set: (level: LogLevel | null) => Effect.Effect<void, McpErrorReason>
  /** Tells a new connection, the entry's `timeout` at most. A failure is an event of the log. */
  readonly tell: (connection: Connection) => Effect.Effect<void>
  /** The entry may say another level now; a connection hears of it in the background. */
  readonly entryChanged: Effect.Effect<void>
}

export interface Options {
  readonly state: StateRef.StateRef
  readonly log: ServerLog.ServerLog
  readonly fork: Fork
}

export const make = ({ fork, log, state }: Options): ServerLogLevel => {
  let chosen: LogLevel | null = null
  let told: LogLevel | null = null
  const { withPermit: inTurn } = Semaphore.makeUnsafe(1)

  const config = () => Result.getOrNull(StateRef.now(state).entry.config)
  const wanted = () => chosen ?? config()?.logLevel ?? "info"
  const send = (connection: Connection) =>
    Effect.suspend(() => {
      const level = wanted()
      const limit = config()?.timeout ?? Duration.zero
      told = level
      return Effect.timeoutOrElse(connection.setLogLevel(level), {
        duration: limit,
        orElse: () => Effect.fail(tooLong(limit))
      })
    })
  const note = Effect.suspend(() => StateRef.send(state, { _tag: "LevelChanged", level: wanted() }))
  const tell = (connection: Connection) =>
    send(connection).pipe(
      Effect.catch(({ message }) => log.append("event", `it does not take the log level: ${message}`)),
      Effect.andThen(note),
      inTurn
    )
  return {
    wanted,
    tell,
    set: (level) =>
      inTurn(Effect.suspend(() => {
        const now = StateRef.now(state)
        const connection = ServerState.connectionOf(now)
        if (now.capabilities?.logging === false) return Effect.fail(new NotOffered({ what: "log messages" }))
        const before = chosen
        chosen = level
        const asked = connection === null ? Effect.void : send(connection)
        return Effect.onError(Effect.andThen(asked, note), (cause) =>
          Effect.sync(() => {
            chosen = before
            if (connection !== null && mayBeTaken(cause)) fork(tell(connection))
          }))
      })),
    entryChanged: Effect.sync(() => {
      const connection = ServerState.connectionOf(StateRef.now(state))
      if (connection !== null && told !== null && told !== wanted()) fork(tell(connection))
    })
  }
}

/** A server that did not answer may have taken the level all the same. */
const mayBeTaken = (cause: Cause.Cause<McpErrorReason>): boolean =>
  Cause.hasInterrupts(cause) || Option.exists(Cause.findErrorOption(cause), ({ _tag }) => _tag === "CallTimeout")

const tooLong = (limit: Duration.Duration) =>
  new CallTimeout({ tool: "the log level", limitMillis: Duration.toMillis(limit), limit: "timeout" })
