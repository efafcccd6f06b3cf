/** Text from outside made safe to show on a terminal. */
import { CleanText } from "@boocode/mcp-registry"

/** Several lines stay several lines. */
export const plain = CleanText.clean

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
