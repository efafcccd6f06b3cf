/**
 * From which level on a server is to send log messages: by a request of its own, or since 2026-07-28 with every request.
 */
import type { LogLevel } from "@boocode/mcp-config"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Connection } from "../Connection.ts"
import type { Requests } from "./Requests.ts"

/** @category models */
export interface LogLevels extends Pick<Connection, "setLogLevel"> {
  /** What every request says about it; null for nothing. */
  readonly meta: () => Schema.JsonObject | null
}

/** @category models */
export interface Options {
  readonly requests: Pick<Requests, "send">
  /** False for a server that does not log: it is told of no level. */
  readonly declares: (capability: "logging") => boolean
  readonly isModern: boolean
}

const LEVEL = "io.modelcontextprotocol/logLevel"

/** No level is asked for yet. @category constructors */
export const make = (options: Options): LogLevels => new Levels(options)

type Answered = ReturnType<Connection["setLogLevel"]>

class Levels implements LogLevels {
  private readonly options: Options
  private level: LogLevel | null = null

  constructor(options: Options) {
    this.options = options
  }

  meta(): Schema.JsonObject | null {
    return this.level === null ? null : { [LEVEL]: this.level }
  }
  setLogLevel(next: LogLevel | null): Answered {
    return Effect.suspend((): Answered => {
      const { isModern, requests } = this.options
      if (!this.options.declares("logging")) return Effect.void
      if (isModern) return Effect.sync(() => void (this.level = next))
      // Older revisions know no way to ask for none.
      return next === null
        ? Effect.void
        : Effect.asVoid(requests.send({ method: "logging/setLevel", params: { level: next } }))
    })
  }
}
