/**
 * Text of strangers made fit for a person to judge: what is invisible, or turns the reading order, is written out.
 */

/** Control and format characters, blanks that look like nothing, and variation selectors but the one that emoji have. */
const HIDING =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u00A0\u115F\u1160\u3164\uFFA0]|[\uFE00-\uFE0E\u{E0100}-\u{E01EF}]|(?<=[\uFE00-\uFE0F])\uFE0F/gu

/** Writes hiding characters as `\u{200B}`; newlines stay. @category encoding */
export const text = (value: string): string =>
  value.replace(
    HIDING,
    (character) => character === "\n" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`
  )

/** A name of a stranger as one word of a command that a person may copy. @category encoding */
export const word = (value: string): string =>
  /^[\w.@%+:,/-]+$/.test(value) ? value : `'${text(value).replaceAll("\n", " ").replaceAll("'", "'\\''")}'`
