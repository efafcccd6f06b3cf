/** Text as the words that a search compares: without case and accents, in the parts that names are made of. */

/** Runs `use` for each run of letters and digits, and for each run of a script that puts no spaces between words. */
export const pieces = (text: string, use: (piece: string) => void): void =>
  spans(text, { plain: (start, end) => use(text.slice(start, end)), folded: use })

/** Who takes the pieces of a text. */
export interface PieceVisitor {
  /** A piece of ASCII letters and digits, by its place and a number made of its characters. */
  readonly plain: (start: number, end: number, hash: number) => void
  /** Any other piece. */
  readonly folded: (piece: string) => void
}

/**
 * The same without a string for each piece: most pieces of a text have been met before, and making them is a quarter of
 * what indexing costs.
 */
export const spans = (text: string, visitor: PieceVisitor): void => {
  const { length } = text
  let at = 0
  while (at < length) {
    const start = at
    let hash = 0
    let kind = 0
    // Most text is ASCII, and read by hand it takes a third of the time.
    for (; at < length; at++) {
      const code = text.charCodeAt(at)
      const now = code > 127 ? OTHER : ALPHANUMERIC[code] ?? 0
      if (now === 0) break
      kind |= now
      hash = Math.imul(hash, 31) + code | 0
    }
    if (kind === PLAIN) visitor.plain(start, at, hash)
    else if (kind !== 0) { for (const [piece] of folded(text.slice(start, at)).matchAll(PIECES)) visitor.folded(piece) }
    at++
  }
}

const PLAIN = 1
const OTHER = 2
const ALPHANUMERIC = Uint8Array.from(
  { length: 128 },
  (_, code) => /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? PLAIN : 0
)

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
export const distinct = (text: string): ReadonlyArray<string> => {
  const words = new Set<string>()
  pieces(text, (piece) => ofPiece(piece).forEach((word) => words.add(word)))
  return [...words]
}

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
