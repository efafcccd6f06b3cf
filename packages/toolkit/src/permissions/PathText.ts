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
 * included. Nothing covers a text that climbs above its beginning, that has a step up which some systems read in another
 * way, or that holds a NUL or half of a character.
 */
export const covers = (pattern: string, text: string, { is }: Compare): boolean => {
  const meant = meaning(text)
  const isDoubtful = stepsOf(decoded(text)).some(isUp) && plainReadings(text).some((plain) => plain !== meant)
  if (isDoubtful || CLIMBS.test(meant) || text.includes("\0") || !text.isWellFormed()) return false
  const form = pattern.includes("/") ? tidy : nfc
  return is(meaning(pattern), meant) && is(form(pattern), form(text))
}

/**
 * Whether a prohibition of this pattern reaches the text: it matches in one of its forms, case left aside. A pattern over
 * all that is in a folder reaches the folder itself. Where the text leads elsewhere (an absolute path, `..`, `~`), a
 * relative pattern reaches it in any folder.
 */
export const reaches = (pattern: string, text: string, { endsIn, is }: Compare): boolean =>
  [text, browsed(text)].some((read) =>
    [nfc, tidy, meaning].some((form) => isOrHolds(is, form(pattern), form(read))) ||
    ELSEWHERE.test(meaning(read)) && isOrHolds(endsIn, meaning(pattern), meaning(read))
  )

const isOrHolds = (compare: Compare["is"], pattern: string, text: string): boolean =>
  [text, `${text}/`].some((one) => compare(folded(pattern), folded(one)))

const ELSEWHERE = /^(?:\/|~|\.\.|file:|[a-z]:)/i

const CLIMBS = /^\/?\.\.(?:\/|$)/

const nfc = (text: string): string => text.normalize("NFC")

/** Upper case first, because some letters have two lower ones. */
const folded = (text: string): string => text.toUpperCase().toLowerCase()

const stepsOf = (text: string): ReadonlyArray<string> =>
  text.split("/").filter((step, index) => step !== "." && (step !== "" || index === 0))

/** A path as it stands, without `//` and `.`. */
const tidy = (text: string): string => rooted(stepsOf(nfc(text)).join("/"))

/** The address of a site alone means its first page. */
const rooted = (text: string): string => SITE.test(text) ? `${text}/` : text

const SITE = /^(?:https?|wss?):\/[^/?#@\\]*[^/?#@\\*]$/i

/** An address as browsers open it, without the name and the password in it; any other text as it is. */
const browsed = (text: string): string => {
  const address = URL.parse(text)
  if (address === null || !/^(?:https?|wss?):$/.test(address.protocol)) return text
  return `${address.origin}${address.pathname}${address.search}${address.hash}`
}

/** As readers of addresses and of Windows paths see it. */
const decoded = (text: string): string =>
  nfc(text).replace(/[\t\r\n]/g, "").replace(/%2e/gi, ".").replace(/%2f|%5c|\\/gi, "/")

/** Windows leaves dots and spaces at the end of a name out. */
const isUp = (step: string): boolean => /^(?:[a-z]:)?\.\.[. ]*$/i.test(step)

const resolved = (steps: ReadonlyArray<string>, isUpward: (step: string) => boolean): string => {
  const left: Array<string> = []
  for (const step of steps) {
    const isBack = isUpward(step)
    const isStart = left.length === 0 || left.at(-1) === ".." || left.length === 1 && left[0] === ""
    if (isBack && !isStart) left.pop()
    else left.push(isBack ? ".." : step)
  }
  return left.join("/")
}

/** The place that a path or an address leads to, as far as the text tells. */
const meaning = (text: string): string => rooted(resolved(stepsOf(decoded(text)), isUp))

/** As files of Unix have it, and as addresses have it, where `..` takes back the nothing between `//`. */
const plainReadings = (text: string): ReadonlyArray<string> =>
  [stepsOf(nfc(text)), nfc(text).split("/").filter((step) => step !== ".")]
    .map((steps) => tidy(resolved(steps, (step) => step === "..")))
