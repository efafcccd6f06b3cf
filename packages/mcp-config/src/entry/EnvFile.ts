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
