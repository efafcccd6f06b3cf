/**
 * Whether a text is what a pattern names. Texts are taken for paths, because most arguments that matter are paths or
 * addresses: `..`, `//`, backslashes and `%2e` must not lead around a pattern.
 */
import { ToolGlob } from "@boocode/tool-glob"

/** How a pattern is compared with a text; both are in the same form. */
interface Compare {
  readonly is: (pattern: string, text: string) => boolean
  /** Whether the text is the pattern below some folder. */
  readonly endsIn: (pattern: string, text: string) => boolean
}

/** `*` matches any run of characters, `/` included. No other character is special. */
export const GLOB: Compare = {
  // The `!` is the one that `matches` ignores, so that one of the pattern counts.
  is: (pattern, text) => ToolGlob.matches(`!${pattern}`, text),
  endsIn: (pattern, text) => ToolGlob.matches(`!*/${pattern}`, text)
}

/** The two are the same text. */
export const LITERAL: Compare = {
  is: (pattern, text) => pattern === text,
  endsIn: (pattern, text) => text.endsWith(`/${pattern}`)
}

/**
 * Whether an allowance for this pattern covers the text. The text must match as it is written and as what it means, case
 * included. A text that climbs above its beginning, or that holds a NUL or half of a character, is covered by nothing.
 */
export const covers = (pattern: string, text: string, { is }: Compare): boolean => {
  const meant = meaning(text)
  if (climbs(meant) || text.includes("\0") || !text.isWellFormed()) return false
  const form = pattern.includes("/") ? tidy : nfc
  return is(meaning(pattern), meant) && is(form(pattern), form(text))
}

/**
 * Whether a prohibition of this pattern reaches the text: it matches in one of its forms, case left aside. Where the text
 * leads elsewhere (an absolute path, `..`, `~`), a relative pattern reaches it in any folder.
 */
export const reaches = (pattern: string, text: string, { endsIn, is }: Compare): boolean =>
  [nfc, tidy, meaning].some((form) => is(folded(form(pattern)), folded(form(text)))) ||
  ELSEWHERE.test(meaning(text)) && endsIn(folded(meaning(pattern)), folded(meaning(text)))

const ELSEWHERE = /^(?:\/|~|\.\.|file:|[a-z]:)/i

/** A step up, as systems read it: Windows leaves dots and spaces at the end of a name out. */
const UP = /^(?:[a-z]:)?\.\.[. ]*$/i

const nfc = (text: string): string => text.normalize("NFC")

/** Upper case first, because some letters have two lower ones. */
const folded = (text: string): string => text.toUpperCase().toLowerCase()

/** A path as it stands, without `//` and `.`. */
const tidy = (text: string): string => {
  const steps = nfc(text).split("/").filter((step) => step !== "" && step !== ".")
  return (text.startsWith("/") ? "/" : "") + steps.join("/")
}

/** What a path or an address leads to, as far as the text tells: `..` taken back, and what readers of addresses decode. */
const meaning = (text: string): string => {
  const plain = nfc(text).replace(/[\t\r\n]/g, "").replace(/%2e/gi, ".").replace(/%2f|%5c|\\/gi, "/")
  const steps: Array<string> = []
  for (const step of tidy(plain).split("/")) {
    const isUp = UP.test(step)
    if (isUp && steps.length > 0 && !["", ".."].includes(steps.at(-1) ?? "")) steps.pop()
    else steps.push(isUp ? ".." : step)
  }
  return steps.join("/")
}

const climbs = (meant: string): boolean => /^\/?\.\.(?:\/|$)/.test(meant)
