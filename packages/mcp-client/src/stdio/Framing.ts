/** Newline framing of a byte stream (MCP stdio): linear in the bytes, whatever the chunks, with a cap on one message. */
import { DEFAULTS } from "@boocode/mcp-config"
import * as LostMessageId from "./LostMessageId.ts"

/** A message, or what is told of one that is above the cap. */
export type Whole =
  | { readonly _tag: "Line"; readonly text: string }
  /** A message above the cap. It was discarded while it streamed by (Decision 11). */
  | {
    readonly _tag: "Oversized"
    readonly bytes: number
    readonly id: string | number | null
    readonly isAnswer: boolean
  }

export type Frame =
  | Whole
  /** A message that went on beyond `dropAfter` bytes. It is the last frame: whatever follows is not looked at. */
  | { readonly _tag: "Endless"; readonly bytes: number }

const NEWLINE = 0x0a

/** A message may go on to so many times the cap while it is discarded. */
const ENDLESS_CAPS = 16
/**
 * From which size on a message is taken for one without end: 16 times the cap, or 16 times the default cap (256 MiB) where
 * that is more. Discarding costs time, and a server that never ends its line would cost it for ever.
 */
export const dropAfter = (maxBytes: number): number => ENDLESS_CAPS * Math.max(maxBytes, DEFAULTS.maxMessageBytes)

/** Turns chunks into frames. Holds at most about twice `maxBytes`, and nothing of a message above it. */
export class Framing {
  private readonly maxBytes: number
  private readonly endlessBytes: number
  private readonly held: Held
  private discarded: { bytes: number; readonly id: LostMessageId.LostMessageId } | null = null
  private isOver = false
  private hasEnded = false
  private blank = 0

  constructor(maxBytes: number, endlessBytes = dropAfter(maxBytes)) {
    this.maxBytes = maxBytes
    this.held = new Held(maxBytes)
    this.endlessBytes = endlessBytes
  }

  /** How many bytes of a message have come whose end has not. */
  unfinished(): number {
    return this.discarded?.bytes ?? this.held.length
  }
  blanks(): number {
    return this.blank
  }
  /** Whether any line has come to its end, a blank one included. */
  hasLines(): boolean {
    return this.hasEnded
  }
  /** Takes the next chunk and gives the frames that it completed, in order. Blank lines are no frames. */
  push(chunk: Uint8Array): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    if (this.isOver) return frames
    const last = chunk.lastIndexOf(NEWLINE)
    this.hasEnded ||= last !== -1
    let from = 0
    // One by one only what goes on from before, and what could be above the cap.
    while (from <= last && !this.isOver && (this.isWithin || last - from > this.maxBytes)) {
      const end = chunk.indexOf(NEWLINE, from)
      this.complete(frames, chunk.subarray(from, end))
      from = end + 1
    }
    if (from <= last && !this.isOver) {
      this.lines(frames, chunk.subarray(from, last))
      from = last + 1
    }
    if (!this.isOver) this.hold(from === 0 ? chunk : chunk.subarray(from))
    if (this.isOver) frames.push({ _tag: "Endless", bytes: this.discarded?.bytes ?? 0 })
    return frames
  }

  /** A message has begun, and not ended. */
  private get isWithin(): boolean {
    return this.held.length > 0 || this.discarded !== null
  }
  private discard(bytes: Uint8Array): void {
    if (this.discarded === null) {
      this.discarded = { bytes: this.held.length, id: LostMessageId.make() }
      this.discarded.id.push(this.held.take())
    }
    this.discarded.bytes += bytes.length
    this.isOver = this.discarded.bytes > this.endlessBytes
    if (!this.isOver) this.discarded.id.push(bytes)
  }
  private hold(bytes: Uint8Array): void {
    if (this.discarded !== null || this.held.length + bytes.length > this.maxBytes) this.discard(bytes)
    else this.held.add(bytes)
  }
  private line(frames: Array<Frame>, text: string): void {
    const trimmed = isTrim(text) ? text : text.trim()
    if (trimmed === "") this.blank++
    else frames.push({ _tag: "Line", text: trimmed })
  }
  /** All lines in one decoding: for small messages that is most of the cost. */
  private lines(frames: Array<Frame>, bytes: Uint8Array): void {
    const text = decoder.decode(bytes)
    let from = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.line(frames, text.slice(from, end))
      from = end + 1
    }
    this.line(frames, text.slice(from))
  }
  /** The end of what is held. */
  private complete(frames: Array<Frame>, last: Uint8Array): void {
    this.hold(last)
    // A flood of empty lines must not cost a decoding each.
    if (!this.isWithin) this.line(frames, "")
    else if (this.discarded === null) this.line(frames, decoder.decode(this.held.take()))
    else if (!this.isOver) {
      frames.push({ _tag: "Oversized", bytes: this.discarded.bytes, ...this.discarded.id.result() })
      this.discarded = null
    }
  }
}

/** It keeps nothing from one decoding to the next. */
const decoder = new TextDecoder()

/** Almost every line is as its writer's JSON, and looking at both ends costs less than trimming. */
const isTrim = (text: string): boolean => text.startsWith("{") && text.endsWith("}")

/** The bytes of a message whose end has not come, in one buffer that doubles: each byte is copied three times at most. */
class Held {
  length = 0
  private readonly maxBytes: number
  private buffer = NOTHING

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  add(bytes: Uint8Array): void {
    const length = this.length + bytes.length
    if (length > this.buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * length, this.maxBytes)))
      larger.set(this.buffer.subarray(0, this.length))
      this.buffer = larger
    }
    this.buffer.set(bytes, this.length)
    this.length = length
  }
  /** Gives all bytes, and holds nothing from then on, so that an idle connection costs nothing. */
  take(): Uint8Array {
    const all = this.buffer.subarray(0, this.length)
    this.buffer = NOTHING
    this.length = 0
    return all
  }
}

const NOTHING = new Uint8Array(0)
