/** Words as a search knows them, the same in every store, whatever its engine makes of languages. Pure. */

const TEXT_CHARACTERS = 200_000
const WORD_CHARACTERS = 64
/** More words than these do not narrow a search any further. */
const QUERY_WORDS = 32
const EXCERPT_CHARACTERS = 200
const EXCERPT_BEFORE = 60

export const searchable = (text: string): string => text.slice(0, TEXT_CHARACTERS).toWellFormed().replaceAll("\0", " ")

/** Scripts that do not part words by spaces: there each sign is a word. */
const SIGN = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{Script=${script}}`).join("")

const WORD = new RegExp(`[${SIGN}]|(?:(?![${SIGN}])[\\p{L}\\p{N}])(?:(?![${SIGN}])[\\p{L}\\p{N}\\p{M}])*`, "gu")

/** Small letters without accents; the plain form of a fancy one. */
const fold = (word: string): string => {
  if (/^[a-z0-9]+$/.test(word)) return word.slice(0, WORD_CHARACTERS)
  const plain = word.normalize("NFKD").toLowerCase().normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "")
  return plain.slice(0, WORD_CHARACTERS).toWellFormed()
}

export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = new Set((searchable(text).match(WORD) ?? []).map(fold))
  words.delete("")
  return [...words]
}

/** The words to look for. Without any, nothing is found. */
export const queryOf = (query: string): ReadonlyArray<string> => wordsOf(query).slice(0, QUERY_WORDS)

/** Where the first of these words, or beginnings of words, stands; null where none does. */
export const firstOf = (text: string, words: ReadonlyArray<string>): number | null =>
  [...searchable(text).matchAll(WORD)].find(([found]) => beginsWith(fold(found), words))?.index ?? null

/** The part of a text around a place in it, on one line; its beginning for null. */
export const excerptAround = (text: string, at: number | null): string => {
  const whole = searchable(text)
  const start = at === null || at <= EXCERPT_BEFORE ? 0 : at - EXCERPT_BEFORE
  return whole.slice(start, start + EXCERPT_CHARACTERS).toWellFormed().replaceAll(/\s+/g, " ").trim()
}

/** The part of a text around the first word that begins so; its beginning when there is none. */
export const excerptOf = (text: string, word: string): string => excerptAround(text, firstOf(text, [word]))

/** Where words that begin so stand, from the first character of each up to the one after it. */
export const marksIn = (text: string, words: ReadonlyArray<string>): ReadonlyArray<readonly [number, number]> =>
  [...text.matchAll(WORD)].filter(([found]) => beginsWith(fold(found), words))
    .map(({ 0: found, index }) => [index, index + found.length])

const beginsWith = (word: string, beginnings: ReadonlyArray<string>): boolean =>
  beginnings.some((beginning) => word.startsWith(beginning))

/** A part of a turn, as far as its answer is made of it. */
export interface AnswerPart {
  readonly seq: number
  readonly type: string
  readonly text?: string
}

/** The pieces of the answer of a turn, without the text that a new request took back. */
export const answerPieces = (
  parts: Iterable<AnswerPart>
): ReadonlyArray<{ readonly seq: number; readonly text: string }> => {
  const settled = []
  let open = []
  for (const { seq, text = "", type } of parts) {
    if (type === "text-delta") open.push({ seq, text })
    else if (type === "retry") open = []
    else if (type === "tool-call") open.push({ seq, text: open.length === 0 ? "" : "\n" })
    else if (type === "tool-result") settled.push(...open.splice(0))
  }
  return [...settled, ...open]
}

/** The answer of a turn: its text, without the text that a new request took back. */
export const answerOf = (parts: Iterable<AnswerPart>): string => answerPieces(parts).map(({ text }) => text).join("")
