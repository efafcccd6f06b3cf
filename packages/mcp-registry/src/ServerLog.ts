/**
 * What became of a server and what it wrote to standard error: the last part of both, in the order they came.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * One line of a server's log, as `mcp logs --json` and `GET /api/mcp/servers/:name/logs` show it. Holds no secret.
 *
 * @category schemas
 */
export const LogLine = Schema.Struct({
  /** Counts every line of this server from 1, also across its restarts. A gap means that lines were dropped. */
  seq: Schema.Int,
  /** When it came, in ISO 8601. */
  time: Schema.String,
  /** `event` is what became of the server, `stderr` what it wrote. */
  kind: Schema.Literals(["event", "stderr"]),
  text: Schema.String
})

/**
 * One line of a server's log.
 *
 * @category models
 */
export type LogLine = typeof LogLine.Type

/** The log of one server, kept in memory. @category models */
export interface ServerLog {
  /** Adds one line; the oldest go when there are more than `KEPT` characters. */
  readonly append: (kind: LogLine["kind"], text: string) => Effect.Effect<void>
  /** What is kept of the lines with a `seq` above this one, the oldest first. Answers at once. */
  readonly after: (seq: number) => Effect.Effect<ReadonlyArray<LogLine>>
}

/** How many characters are kept of a server's log. @category constants */
export const KEPT = 64 * 1024

/** What a line costs besides its text, so that a flood of empty lines is bounded too. */
const LINE_COST = 64

interface Kept {
  readonly seq: number
  readonly millis: number
  readonly kind: LogLine["kind"]
  readonly text: string
}

/** An empty log. @category constructors */
export const make = (): ServerLog => {
  const lines: Array<Kept> = []
  let size = 0
  let last = 0
  const drop = () => {
    const [oldest] = lines.splice(0, 1)
    size -= oldest === undefined ? size : cost(oldest)
  }
  return {
    append: (kind, text) =>
      Effect.map(Clock.currentTimeMillis, (millis) => {
        const line = { seq: last += 1, millis, kind, text: text.slice(0, KEPT - LINE_COST) }
        lines.push(line)
        size += cost(line)
        while (size > KEPT) drop()
      }),
    after: (seq) => Effect.sync(() => lines.filter((line) => line.seq > seq).map(shown))
  }
}

const cost = ({ text }: Kept): number => text.length + LINE_COST

const shown = ({ kind, millis, seq, text }: Kept): LogLine => ({
  seq,
  time: DateTime.formatIso(DateTime.makeUnsafe(millis)),
  kind,
  text
})

/**
 * The log of the server that a fiber works for; nothing is kept where none is given.
 *
 * @category services
 */
export const Current = Context.Reference<ServerLog>("mcp-registry/ServerLog", {
  defaultValue: () => ({ append: () => Effect.void, after: () => Effect.succeed([]) })
})

/** Notes what became of the server. @category combinators */
export const event = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Current, ({ append }) => append("event", text))

/** Notes a line it wrote to standard error. @category combinators */
export const stderr = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Current, ({ append }) => append("stderr", text))
