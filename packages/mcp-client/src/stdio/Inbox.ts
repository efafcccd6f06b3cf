/** Where frames become messages for the receiver, and what is no message becomes a diagnostic. */
import * as JsonRpc from "../base/JsonRpc.ts"
import * as Pace from "../base/Pace.ts"
import type { Receiver } from "../contract/Channel.ts"
import { StrayAnswers } from "../rpc/StrayAnswers.ts"
import type { Whole } from "./Framing.ts"

/** A skipped line is shown up to so many characters. */
const SHOWN = 200
/** So many skipped lines are noted, each by itself. */
const NOTED = 1000

const CONTENT_LENGTH =
  "it frames its messages with Content-Length, as language servers do; MCP wants one message a line"

export class Inbox {
  private early: Array<JsonRpc.Incoming> = []
  private receiver: Receiver | null = null
  private skipped: Tally | null = null
  private unread: Tally | null = null
  private readonly asked = new Set<number>()
  private readonly strays = new StrayAnswers()
  private weight = 0

  /** Notes a message of ours: its answer is asked for, or not any more. */
  sent(message: JsonRpc.Message): void {
    const { id, method } = message
    if (method !== undefined && (typeof id === "number" || typeof id === "string")) this.strays.asked(id)
    if (method !== undefined && typeof id === "number") this.asked.add(id)
    else this.isAsked(JsonRpc.cancelledId(message))
  }
  /** Takes a frame. Gives the text to log when the line is no JSON-RPC message; null otherwise, and after so many lines. */
  receive(frame: Whole): string | null {
    if (frame._tag === "Oversized") {
      this.weigh(frame.isAnswer ? frame.id : null, frame.bytes)
      return this.deliver(frame)
    }
    const value = BEGINNING.test(frame.text) ? JsonRpc.decode(frame.text) : undefined
    if (Array.isArray(value)) return this.takeApart(value, frame.text)
    this.weigh(answeredBy(value), frame.text.length)
    if (JsonRpc.isMessage(value)) return this.deliver({ _tag: "Message", message: value })
    return JsonRpc.isComplaint(value) ? this.refuse(value) : this.skip(frame.text)
  }
  /** Sets the receiver; what came before the first one is kept for it. */
  listen(next: Receiver): void {
    const waiting = this.early
    this.early = []
    this.receiver = next
    for (const incoming of waiting) next(incoming, null)
  }
  /** How many characters came that answer no request of ours, and `Pace.LINE_COST` for each line. */
  unasked(): number {
    return this.weight
  }
  /** At most three lines: what the server could not read, what was no message, what answered no request. */
  diagnostics(): ReadonlyArray<string> {
    return [...told(this.unread, unreadWords), ...told(this.skipped, skippedWords), ...this.strays.diagnostics()]
  }

  /** Whether this was asked and not answered so far; now it is. */
  private isAsked(id: string | number | null): boolean {
    return typeof id === "number" && this.asked.delete(id)
  }
  private deliver(incoming: JsonRpc.Incoming): null {
    if (this.receiver === null) this.early.push(incoming)
    else this.receiver(incoming, null)
    return null
  }
  /** The receiver may know which message of ours it is about. */
  private refuse(complaint: JsonRpc.Message): null {
    this.unread ??= { count: 0, first: JsonRpc.wordsOf(complaint).slice(0, SHOWN) }
    this.unread.count++
    return this.deliver({ _tag: "Message", message: complaint })
  }
  private weigh(id: string | number | null, length: number): void {
    if (this.isAsked(id)) return
    this.weight += length + Pace.LINE_COST
    if (id !== null) this.strays.answered(id)
  }
  private skip(line: string): string | null {
    this.skipped ??= { count: 0, first: shown(line) }
    return ++this.skipped.count > NOTED ? null : shown(line)
  }
  /** A batch, which a server of 2025-03-26 may write into one line. */
  private takeApart(values: ReadonlyArray<unknown>, line: string): string | null {
    const messages = values.filter(JsonRpc.isMessage)
    for (const value of values) this.weigh(answeredBy(value), line.length / values.length)
    for (const message of messages) this.deliver({ _tag: "Message", message })
    if (values.length > 0 && messages.length === values.length) return null
    this.weigh(null, 0)
    return this.skip(line)
  }
}

/** Everything else is no message, above all no "[info] …", and trying would cost more than looking. */
const BEGINNING = /^(?:\{|\[\s*\{)/

const answeredBy = (value: unknown): string | number | null =>
  JsonRpc.isObject(value) && JsonRpc.isAnswer(value) ? JsonRpc.idOf(value) : null

/** How many texts came, and the first of them. */
interface Tally {
  count: number
  readonly first: string
}

const told = (tally: Tally | null, words: (count: number, first: string) => string): ReadonlyArray<string> =>
  tally === null ? [] : [words(tally.count, tally.first)]

/** Noise says nothing to a person, and may say something to a terminal. */
const shown = (line: string): string => {
  const start = line.slice(0, SHOWN)
  const noise = start.match(NOISE)?.length ?? 0
  return noise * 10 > start.length ? BINARY : start
}

// eslint-disable-next-line no-control-regex -- control characters are what this looks for
const NOISE = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f\ufffd]/g
const BINARY = "binary data"

/** How the diagnostic begins that the server could not read what it was sent. */
export const UNREAD = "the server could not read"

const unreadWords = (count: number, first: string): string =>
  `${UNREAD} ${count === 1 ? "a message" : `${count} messages`} of ours${count === 1 ? "" : ", first"}: ${first}`

const skippedWords = (count: number, first: string): string => {
  if (/^content-length:/i.test(first)) return CONTENT_LENGTH
  const lines = count === 1
    ? "1 line on standard output that is no message: "
    : `${count} lines on standard output that are no messages, first: `
  return `skipped ${lines}${first}`
}
