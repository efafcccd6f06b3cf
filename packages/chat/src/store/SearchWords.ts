/** Words as a search knows them, the same in every store, whatever its engine makes of languages. Pure. */

const TEXT_CHARACTERS = 200_000
const WORD_CHARACTERS = 64
/** More words than these do not narrow a search any further. */
const QUERY_WORDS = 32
const EXCERPT_CHARACTERS = 200
const EXCERPT_BEFORE = 60

/** The part of a text that can be found. */
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

/** Every word of a text once, folded. */
export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words = new Set((searchable(text).match(WORD) ?? []).map(fold))
  words.delete("")
  return [...words]
}

/** The words to look for. Without any, nothing is found. */
export const queryOf = (query: string): ReadonlyArray<string> => wordsOf(query).slice(0, QUERY_WORDS)

/** The part of a text around the first word that begins so; its beginning when there is none. */
export const excerptOf = (text: string, word: string): string => {
  const whole = searchable(text)
  const hit = [...whole.matchAll(WORD)].find(([found]) => fold(found).startsWith(word))
  const start = hit === undefined || hit.index <= EXCERPT_BEFORE ? 0 : hit.index - EXCERPT_BEFORE
  return whole.slice(start, start + EXCERPT_CHARACTERS).toWellFormed().replaceAll(/\s+/g, " ").trim()
}

/** The answer of a turn: its text, without the text that a new request took back. */
export const answerOf = (parts: Iterable<{ readonly type: string; readonly text?: string }>): string => {
  let [settled, open] = ["", ""]
  for (const { text, type } of parts) {
    if (type === "text-delta") open += text ?? ""
    else if (type === "retry") open = ""
    else if (type === "tool-call") open += open === "" ? "" : "\n"
    else if (type === "tool-result") {
      settled += open
      open = ""
    }
  }
  return settled + open
}
