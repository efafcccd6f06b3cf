/** Replaces an exact piece of a text, as often as the caller expects it and not otherwise. Pure. */
import * as Result from "effect/Result"

/** One replacement. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
  /** How often `oldText` stands in the text; all of them are replaced. */
  readonly count: number
}

/**
 * The edited text. Fails in words for a model when `oldText` stands there more or less often, or nothing would change.
 * In a text whose lines all end with CR LF, line feeds of the edit stand for those.
 */
export const apply = (text: string, edit: TextEdit): Result.Result<string, string> => {
  const { count, newText, oldText } = usesCrLf(text) ? withCrLf(edit) : edit
  if (oldText === newText) return Result.fail("oldText and newText are the same, so nothing would change")
  const pieces = text.split(oldText)
  const found = pieces.length - 1
  if (found === count) return Result.succeed(pieces.join(newText))
  return Result.fail(found === 0 ? absent(text, oldText) : otherCount(pieces, oldText, count))
}

const usesCrLf = (text: string): boolean => text.includes("\r\n") && !/(?<!\r)\n/.test(text)

const withCrLf = ({ count, newText, oldText }: TextEdit): TextEdit => ({
  count,
  oldText: oldText.replaceAll(/\r?\n/g, "\r\n"),
  newText: newText.replaceAll(/\r?\n/g, "\r\n")
})

const MOST_LINES = 10

const otherCount = (pieces: ReadonlyArray<string>, oldText: string, count: number): string => {
  let line = 1
  const lines = pieces.slice(0, -1).map((piece) => {
    const at = line + lineFeeds(piece)
    line = at + lineFeeds(oldText)
    return at
  })
  const shown = [...lines.slice(0, MOST_LINES).map(String), ...lines.length > MOST_LINES ? ["…"] : []].join(", ")
  const found = pieces.length - 1
  return `oldText stands ${times(found)} in it, not ${times(count)} (${found === 1 ? "line" : "lines"} ${shown}); ` +
    `give more of the text around the place that is meant, or set count to ${found} to replace all of them`
}

const times = (count: number): string => count === 1 ? "once" : `${count} times`

const lineFeeds = (text: string): number => text.split("\n").length - 1

/** The most likely mistake is indentation that was not copied to the letter. */
const absent = (text: string, oldText: string): string => {
  const wanted = oldText.split("\n").map((line) => line.trim())
  const lines = text.split("\n").map((line) => line.trim())
  const first = wanted[0] ?? ""
  const at = wanted.every((line) => line === "")
    ? -1
    : lines.findIndex((line, index) => line === first && wanted.every((other, step) => lines[index + step] === other))
  return at < 0
    ? "oldText does not stand in it; read the file again and copy the text to the letter"
    : `oldText does not stand in it; line ${
      at + 1
    } differs from it by spaces alone, so copy its indentation to the letter`
}
