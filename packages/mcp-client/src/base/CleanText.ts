/**
 * A server's words as text that shows all there is of it: the one sanitizer for people, terminals and models. Where a
 * person is to judge a text, invisible characters are written out instead of removed.
 */

/**
 * Removes what is not seen, or changes how the rest is seen: terminal escapes with their payload, control characters
 * but tab and newline, marks that turn the reading order, tag characters, and every other character that Unicode calls
 * ignorable, such as zero-width ones, soft hyphens, fillers and variation selectors. A carriage return is a newline,
 * half a surrogate pair U+FFFD.
 *
 * Characters that writing needs stay: emoji of every kind (joined, with skin tones, flags, keycaps), joiners after letters of
 * scripts that join (Arabic, Persian, Indic), and variants of Mongolian letters. Characters that only guide how text is
 * set go, also where they are meant well: marks of order in Hebrew and Arabic, places to break Thai and Khmer, variants of Chinese
 * characters. The letters and their order stay.
 *
 * Takes linear time; text with nothing to remove comes back as it is, and cleaning twice changes nothing more.
 */
export const clean = (text: string): string => {
  if (isClean(text)) return text
  const formed = text.toWellFormed()
  const printable = withoutControls(formed).replace(SEPARATORS, "\n")
  return HIDDEN.test(printable) ? printable.replace(writingOrHidden(), "$1") : printable
}

/**
 * Removes terminal escapes and control characters alone, as `clean` does. For a text in which a person is to judge what
 * else hides.
 */
export const withoutControls = (text: string): string => text.replace(RETURNS, "\n").replace(CONTROLS, "")

/**
 * Whether there is surely nothing to remove, as in most texts; `clean` looks closer at the others. Two searches take a
 * fifth of the time of one for everything, which matters where a text has megabytes.
 */
export const isClean = (text: string): boolean =>
  isShortAscii(text) || (!SUSPECT_CONTROL.test(text) && !SUSPECT_MARK.test(text) && text.isWellFormed())

/** Most texts of a result are its keys and other words; to begin a search takes longer than to look at them. */
const isShortAscii = (text: string): boolean => {
  if (text.length > SHORT) return false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e) return false
  }
  return true
}

const SHORT = 64

const SUSPECT_CONTROL = /[\0-\u0008\u000B-\u001F\u007F-\u009F\u00AD]/

/** The first half of a pair is enough to look closer: units are faster than characters. */
const SUSPECT_MARK =
  // oxlint-disable-next-line no-misleading-character-class -- these are the characters to find
  /[\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\uD82F\uD834\uDB40-\uDB43]/

const RETURNS = /\r\n?/g
const SEPARATORS = /[\u2028\u2029]/g

/**
 * Escapes as ECMA-48 has them: control sequences, strings with their end, and single functions. A string without an end
 * loses its introducer only; none goes beyond the next introducer, which keeps this linear. So does one that is
 * introduced by a single character beyond U+007F: those stand in every text that was decoded wrongly, where quotes
 * become U+009C and U+009D, and all between two of them would be lost.
 */
const CONTROLS =
  // oxlint-disable-next-line no-control-regex -- these are the characters to remove
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[\]PX^_][^\u0007\u001B\u0090\u0098\u009C-\u009F]*(?:\u0007|\u001B\\|\u009C)|\u001B[ -/]*[0-OQ-WYZ\\`-~]|[\0-\u0008\u000B-\u001F\u007F-\u009F]/g

const HIDDEN = /[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/u

const FLAG = String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|` +
  String.raw`\u{E0077}\u{E006C}\u{E0073})\u{E007F}`

const SCRIPTS =
  "Arab Syrc Mand Nkoo Mong Phag Adlm Rohg Sogd Mani Bali Java Newa Cakm Tirh Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt"
    .split(" ").map((script) => String.raw`\p{scx=${script}}`).join("")

/** Each looks only at characters that stay, so that cleaning again finds them in the same place. */
const WRITING = [
  FLAG,
  String.raw`(?<=\p{ExtPict})[\uFE0E\uFE0F]`,
  String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
  String.raw`(?<=\p{ExtPict}\uFE0F?|\p{EMod})\u200D(?=\p{ExtPict})`,
  String.raw`(?<=[[[${SCRIPTS}]&&[\p{L}\p{M}]]--\p{DI}])[\u200C\u200D]`,
  String.raw`(?<=[\p{sc=Mong}&&\p{L}])[\u180B-\u180F]`
].join("|")

let made: RegExp | null = null

/** To make it takes milliseconds, and few programs ever see a text that needs it. */
const writingOrHidden = (): RegExp => made ??= new RegExp(String.raw`(${WRITING})|[\p{DI}\uFFF9-\uFFFB]`, "gv")

/** Control and format characters, blanks that look like nothing, and variation selectors but the one that emoji have. */
const HIDING =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u00A0\u115F\u1160\u3164\uFFA0]|[\uFE00-\uFE0E\u{E0100}-\u{E01EF}]|(?<=[\uFE00-\uFE0F])\uFE0F/gu

/** Writes hiding characters as `\u{200B}`; newlines stay. */
export const visibleText = (value: string): string =>
  value.replace(
    HIDING,
    (character) => character === "\n" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`
  )

/** A name of a stranger as one word of a command that a person may copy. */
export const visibleWord = (value: string): string =>
  /^[\w.@%+:,/-]+$/.test(value) ? value : `'${visibleText(value).replaceAll("\n", " ").replaceAll("'", "'\\''")}'`
