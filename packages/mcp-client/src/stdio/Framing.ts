/**
 * Newline framing of a byte stream (MCP stdio): linear in the bytes, whatever the chunks, with a cap on one message.
 */
import * as LargeAnswers from "../base/LargeAnswers.ts"
import * as LostMessageId from "./LostMessageId.ts"

/** A message, or what is told of one that is above the cap. */
export type Whole =
  | {
    readonly _tag: "Line"
    readonly text: string
    /** It is big, and each of its characters took one byte: they are ASCII, or stand for bytes that were no text. */
    readonly isNarrow?: true
  }
  /** A message above the cap. It was discarded while it streamed by (Decision 11). */
  | {
    readonly _tag: "Oversized"
    readonly bytes: number
    readonly id: string | number | null
    readonly isAnswer: boolean
  }

/** What a stream of bytes turned out to hold. */
export type Frame =
  | Whole
  /** A message that went on beyond `dropAfter` bytes. It is the last frame: whatever follows is not looked at. */
  | { readonly _tag: "Endless"; readonly bytes: number }

/** Turns chunks into frames. */
export interface Decoder {
  /** Takes the next chunk and gives the frames that it completed, in order. Blank lines are no frames. */
  readonly push: (chunk: Uint8Array) => ReadonlyArray<Frame>
  /** How many bytes of a message have come whose end has not. */
  readonly unfinished: () => number
  /** How many blank lines came. */
  readonly blanks: () => number
  /** Whether any line has come to its end, a blank one included. */
  readonly hasLines: () => boolean
}

const NEWLINE = 0x0a

/** A message may go on to so many times the cap while it is discarded. */
export const ENDLESS_CAPS = 16
/** A cap below this one, which is the usual one, does not lower that bound. */
const USUAL_CAP = 16 * 1024 * 1024

/**
 * From which size on a message is taken for one without end: 16 times the cap, 256 MiB at least. Discarding costs time,
 * and a server that never ends its line would cost it for ever.
 */
export const dropAfter = (maxBytes: number): number => ENDLESS_CAPS * Math.max(maxBytes, USUAL_CAP)

/**
 * Begins to decode. Holds at most about twice `maxBytes`, and nothing of a message above it. Chunks of some size must stay
 * as they are (see `Framing`).
 */
export const make = (maxBytes: number, endlessBytes = dropAfter(maxBytes)): Decoder => new Lines(maxBytes, endlessBytes)

class Lines implements Decoder {
  private readonly maxBytes: number
  private readonly endlessBytes: number
  private readonly held = makePieces()
  private discarded: { bytes: number; readonly id: LostMessageId.LostMessageId } | null = null
  private isOver = false
  private hasEnded = false
  private blank = 0

  constructor(maxBytes: number, endlessBytes: number) {
    this.maxBytes = maxBytes
    this.endlessBytes = endlessBytes
  }

  unfinished(): number {
    return this.discarded?.bytes ?? this.held.length
  }
  blanks(): number {
    return this.blank
  }
  hasLines(): boolean {
    return this.hasEnded
  }
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
      this.discarded.id.push(takePiece(this.held))
    }
    this.discarded.bytes += bytes.length
    this.isOver = this.discarded.bytes > this.endlessBytes
    if (!this.isOver) this.discarded.id.push(bytes)
  }
  private hold(bytes: Uint8Array): void {
    if (this.discarded !== null || this.held.length + bytes.length > this.maxBytes) this.discard(bytes)
    else if (bytes.length > 0) appendPiece(this.held, bytes)
  }
  private line(frames: Array<Frame>, text: string, isNarrow = false): void {
    const trimmed = isTrim(text) ? text : text.trim()
    if (trimmed === "") this.blank++
    else frames.push(isNarrow ? { _tag: "Line", text: trimmed, isNarrow } : { _tag: "Line", text: trimmed })
  }
  private wholeLine(frames: Array<Frame>, bytes: Uint8Array): void {
    const text = decoder.decode(bytes)
    this.line(frames, text, isNarrow(text, bytes))
  }
  /** All lines in one decoding: for small messages that is most of the cost. */
  private lines(frames: Array<Frame>, bytes: Uint8Array): void {
    const text = decoder.decode(bytes)
    let from = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.line(frames, text.slice(from, end))
      from = end + 1
    }
    if (from === 0) this.line(frames, text, isNarrow(text, bytes))
    else this.line(frames, text.slice(from))
  }
  /** The end of what is held. */
  private complete(frames: Array<Frame>, last: Uint8Array): void {
    this.hold(last)
    // A flood of empty lines must not cost a decoding each.
    if (!this.isWithin) this.line(frames, "")
    else if (this.discarded === null) this.wholeLine(frames, takePiece(this.held))
    else if (!this.isOver) {
      frames.push({ _tag: "Oversized", bytes: this.discarded.bytes, ...this.discarded.id.result() })
      this.discarded = null
    }
  }
}

const isNarrow = (text: string, { length }: Uint8Array): boolean => length > LargeAnswers.BIG && text.length === length

/** It keeps nothing from one decoding to the next. */
const decoder = new TextDecoder()

/** Almost every line is as its writer's JSON, and looking at both ends costs less than trimming. */
const isTrim = (text: string): boolean => text.startsWith("{") && text.endsWith("}")

// The bytes of a message whose end has not come, as the pieces in which they came.

/** Bytes that were collected. */
export interface Pieces {
  /** How many bytes there are. */
  length: number
  whole: Array<Uint8Array>
  /** Where small pieces are copied to: what is before `sealed` is among the whole ones, from `filled` on it is free. */
  shelf: Uint8Array
  sealed: number
  filled: number
}

/**
 * A piece of so many bytes is kept as it is. Smaller ones are copied together, or bytes that come one by one would cost a
 * hundred times their size.
 */
export const WORTH_KEEPING = 4 * 1024

const LARGEST_SHELF = 16 * WORTH_KEEPING
const NOTHING = new Uint8Array(0)

/** Nothing was collected. */
export const makePieces = (): Pieces => ({ length: 0, whole: [], shelf: NOTHING, sealed: 0, filled: 0 })

/** Adds bytes, which must stay as they are from now on when they are `WORTH_KEEPING` or more. */
export const appendPiece = (pieces: Pieces, bytes: Uint8Array): void => {
  if (bytes.length < WORTH_KEEPING) copy(pieces, bytes)
  else {
    seal(pieces)
    pieces.whole.push(bytes)
  }
  pieces.length += bytes.length
}

/** Gives all bytes in one, and forgets them. Each was copied twice at most. */
export const takePiece = (pieces: Pieces): Uint8Array => {
  seal(pieces)
  const all = concat(pieces.whole, pieces.length)
  Object.assign(pieces, makePieces())
  return all
}

const copy = (pieces: Pieces, bytes: Uint8Array) => {
  if (pieces.filled + bytes.length > pieces.shelf.length) {
    seal(pieces)
    // As much again as there is, so that few are made.
    pieces.shelf = new Uint8Array(Math.max(bytes.length, Math.min(pieces.length, LARGEST_SHELF)))
    pieces.sealed = pieces.filled = 0
  }
  pieces.shelf.set(bytes, pieces.filled)
  pieces.filled += bytes.length
}

/** What is on the shelf so far counts as a piece, so that order is kept. */
const seal = (pieces: Pieces) => {
  const { filled, sealed, shelf } = pieces
  if (filled > sealed) pieces.whole.push(shelf.subarray(sealed, filled))
  pieces.sealed = filled
}

const concat = (pieces: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined) return only
  const all = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}
