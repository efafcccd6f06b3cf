/**
 * The bytes of a message whose end has not come, as the pieces in which they came.
 */

/** Bytes that were collected. @category models */
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
 * hundred times their size. @category constants
 */
export const WORTH_KEEPING = 4 * 1024

const LARGEST_SHELF = 16 * WORTH_KEEPING
const NOTHING = new Uint8Array(0)

/** Nothing was collected. @category constructors */
export const make = (): Pieces => ({ length: 0, whole: [], shelf: NOTHING, sealed: 0, filled: 0 })

/**
 * Adds bytes, which must stay as they are from now on when they are `WORTH_KEEPING` or more.
 *
 * @category combinators
 */
export const append = (pieces: Pieces, bytes: Uint8Array): void => {
  if (bytes.length < WORTH_KEEPING) copy(pieces, bytes)
  else {
    seal(pieces)
    pieces.whole.push(bytes)
  }
  pieces.length += bytes.length
}

/**
 * Gives all bytes in one, and forgets them. Each was copied twice at most.
 *
 * @category combinators
 */
export const take = (pieces: Pieces): Uint8Array => {
  seal(pieces)
  const all = concat(pieces.whole, pieces.length)
  Object.assign(pieces, make())
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
