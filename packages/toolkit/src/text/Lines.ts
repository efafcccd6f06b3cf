/** Text in lines, as `view_file` counts them. */
import * as Fitting from "./Fitting.ts"
import * as Utf8 from "./Utf8.ts"

const PIECE = 4000

/** Lines; a very long one in pieces that count as lines, so that every part of it can be reached. */
export const of = (text: string): ReadonlyArray<string> => {
  const lines = text.split(/\r\n|\r|\n/)
  const whole = lines.at(-1) === "" ? lines.slice(0, -1) : lines
  return whole.flatMap((line) => line.length <= PIECE ? [line] : line.match(PIECES) ?? [line])
}

// By code points: no piece ends inside a character.
const PIECES = new RegExp(`[^]{1,${PIECE}}`, "gu")

/** As many lines from the start as `maxBytes` of UTF-8 hold, one newline for each counted. */
export const within = (lines: ReadonlyArray<string>, maxBytes: number): ReadonlyArray<string> =>
  lines.slice(0, Fitting.count(lines, maxBytes, (line) => Utf8.byteLength(line) + 1))
