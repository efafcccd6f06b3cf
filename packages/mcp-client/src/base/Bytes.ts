/** Bytes as a pipe or a response brings them, in pieces: their text, and the next of two bytes. */

/** Keeps nothing from one text to the next. */
const decoder = new TextDecoder()

/** Decodes UTF-8 in one go, without joining what came in one piece. */
export const textOf = (pieces: ReadonlyArray<Uint8Array>): string => {
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

/**
 * Where the next of the two is, at or after an index; the length of the chunk when there is none. To be asked for rising
 * indices.
 */
export const nextOf = (chunk: Uint8Array, first: number, second: number): (from: number) => number => {
  const [one, other] = [next(chunk, first), next(chunk, second)]
  return (from) => Math.min(one(from), other(from))
}

const next = (chunk: Uint8Array, byte: number) => {
  let found = -1
  return (from: number) => {
    if (found < from) found = chunk.indexOf(byte, from)
    if (found === -1) found = chunk.length
    return found
  }
}
