/**
 * Newline framing of a byte stream (MCP stdio): linear in the bytes, whatever the chunks, with a cap on one message.
 */
import * as TopLevelId from "./TopLevelId.ts"

/**
 * A message, or what is told of one that is above the cap.
 *
 * @category models
 */
export type Whole =
  | { readonly _tag: "Line"; readonly text: string }
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
const FIRST_CAPACITY = 64 * 1024

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
 * Begins to decode. Holds at most about twice `maxBytes`, and nothing of a message above it.
 *
 * @category constructors
 */
export const make = (maxBytes: number, endlessBytes = dropAfter(maxBytes)): Decoder => {
  const text = new TextDecoder()
  const pending = growing()
  let discarded: { bytes: number; readonly id: TopLevelId.TopLevelId } | null = null
  let isOver = false
  let hasLines = false
  let blanks = 0

  const discard = (bytes: Uint8Array) => {
    if (discarded === null) {
      discarded = { bytes: 0, id: TopLevelId.make() }
      discarded.id.push(pending.take())
      discarded.bytes = pending.clear()
    }
    discarded.bytes += bytes.length
    isOver = discarded.bytes > endlessBytes
    if (!isOver) discarded.id.push(bytes)
  }
  const hold = (bytes: Uint8Array) => {
    if (discarded !== null || pending.length() + bytes.length > maxBytes) discard(bytes)
    else pending.append(bytes)
  }
  const line = (bytes: Uint8Array): Frame | null => {
    // A flood of empty lines must not cost a decoding each.
    const decoded = bytes.length === 0 ? "" : text.decode(bytes).trim()
    if (decoded !== "") return { _tag: "Line", text: decoded }
    blanks++
    return null
  }
  const complete = (last: Uint8Array): Frame | null => {
    if (discarded === null && pending.length() === 0 && last.length <= maxBytes) return line(last)
    hold(last)
    if (discarded !== null) {
      if (isOver) return null
      const frame: Frame = { _tag: "Oversized", bytes: discarded.bytes, ...discarded.id.result() }
      discarded = null
      return frame
    }
    const frame = line(pending.take())
    pending.clear()
    return frame
  }

  return {
    unfinished: () => discarded?.bytes ?? pending.length(),
    blanks: () => blanks,
    hasLines: () => hasLines,
    push: (chunk) => {
      const frames: Array<Frame> = []
      if (isOver) return frames
      let from = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1 && !isOver; end = chunk.indexOf(NEWLINE, from)) {
        hasLines = true
        const frame = complete(chunk.subarray(from, end))
        if (frame !== null) frames.push(frame)
        from = end + 1
      }
      if (from < chunk.length && !isOver) hold(chunk.subarray(from))
      if (isOver) frames.push({ _tag: "Endless", bytes: discarded?.bytes ?? 0 })
      return frames
    }
  }
}

/** A byte buffer that doubles, so that appending single bytes costs linear time and memory all the same. */
const growing = () => {
  let buffer = new Uint8Array(0)
  let length = 0
  const reserve = (needed: number) => {
    if (needed <= buffer.length) return
    const larger = new Uint8Array(Math.max(needed, buffer.length * 2, FIRST_CAPACITY))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }
  return {
    length: () => length,
    append: (bytes: Uint8Array) => {
      reserve(length + bytes.length)
      buffer.set(bytes, length)
      length += bytes.length
    },
    take: () => buffer.subarray(0, length),
    /** Forgets the content and gives how many bytes it had. A large buffer is given back. */
    clear: () => {
      const had = length
      length = 0
      if (buffer.length > FIRST_CAPACITY) buffer = new Uint8Array(0)
      return had
    }
  }
}
