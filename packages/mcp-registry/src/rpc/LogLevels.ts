/**
 * From which level on a server is to send log messages: by a request of its own, or since 2026-07-28 with every request.
 */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Connection } from "../Connection.ts"
import type { Send } from "./Requests.ts"

/** @category models */
export interface LogLevels extends Pick<Connection, "setLogLevel"> {
  /** What every request says about it; null for nothing. */
  readonly meta: () => Schema.JsonObject | null
}

/** @category models */
export interface Options {
  readonly send: Send
  /** False for a server that does not log: it is told of no level. */
  readonly isDeclared: () => boolean
  readonly isModern: boolean
}

const LEVEL = "io.modelcontextprotocol/logLevel"

/** No level is asked for yet. @category constructors */
export const make = ({ isDeclared, isModern, send }: Options): LogLevels => {
  let level: LogLevel | null = null
  return {
    meta: () => level === null ? null : { [LEVEL]: level },
    setLogLevel: (next) =>
      Effect.suspend(() => {
        if (!isDeclared()) return Effect.void
        if (isModern) return Effect.sync(() => void (level = next))
        // Older revisions know no way to ask for none.
        return next === null
          ? Effect.void
          : Effect.asVoid(send({ method: "logging/setLevel", params: { level: next } }))
      })
  }
}
