/** The patterns of schemas, searched in time linear in the text: a server writes them, and none may stop ours. */
import * as Result from "effect/Result"
import { RE2JS } from "re2js"

export interface LinearPattern {
  /** Whether it matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /** The most that one character of text costs, in steps. */
  readonly steps: number
  /** False when it may match what ECMA-262 does not, so that nothing should follow from a match. */
  readonly isExact: boolean
}

const MAX_CHARACTERS = 1000
const MAX_STEPS = 1000

/**
 * Compiles a pattern, if it has at most 1,000 characters, RE2 knows its syntax (no back references, no look-around) and
 * its program is small; else null. It matches whatever ECMA-262 matches. Because servers check with Python and Rust,
 * too, `\w`, `\d` and `\s` are those of all scripts; a pattern in which that would refuse more is null, and so is one
 * that these languages read differently.
 */
export const make = (pattern: string): LinearPattern | null => {
  const written = pattern.length > MAX_CHARACTERS ? null : wide(pattern)
  if (written === null) return null
  return Result.getOrElse(
    Result.try((): LinearPattern | null => {
      const compiled = RE2JS.compile(written)
      const steps = compiled.programSize()
      const isExact = !/\\[sSwWdD]/.test(pattern)
      return steps > MAX_STEPS ? null : { test: (text) => compiled.matcher(text).find(), steps, isExact }
    }),
    () => null
  )
}

type Opened = "" | "[" | "[^"

/** A pattern for RE2 that matches at least what the given one matches in any of the languages; null when there is none. */
const wide = (pattern: string): string | null => {
  let opened: Opened = ""
  const parts: Array<string> = []
  for (const [token] of pattern.matchAll(TOKEN)) {
    const part = token.startsWith("\\") ? escaped(token, opened) : plain(token, opened)
    if (part === null) return null
    parts.push(part)
    if (opened === "" && (token === "[" || token === "[^")) opened = token
    else if (token === "]") opened = ""
  }
  return parts.join("")
}

const TOKEN = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|[^])|\[\^?\]|\[\^|\{,|[^]/gu

/** A list without members is read as one that begins with its own end; lists in lists and `{,3}` are not known to all. */
const plain = (token: string, opened: Opened): string | null => {
  if (opened === "") return /^\[\^?\]|^\{,/.test(token) ? null : token
  return token.startsWith("[") ? null : token
}

const escaped = (token: string, opened: Opened): string | null => {
  const members = WIDE.get(token)
  // In a list of what may not be, the narrow ones let more through.
  if (members !== undefined) return opened === "" ? `[${members}]` : opened === "[" ? members : token
  if (/^\\u(?![dD][89a-fA-F])./.test(token)) return `\\x{${token.slice(2)}}`
  return READ_DIFFERENTLY.test(token) || opened === "[^" && COMPLEMENT.test(token) ? null : token
}

/** Each begins and ends with a list of its own, so that a dash beside it is no range. */
const WIDE: ReadonlyMap<string, string> = new Map([
  ["\\w", String.raw`\w\x{200C}\x{200D}\p{L}\p{M}\p{N}\p{Pc}`],
  ["\\d", String.raw`\d\p{Nd}`],
  ["\\s", String.raw`\s\x0B\x1C-\x1F\x{85}\x{FEFF}\x{2028}\x{2029}\p{Zs}`]
])

const COMPLEMENT = /^\\[DPSW]/

/** Ends and quotes that ECMA-262 does not know, properties in short, octal numbers, and the edges of words. */
const READ_DIFFERENTLY = /^\\[aACEQzZbBuxpP0-9]$/
