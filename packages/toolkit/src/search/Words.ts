/** Text as the words that a search compares: without case and accents, in the parts that names are made of. */

/** The runs of letters and digits, and those of a script that puts no spaces between words. */
export const pieces = (text: string): ReadonlyArray<string> =>
  (ASCII.test(text) ? text.match(/[A-Za-z0-9]+/g) : folded(text).match(PIECES)) ?? []

/**
 * The words of a piece. `YouTube` is `youtube`, `you` and `tube`; `files` is `file`, because a plural counts as its
 * singular; of a script without spaces it is each pair of characters.
 */
export const ofPiece = (piece: string): ReadonlyArray<string> => {
  if (DENSE.test(piece)) return pairs([...piece])
  const parts = IS_MIXED.test(piece) ? piece.match(PARTS) ?? [] : []
  // Single letters are what remains of `it's` and `e.g.`.
  return [piece, ...parts].filter((part) => !/^[A-Za-z]$/.test(part)).map((part) => singular(part.toLowerCase()))
}

/** The words of a text, without those that come again. */
export const distinct = (text: string): ReadonlyArray<string> => [...new Set(pieces(text).flatMap(ofPiece))]

/** A name as a person might type it from memory: letters and digits alone. */
export const squashed = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "")
    : folded(text).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "")

const ASCII = /^[\0-\x7f]*$/

/** Scripts that put no spaces between words. */
const DENSE =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/v
const PIECES =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]]+/gv
const IS_MIXED = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u
const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|[\p{Lm}\p{Lo}\p{M}]+|\p{N}+/gu

// Only the marks of Latin, Greek and Cyrillic: those of other scripts are letters to their readers.
const folded = (text: string): string =>
  ASCII.test(text) ? text : text.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "").normalize("NFC")

const pairs = (characters: ReadonlyArray<string>): ReadonlyArray<string> =>
  characters.length === 1 ? characters : characters.slice(1).map((character, at) => `${characters[at]}${character}`)

/** Harman's rule for plurals, which also fits French, Spanish and Portuguese; nothing else is cut. */
const singular = (word: string): string => {
  if (word.length < 4 || !word.endsWith("s")) return word
  if (word.endsWith("ies")) return /[ae]ies$/.test(word) ? word : `${word.slice(0, -3)}y`
  if (word.endsWith("es")) return /[aeo]es$/.test(word) ? word : word.slice(0, -1)
  return /[us]s$/.test(word) ? word : word.slice(0, -1)
}
