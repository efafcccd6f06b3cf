/** Text measured and cut by its bytes of UTF-8, never inside a character. */

/** How many bytes the text has as UTF-8. */
export const byteLength = (text: string): number => {
  if (text.length <= COUNTED) return counted(text)
  // Encoded piece by piece: that is several times as fast as counting, and results may have many megabytes.
  let bytes = 0
  for (let start = 0; start < text.length;) {
    const { read, written } = ENCODER.encodeInto(text.slice(start, endOfPiece(text, start)), ROOM)
    bytes += written
    start += read
  }
  return bytes
}

/** Whether the text has at most so many bytes as UTF-8; mostly its length tells. */
export const isWithin = (text: string, maxBytes: number): boolean =>
  // A unit has one byte to three.
  text.length * 3 <= maxBytes || (text.length <= maxBytes && byteLength(text) <= maxBytes)

const COUNTED = 1000
const PIECE = 1 << 16
const ENCODER = new TextEncoder()
/** Only written to: making it anew for each text takes far longer than the encoding. */
const ROOM = new Uint8Array(3 * PIECE)

const endOfPiece = (text: string, start: number): number => {
  const end = start + PIECE
  return isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end)) ? end - 1 : end
}

const counted = (text: string): number => {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (isHigh(unit) && isLow(text.charCodeAt(index + 1))) {
      bytes += 4
      index += 1
    } else bytes += 3
  }
  return bytes
}

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
  let bytes = 0
  let start = text.length
  while (start > 0) {
    const pair = isLow(text.charCodeAt(start - 1)) && start > 1 && isHigh(text.charCodeAt(start - 2))
    const from = pair ? start - 2 : start - 1
    bytes += byteLength(text.slice(from, start))
    if (bytes > maxBytes) return text.slice(start)
    start = from
  }
  return text
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
