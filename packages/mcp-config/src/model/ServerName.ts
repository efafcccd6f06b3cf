/** Names of servers, which people see in lists, logs and questions. */

/** Breaks of lines and marks of direction: what is shown after them may look like something else that was said. */
const HIDING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Whether a name holds nothing that could hide what stands around it. */
export const isPlain = (name: string): boolean => name.search(HIDING) === -1

/** The name with what it must not hold written out, as in `a\u{202e}b`. */
export const shown = (name: string): string =>
  name.replaceAll(HIDING, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`)
