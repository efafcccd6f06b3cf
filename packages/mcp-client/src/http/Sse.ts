/**
 * Parses a stream of server-sent events as it comes, and holds each event under a cap (docs/decisions.md, decision 11; R37).
 */
import * as Bytes from "../base/Bytes.ts"
import * as Framing from "../stdio/Framing.ts"
import * as LostMessageId from "../stdio/LostMessageId.ts"

export interface Oversized {
  readonly bytes: number
  /** The id of the answer; null when none could be found in it. */
  readonly id: string | number | null
}

export interface Options {
  /** The largest event that `onEvent` receives. */
  readonly maxBytes: number
  /** An event beyond so many bytes is endless. Default: as for a line of a pipe. */
  readonly endlessBytes?: number
  /** Receives each event that has data; the name is empty where the server gave none. */
  readonly onEvent: (data: string, name: string) => void
  /** Whether the stream answers one known request, so that an answer is told before its id has come. */
  readonly isOwn?: boolean
  /**
   * Receives an answer above the cap as soon as it shows to be one: its end may take minutes. Everything else above the
   * cap is dropped.
   */
  readonly onOversized: (oversized: Oversized) => void
  /** Receives the length of everything else: comments, fields, blank lines, and dropped events. */
  readonly onIdle?: (length: number) => void
}

/** Whether an event of this name holds a message. */
export const isMessage = (name: string): boolean => name === "" || name === "message"

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const NEWLINE = new Uint8Array([LF])
const NOTHING = new Uint8Array(0)
/** A stream may begin with a byte order mark. */
const MARK = [0xef, 0xbb, 0xbf]
const DATA = Array.from("data:", (letter) => letter.charCodeAt(0))
/** No more of a field is kept: longer ids and names mean nothing. */
const MAX_FIELD_BYTES = 1024
/** A header must be able to carry an id back. An event with any other id counts as one without. */
const ID = /^[\x20-\x7e]{0,1000}$/
const RETRY = /^\d{1,9}$/

class Event {
  bytes = 0
  id: string | null = null
  name = ""
  /** Whether a line of data is complete. */
  hasLine = false
  data: Array<Uint8Array> = []
  /** Finds the id of an event above the cap, whose data is not kept. */
  sought: LostMessageId.LostMessageId | null = null
  isTold = false
}

/** Holds one event at most, up to the cap. Linear in the bytes, whatever the chunks: they come as the network cuts them. */
export class SseParser {
  /** The id of the last event that was complete and had one. */
  lastEventId: string | null = null
  /** How long the server wants us to wait before the next connection, in milliseconds. */
  retryMillis: number | null = null
  private readonly options: Options
  private event = new Event()
  /** The kind of the current line, as soon as its first bytes tell. */
  private line: "comment" | "data" | "field" | "unknown" = "unknown"
  private lineBytes = 0
  /** The beginning of a line that is a field, or may become one. */
  private head: Uint8Array = NOTHING
  private markBytes = 0
  private afterCarriageReturn = false

  constructor(options: Options) {
    this.options = options
  }

  /** Takes the next bytes, and tells at once of each event that they complete. */
  push(chunk: Uint8Array): void {
    const next = Bytes.nextOf(chunk, LF, CR)
    let at = this.afterCarriageReturn && chunk[0] === LF ? 1 : this.behindMark(chunk)
    if (chunk.length > 0) this.afterCarriageReturn = false
    while (at < chunk.length) {
      const end = next(at)
      if (end > at) this.text(chunk.subarray(at, end))
      if (end === chunk.length) return
      at = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1
      this.afterCarriageReturn = chunk[end] === CR && at === chunk.length
      this.endOfLine()
    }
  }
  /** Ends the stream. An event that was cut off counts for nothing, but a large answer is still told. */
  end(): void {
    if (this.event.sought !== null) this.endOfEvent()
  }
  /** Whether the event under way went on for so long that it is not worth waiting for its end. */
  get isEndless(): boolean {
    const { endlessBytes, maxBytes } = this.options
    return this.event.sought !== null && this.event.bytes > (endlessBytes ?? Framing.dropAfter(maxBytes))
  }

