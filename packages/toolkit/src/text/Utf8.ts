/** Text measured and cut by its bytes of UTF-8, never inside a character. */

/** How many bytes the text has as UTF-8. */
export const byteLength = (text: string): number =>
  text.length <= SHORT ? ENCODER.encodeInto(text, SCRATCH).written : ENCODER.encode(text).length

// Each call measures several short texts, and new bytes for one take longer than its encoding.
const SHORT = 1000
const SCRATCH = new Uint8Array(SHORT * 3)

/** Whether the text has at most so many bytes as UTF-8; mostly its length tells. */
export const isWithin = (text: string, maxBytes: number): boolean =>
  // A unit has one byte to three.
  text.length * 3 <= maxBytes || (text.length <= maxBytes && byteLength(text) <= maxBytes)

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true })

/** The longest start of the text that has at most `maxBytes` bytes. */
export const prefix = (text: string, maxBytes: number): string => {
  // A unit has at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  // `encodeInto` stops before the first character that does not fit whole.
  const room = new Uint8Array(Math.min(Math.max(0, Math.floor(maxBytes)), text.length * 3))
  return text.slice(0, new TextEncoder().encodeInto(text, room).read)
}

/** The longest end of the text that has at most `maxBytes` bytes. */
export const suffix = (text: string, maxBytes: number): string => {
  // A unit has at least one byte.
  const start = Math.max(0, text.length - Math.max(0, Math.floor(maxBytes)))
  const tail = text.slice(isInside(text, start) ? start + 1 : start)
  const bytes = ENCODER.encode(tail)
  const over = bytes.length - maxBytes
  if (over <= 0) return tail
  const from = bytes.findIndex((byte, at) => at >= over && (byte & 0xc0) !== 0x80)
  return from === -1 ? "" : tail.slice(DECODER.decode(bytes.subarray(0, from)).length)
}

/** Whether a place is between the two halves of a character. */
const isInside = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
