/**
 * The story of a server: its events, its lines on standard error and its log messages; the last part of all of them, in
 * the order they came.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { LogLine } from "./LogLineSchema.ts"

export type { LogLine } from "./LogLineSchema.ts"

/** The log of one server, kept in memory. */
export interface ServerLog {
  /** Adds one line; the oldest but messages go when there are more than `KEPT` characters of them. */
  readonly append: (kind: "event" | "stderr", text: string) => Effect.Effect<void>
  /**
   * Adds a log message as it came at this time; the oldest messages go when there are more than `KEPT` characters of them,
   * so that a server that says much does not hide what became of it. For a listener that cannot wait.
   */
  readonly appendMessage: (message: Pick<LogLine, "level" | "logger" | "text">, millis: number) => void
  /** Adds an event that is about log messages, and goes when they go. */
  readonly appendAmongMessages: (text: string) => Effect.Effect<void>
  /** The kept lines with a `seq` above this one, the oldest first. Answers at once. */
  readonly after: (seq: number) => Effect.Effect<ReadonlyArray<LogLine>>
}

/** How many characters are kept of a server's log, and as many of its messages. */
export const KEPT = 64 * 1024

/** Added to the text of each line, so that a flood of empty lines is bounded too. */
const LINE_COST = 64

interface Kept extends Omit<LogLine, "time"> {
  readonly millis: number
}

/** An empty log. */
export const make = (): ServerLog => new KeptLog()

class KeptLog implements ServerLog {
  private readonly lines = new Shelf()
  /** Most servers never send any. */
  private messages: Shelf | null = null
  private last = 0

  append(kind: "event" | "stderr", text: string): Effect.Effect<void> {
    return this.added(() => this.lines, kind, text)
  }
  appendAmongMessages(text: string): Effect.Effect<void> {
    return this.added(() => this.messages ??= new Shelf(), "event", text)
  }
  appendMessage(message: Pick<LogLine, "level" | "logger" | "text">, millis: number): void {
    this.messages ??= new Shelf()
    this.messages.add({ ...message, seq: this.last += 1, millis, kind: "message" })
  }
  after(seq: number): Effect.Effect<ReadonlyArray<LogLine>> {
    return Effect.sync(() =>
      [...this.lines.after(seq), ...this.messages?.after(seq) ?? []].sort((a, b) => a.seq - b.seq).map(shown)
    )
  }
  private added(to: () => Shelf, kind: "event" | "stderr", text: string): Effect.Effect<void> {
    return Effect.map(
      Clock.currentTimeMillis,
      (millis) => to().add({ seq: this.last += 1, millis, kind, level: null, logger: null, text })
    )
  }
}

/** The last part of some lines. */
class Shelf {
  private readonly lines: Array<Kept> = []
  private size = 0

  add(line: Kept): void {
    const kept = { ...line, text: line.text.slice(0, KEPT - LINE_COST) }
    this.lines.push(kept)
    this.size += cost(kept)
    while (this.size > KEPT) this.drop()
  }
  after(seq: number): ReadonlyArray<Kept> {
    return this.lines.filter((line) => line.seq > seq)
  }
  private drop(): void {
    const [oldest] = this.lines.splice(0, 1)
    this.size -= oldest === undefined ? this.size : cost(oldest)
  }
}

const cost = ({ text }: Kept): number => text.length + LINE_COST

const shown = ({ kind, level, logger, millis, seq, text }: Kept): LogLine => ({
  seq,
  time: DateTime.formatIso(DateTime.makeUnsafe(millis)),
  kind,
  level,
  logger,
  text
})

/** The log of the server that a fiber works for; nothing is kept where none is given. */
export const Current = Context.Reference<ServerLog>("mcp-client/ServerLog", {
  defaultValue: () => ({
    append: () => Effect.void,
    appendMessage: () => {},
    appendAmongMessages: () => Effect.void,
    after: () => Effect.succeed([])
  })
})

/** Notes what became of the server. */
export const event = (text: string): Effect.Effect<void> => Effect.flatMap(Current, (log) => log.append("event", text))

/** Notes a line it wrote to standard error. */
export const stderr = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Current, (log) => log.append("stderr", text))