  private behindMark(chunk: Uint8Array): number {
    let at = 0
    while (this.markBytes < MARK.length && at < chunk.length && chunk[at] === MARK[this.markBytes]) {
      at++
      this.markBytes++
    }
    if (at < chunk.length) this.markBytes = MARK.length
    return at
  }
  private text(bytes: Uint8Array): void {
    this.lineBytes += bytes.length
    const rest = this.line === "unknown" ? this.begin(bytes) : bytes
    if (this.line === "comment") return this.options.onIdle?.(bytes.length)
    const { event } = this
    event.bytes += bytes.length
    if (this.line === "data") this.keep(rest)
    else if (this.line === "field") this.head = joined(this.head, rest.subarray(0, MAX_FIELD_BYTES - this.head.length))
    if (event.bytes <= this.options.maxBytes) return
    if (event.sought === null) this.seek()
    this.tellEarly()
  }
  /** Finds out what the line is. Returns the bytes behind what was needed for that. */
  private begin(bytes: Uint8Array): Uint8Array {
    const known = this.head.length
    const length = DATA.findIndex((byte, at) => (at < known ? this.head[at] : bytes[at - known]) !== byte)
    if (length === -1) {
      this.line = "data"
      this.head = NOTHING
      return bytes.subarray(DATA.length - known)
    }
    if (known + bytes.length === length) this.head = joined(this.head, bytes)
    else this.line = (known === 0 ? bytes[0] : this.head[0]) === COLON ? "comment" : "field"
    return bytes
  }
  private endOfLine(): void {
    if (this.lineBytes === 0) return this.endOfEvent()
    if (this.line === "data") this.event.hasLine = true
    else if (this.line !== "comment") this.field(Bytes.textOf([this.head]))
    this.beginLine()
  }
  private beginLine(): void {
    this.line = "unknown"
    this.lineBytes = 0
    this.head = NOTHING
  }
  /** A field without a meaning counts for nothing. */
  private field(line: string): void {
    const colon = line.indexOf(":")
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? "" : withoutSpace(line.slice(colon + 1))
    if (name === "event") this.event.name = value
    if (name === "id" && ID.test(value)) this.event.id = value
    if (name === "retry" && RETRY.test(value)) this.retryMillis = Number(value)
    this.options.onIdle?.(this.lineBytes)
  }
  private endOfEvent(): void {
    const { bytes, data, id, isTold, name, sought } = this.event
    const { onEvent, onIdle, onOversized } = this.options
    this.event = new Event()
    this.beginLine()
    if (id !== null) this.lastEventId = id
    if (sought === null) return data.length === 0 ? onIdle?.(0) : onEvent(withoutSpace(Bytes.textOf(data)), name)
    if (isTold) return
    const found = sought.result()
    if (found.isAnswer && isMessage(name)) onOversized({ bytes, id: found.id })
    else onIdle?.(bytes)
  }

  private keep(bytes: Uint8Array): void {
    const { data, hasLine, sought } = this.event
    const pieces = hasLine ? [NEWLINE, bytes] : [bytes]
    // Once for each line: the next one sets it again.
    this.event.hasLine = false
    if (sought === null) data.push(...pieces)
    else pieces.forEach(sought.push)
  }
  private seek(): void {
    const sought = LostMessageId.make()
    this.event.data.forEach(sought.push)
    this.event.data = []
    this.event.sought = sought
  }
  private tellEarly(): void {
    const { bytes, isTold, name, sought } = this.event
    if (isTold || sought?.hasOutcome() !== true || !isMessage(name)) return
    const { id, isAnswer } = sought.result()
    if (!isAnswer || (id === null && this.options.isOwn !== true)) return
    this.event.isTold = true
    this.options.onOversized({ bytes, id })
  }
}

const withoutSpace = (text: string): string => text.startsWith(" ") ? text.slice(1) : text

const joined = (head: Uint8Array, more: Uint8Array): Uint8Array => {
  if (head.length === 0) return more
  const both = new Uint8Array(head.length + more.length)
  both.set(head)
  both.set(more, head.length)
  return both
}
