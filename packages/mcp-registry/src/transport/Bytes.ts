/**
 * The text of bytes that came in pieces.
 */

/** Keeps nothing from one text to the next. */
const decoder = new TextDecoder()

/** Decodes UTF-8 in one go, without joining what came in one piece. @category decoding */
export const text = (pieces: ReadonlyArray<Uint8Array>): string => {
  const [only] = pieces
  return decoder.decode(only !== undefined && pieces.length === 1 ? only : joined(pieces))
}

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((bytes, { length }) => bytes + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
