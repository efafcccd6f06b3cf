/**
 * How a JSON text is laid out, so that what is written into it looks like what is there.
 */
import type * as Schema from "effect/Schema"

/** The layout of a text. */
export interface Style {
  /** One step of indentation. */
  readonly unit: string
  /** What ends a line. */
  readonly eol: string
  /** False for a text without spaces between its tokens. */
  readonly isSpaced: boolean
}

/** The layout of a new text. */
export const PLAIN: Style = { unit: "  ", eol: "\n", isSpaced: true }

/** What ends the lines of a text; `\n` when it has only one. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? PLAIN.eol

/**
 * Writes a value. Objects are spread over lines down to `levels`; below that what fits into a line stays on one.
 * `indent` is the indentation of the line that the value starts in.
 */
export const print = (value: Schema.Json, indent: string, style: Style, levels: number): string => {
  const line = inline(value, style)
  if (!style.isSpaced || typeof value !== "object" || value === null || line.length <= 2) return line
  const isList = Array.isArray(value)
  if ((isList || levels <= 0) && indent.length + line.length <= WIDTH) return line
  const inner = indent + style.unit
  const rows = isList
    ? value.map((item) => print(item, inner, style, 0))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${print(member, inner, style, levels - 1)}`)
  const [open, close] = isList ? "[]" : "{}"
  return [`${open}${style.eol}${inner}`, rows.join(`,${style.eol}${inner}`), `${style.eol}${indent}${close}`].join("")
}

/** Lines may get this long, the key before the value not counted. */
const WIDTH = 100

const inline = (value: Schema.Json, style: Style): string => {
  if (!style.isSpaced || typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item) => inline(item, style)).join(", ")}]`
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member, style)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}
