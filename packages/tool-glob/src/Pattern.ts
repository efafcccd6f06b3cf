/**
 * One pattern, ready to be compared with names in linear time: what stands between its stars is searched from left to
 * right, each piece by Knuth, Morris and Pratt, so no character is ever gone back to.
 */

/** Gives the UTF-16 code unit at an index. Every comparison with a name reads once, so that a test can count them. */
export type Read = (index: number) => number

interface Piece {
  readonly text: string
  /** For each length of a partial match, the length of its longest proper prefix that is also its suffix. */
  readonly borders: ReadonlyArray<number>
}

/** A pattern without its `!`. */
export interface Pattern {
  readonly prefix: string
  /** The pieces between stars; null when there is no star at all. */
  readonly middle: ReadonlyArray<Piece> | null
  readonly suffix: string
}

/** Reads a pattern. `*` stands for any run of characters; every other character stands for itself. */
export const make = (text: string): Pattern => {
  const [prefix = "", ...others] = text.split("*")
  const suffix = others.pop()
  if (suffix === undefined) return { prefix, middle: null, suffix: "" }
  return { prefix, middle: others.filter((piece) => piece !== "").map(makePiece), suffix }
}

/** Compares a pattern with a name of `length` characters. At most three reads a character. */
export const test = (pattern: Pattern, length: number, read: Read): boolean => {
  const { middle, prefix, suffix } = pattern
  const end = length - suffix.length
  if (middle === null ? length !== prefix.length : end < prefix.length) return false
  if (!standsAt(prefix, 0, read) || !standsAt(suffix, end, read)) return false
  let from = prefix.length
  for (const piece of middle ?? []) {
    from = findAfter(piece, from, end, read)
    if (from === NOT_FOUND) return false
  }
  return true
}

const NOT_FOUND = -1

const standsAt = (text: string, start: number, read: Read): boolean => {
  for (let index = 0; index < text.length; index++) {
    if (read(start + index) !== text.charCodeAt(index)) return false
  }
  return true
}

/** The index after the first place of a piece between two indices. */
const findAfter = ({ borders, text }: Piece, from: number, end: number, read: Read): number => {
  let matched = 0
  for (let index = from; index < end; index++) {
    while (matched > 0 && read(index) !== text.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (read(index) === text.charCodeAt(matched)) matched++
    if (matched === text.length) return index + 1
  }
  return NOT_FOUND
}

const makePiece = (text: string): Piece => {
  const borders = [0]
  let matched = 0
  for (let index = 1; index < text.length; index++) {
    while (matched > 0 && text[index] !== text[matched]) matched = borders[matched - 1] ?? 0
    if (text[index] === text[matched]) matched++
    borders.push(matched)
  }
  return { text, borders }
}
