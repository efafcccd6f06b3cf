/** A line of a server's log, as others get it. */
import * as Schema from "effect/Schema"

/** One line of a server's log, as `mcp logs --json` and `GET /api/mcp/servers/:name/logs` show it. Holds no secret. */
export const LogLine = Schema.Struct({
  /** Counts every line of this server from 1, also across its restarts. A gap means that lines were dropped. */
  seq: Schema.Int,
  /** When it came, in ISO 8601. */
  time: Schema.String,
  /** `event` is what became of the server, `stderr` what it wrote, `message` what it sent as a log message. */
  kind: Schema.Literals(["event", "stderr", "message"]),
  /** The level of a message, `debug` to `emergency`; null where the server named no such level. */
  level: Schema.NullOr(Schema.String),
  /** The part of the server that sent a message, where it says that. */
  logger: Schema.NullOr(Schema.String),
  text: Schema.String
})

/** One line of a server's log. */
export type LogLine = typeof LogLine.Type
