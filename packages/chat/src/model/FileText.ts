/** The text of a file that a person attaches: which encoding it has, and whether it is text at all. */
import * as Result from "effect/Result"

export interface FileText {
  readonly text: string
  /** How its bytes were read, where that is a guess; else null. */
  readonly note: string | null
}

/**
 * The text that the bytes are in UTF-8, in UTF-16 when they begin with its mark, else in Windows-1252, which has all of
 * Latin-1 and says so in `note`. Null for bytes that are no text: those with a NUL, or with many control characters.
 */
export const decode = (bytes: Uint8Array): FileText | null => {
  const marked = MARKS.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))
  if (marked !== undefined) return plain(decoded(marked.encoding, bytes))
  const text = decoded("utf-8", bytes)
  if (text !== null) return plain(text)
  const guessed = decoded("windows-1252", bytes)
  return guessed === null || isBinary(guessed) ? null : { text: guessed, note: GUESSED }
}

const GUESSED = "its bytes are not UTF-8, so they were read as Windows-1252 (Latin-1)"

const MARKS = [
  { encoding: "utf-16le", mark: [0xff, 0xfe] },
  { encoding: "utf-16be", mark: [0xfe, 0xff] }
] as const

const plain = (text: string | null): FileText | null =>
  text === null || isBinary(text) ? null : { text: text.toWellFormed(), note: null }

const decoded = (encoding: string, bytes: Uint8Array): string | null =>
  Result.getOrNull(Result.try(() => new TextDecoder(encoding, { fatal: true }).decode(bytes)))

const SAMPLE = 65_536

/** Text has tabs, line breaks, form feeds and the escapes of terminals; other control characters are rare in it. */
const isBinary = (text: string): boolean => {
  if (text.includes("\0")) return true
  const sample = text.slice(0, SAMPLE)
  return (sample.match(CONTROLS)?.length ?? 0) * 50 > sample.length
}

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROLS = /[\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]/g
