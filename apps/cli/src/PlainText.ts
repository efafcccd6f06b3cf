/** Text from outside made safe to show on a terminal. */

/** Escape sequences, control characters but tab and newline, bidirectional overrides, tag characters (R100). */
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- these are the characters to remove
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

/** Several lines stay several lines. */
export const plain = (text: string): string => text.replaceAll("\r\n", "\n").replace(UNSAFE, "")

/** The text on one line, at most `limit` characters long. */
export const oneLine = (text: string, limit = 160): string => {
  const line = plain(text).replace(/\s+/g, " ").trim()
  const characters = [...line]
  return characters.length <= limit ? line : `${characters.slice(0, limit - 1).join("")}…`
}

/** The lines of a text, each led by `lead`. */
export const indented = (text: string, lead: string): ReadonlyArray<string> =>
  plain(text).trimEnd().split("\n").map((line) => `${lead}${line}`)

/** How many columns a text takes on a terminal, near enough for aligning names. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - [...text].length))
