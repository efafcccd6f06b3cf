/** Files of variables in the dotenv form: `NAME=value` lines, `export` before them, comments, quoted values. */

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*(?:"((?:\\[^]|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n#]*))/gm

/**
 * Gives the variables of a dotenv text; of a name written twice the last value. Lines that assign nothing are skipped.
 *
 * A value without quotes ends at `#` or the end of its line. Values in quotes may span lines; in double quotes `\n`,
 * `\r` and `\"` are escapes. Variables are not expanded.
 */
export const parse = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from(text.matchAll(LINE), (match) => [match[1] ?? "", valueOf(match)]))

const valueOf = ([, , double, single, back, bare]: RegExpMatchArray): string =>
  double?.replace(/\\([nr"])/g, (_, letter: string) => ESCAPES[letter] ?? "") ?? single ?? back ?? bare?.trim() ?? ""

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", "\"": "\"" }

/**
 * Sets variables in a dotenv text. A variable that is there gets its new value where its last line stands, others are added
 * at the end; every other line stays as it is. Null for a value that no quotes of this form can hold.
 */
export const change = (text: string, values: Readonly<Record<string, string>>): string | null => {
  let left = text
  for (const [name, value] of Object.entries(values)) {
    const written = quoted(value)
    if (written === null || !NAME.test(name)) return null
    const last = [...left.matchAll(LINE)].findLast((match) => match[1] === name)
    const eol = left === "" || /[\r\n]$/.test(left) ? "" : eolOf(left)
    left = last === undefined
      ? `${left}${eol}${name}=${written}${eolOf(left)}`
      : left.slice(0, last.index) + assigned(last[0], written) + left.slice(last.index + last[0].length)
  }
  return left
}

const NAME = /^[A-Za-z_][\w.-]*$/

const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? "\n"

/** The text before the value stays, and so does the space before a comment behind it. */
const assigned = (line: string, value: string): string => {
  const before = /^[^=]*=[ \t]*/.exec(line)?.[0] ?? ""
  const after = /["'`]$/.test(line) ? "" : /[ \t]*$/.exec(line.slice(before.length))?.[0] ?? ""
  return before + value + after
}

const quoted = (value: string): string | null => {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  const quote = ["'", "`"].find((one) => !value.includes(one))
  if (quote !== undefined) return quote + value + quote
  return value.includes("\\")
    ? null
    : `"${value.replaceAll("\"", "\\\"").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`
}
