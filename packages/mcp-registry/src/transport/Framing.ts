/**
 * Newline framing of a byte stream (MCP stdio): linear in the bytes, whatever the chunks, with a cap on one message.
 */
import * as Pieces from "./Pieces.ts"
import * as TopLevelId from "./TopLevelId.ts"

/**
 * A message, or what is told of one that is above the cap.
 *
 * @category models
 */
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

/**
 * What a stream of bytes turned out to hold.
 *
 * @category models
 */
export type Frame =
  | Whole
  /** A message that went on beyond `dropAfter` bytes. It is the last frame: whatever follows is not looked at. */
  | { readonly _tag: "Endless"; readonly bytes: number }

/**
 * Turns chunks into frames.
 *
 * @category models
 */
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
/** From so many bytes on it pays to know what a message is made of. */
const BIG = 64 * 1024

/** A message may go on to so many times the cap while it is discarded. @category constants */
export const ENDLESS_CAPS = 16
/** A cap below this one, which is the usual one, does not lower that bound. */
const USUAL_CAP = 16 * 1024 * 1024

/**
 * From which size on a message is taken for one without end: 16 times the cap, 256 MiB at least. Discarding costs time,
 * and a server that never ends its line would cost it for ever.
 *
 * @category getters
 */
export const dropAfter = (maxBytes: number): number => ENDLESS_CAPS * Math.max(maxBytes, USUAL_CAP)

/**
 * Begins to decode. Holds at most about twice `maxBytes`, and nothing of a message above it. Chunks of some size must stay
 * as they are (see `Pieces`).
 *
 * @category constructors
 */
export const make = (maxBytes: number, endlessBytes = dropAfter(maxBytes)): Decoder => {
  const held = Pieces.make()
  let discarded: { bytes: number; readonly id: TopLevelId.TopLevelId } | null = null
  let isOver = false
  let hasLines = false
  let blanks = 0

  const discard = (bytes: Uint8Array) => {
    if (discarded === null) {
      discarded = { bytes: held.length, id: TopLevelId.make() }
      discarded.id.push(Pieces.take(held))
    }
    discarded.bytes += bytes.length
    isOver = discarded.bytes > endlessBytes
    if (!isOver) discarded.id.push(bytes)
  }
  const hold = (bytes: Uint8Array) => {
    if (discarded !== null || held.length + bytes.length > maxBytes) discard(bytes)
    else if (bytes.length > 0) Pieces.append(held, bytes)
  }
  const line = (frames: Array<Frame>, text: string, isNarrow = false) => {
    const trimmed = isTrim(text) ? text : text.trim()
    if (trimmed === "") blanks++
    else frames.push(isNarrow ? { _tag: "Line", text: trimmed, isNarrow } : { _tag: "Line", text: trimmed })
  }
  const wholeLine = (frames: Array<Frame>, bytes: Uint8Array) => {
    const text = decoder.decode(bytes)
    line(frames, text, bytes.length > BIG && text.length === bytes.length)
  }
  /** All lines in one decoding: for small messages that is most of the cost. */
  const lines = (frames: Array<Frame>, bytes: Uint8Array) => {
    const text = decoder.decode(bytes)
    let from = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      line(frames, text.slice(from, end))
      from = end + 1
    }
    line(frames, from === 0 ? text : text.slice(from))
  }
  /** The end of what is held. */
  const complete = (frames: Array<Frame>, last: Uint8Array) => {
    hold(last)
    // A flood of empty lines must not cost a decoding each.
    if (discarded === null && held.length === 0) line(frames, "")
    else if (discarded === null) wholeLine(frames, Pieces.take(held))
    else if (!isOver) {
      frames.push({ _tag: "Oversized", bytes: discarded.bytes, ...discarded.id.result() })
      discarded = null
    }
  }

  return {
    unfinished: () => discarded?.bytes ?? held.length,
    blanks: () => blanks,
    hasLines: () => hasLines,
    push: (chunk) => {
      const frames: Array<Frame> = []
      if (isOver) return frames
      const last = chunk.lastIndexOf(NEWLINE)
      hasLines ||= last !== -1
      let from = 0
      // One by one only what goes on from before, and what could be above the cap.
      while (from <= last && !isOver && (held.length > 0 || discarded !== null || last - from > maxBytes)) {
        const end = chunk.indexOf(NEWLINE, from)
        complete(frames, chunk.subarray(from, end))
        from = end + 1
      }
      if (from <= last && !isOver) {
        lines(frames, chunk.subarray(from, last))
        from = last + 1
      }
      if (!isOver) hold(from === 0 ? chunk : chunk.subarray(from))
      if (isOver) frames.push({ _tag: "Endless", bytes: discarded?.bytes ?? 0 })
      return frames
    }
  }
}

/** It keeps nothing from one decoding to the next. */
const decoder = new TextDecoder()

/** Almost every line is as its writer's JSON, and looking at both ends costs less than trimming. */
const isTrim = (text: string): boolean => text.startsWith("{") && text.endsWith("}")
