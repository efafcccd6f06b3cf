/**
 * Newline framing of a byte stream (MCP stdio): linear in the bytes, whatever the chunks, with a cap on one message.
 */
import * as TopLevelId from "./TopLevelId.ts"

/**
 * What a stream of bytes turned out to hold.
 *
 * @category models
 */
export type Frame =
  | { readonly _tag: "Line"; readonly text: string }
  /** A message above the cap. It was discarded while it streamed by (Decision 11). */
  | {
    readonly _tag: "Oversized"
    readonly bytes: number
    readonly id: string | number | null
    readonly isAnswer: boolean
  }

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
}

const NEWLINE = 0x0a
const FIRST_CAPACITY = 64 * 1024

/**
 * Begins to decode. Holds at most about twice `maxBytes`, and nothing of a message above it.
 *
 * @category constructors
 */
export const make = (maxBytes: number): Decoder => {
  const text = new TextDecoder()
  const pending = growing()
  let discarded: { bytes: number; readonly id: TopLevelId.TopLevelId } | null = null

  const discard = (bytes: Uint8Array) => {
    if (discarded === null) {
      discarded = { bytes: 0, id: TopLevelId.make() }
      discarded.id.push(pending.take())
      discarded.bytes = pending.clear()
    }
    discarded.id.push(bytes)
    discarded.bytes += bytes.length
  }
  const hold = (bytes: Uint8Array) => {
    if (discarded !== null || pending.length() + bytes.length > maxBytes) discard(bytes)
    else pending.append(bytes)
  }
  const line = (bytes: Uint8Array): Frame | null => {
    const decoded = text.decode(bytes).trim()
    return decoded === "" ? null : { _tag: "Line", text: decoded }
  }
  const complete = (last: Uint8Array): Frame | null => {
    if (discarded === null && pending.length() === 0 && last.length <= maxBytes) return line(last)
    hold(last)
    if (discarded !== null) {
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
    push: (chunk) => {
      const frames: Array<Frame> = []
      let from = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const frame = complete(chunk.subarray(from, end))
        if (frame !== null) frames.push(frame)
        from = end + 1
      }
      if (from < chunk.length) hold(chunk.subarray(from))
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
