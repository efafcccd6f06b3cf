/** Text in the columns of a terminal: wrapped, cut, and side by side. Colours take no columns. */
import { CleanText } from "@boocode/mcp-registry"
import * as CliOutput from "effect/cli/CliOutput"
import wrapAnsi from "wrap-ansi"

/** How many columns a text takes; a wide character takes two. */
export const width = CliOutput.displayWidth

export const widest = (texts: ReadonlyArray<string>): number => Math.max(0, ...texts.map(width))

export const padded = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))

/** The lines of a text, none wider than `columns` with what leads it; `rest` leads all but the first. */
export const wrapped = (text: string, columns: number, first = "", rest = first): ReadonlyArray<string> => {
  const room = Math.max(NARROWEST, columns - Math.max(width(first), width(rest)))
  const whole = Number.isFinite(room) ? wrapAnsi(text, room, { hard: true, trim: true }) : text
  return whole.split("\n").map((line, at) => `${at === 0 ? first : rest}${line}`)
}

/** A narrower terminal wraps by itself. */
const NARROWEST = 16
const DEEPEST = 24

/** A line that is too wide goes on below, a little further to the right than it began. */
export const folded = (line: string, columns: number): ReadonlyArray<string> => {
  if (width(line) <= columns) return [line]
  const [start = ""] = /^ */.exec(line) ?? []
  return wrapped(line.slice(start.length), columns, start, " ".repeat(Math.min(start.length + 2, DEEPEST)))
}

/** Text from outside on one line, cut to this many columns. */
export const cut = (text: string, columns: number): string => {
  const line = CleanText.clean(text).replace(/\s+/g, " ").trim()
  if (width(line) <= columns) return line
  let taken = 0
  let kept = ""
  for (const character of line) {
    taken += width(character)
    if (taken >= columns) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

export interface Row {
  readonly name: string
  /** Empty for a name alone. */
  readonly about: string
}

/** Names, and beside them what they are about, wrapped. A name that is too long has what it is about below it. */
export const beside = (
  rows: ReadonlyArray<Row>,
  columns: number,
  { colour = (text) => text, lead = "  ", most = 28 }: {
    readonly colour?: (name: string) => string
    readonly lead?: string
    readonly most?: number
  } = {}
): ReadonlyArray<string> => {
  const longest = widest(rows.map(({ name }) => name).filter((name) => width(name) <= most))
  const space = " ".repeat(lead.length + (longest === 0 ? 4 : longest) + 2)
  return rows.flatMap(({ about, name }) => {
    const given = `${lead}${colour(name)}`
    if (about === "") return [given]
    if (width(name) > longest) return [given, ...wrapped(about, columns, space)]
    const [first = "", ...rest] = wrapped(about, columns, space)
    return [`${given}${" ".repeat(longest - width(name) + 2)}${first.slice(space.length)}`, ...rest]
  })
}
