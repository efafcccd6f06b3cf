/** The words that reasons of errors have in common. */

/** What every reason can tell besides its words; absent means "does not apply". */
export interface Details {
  readonly message: string
  readonly hint: string
}

/** A limit, exactly. */
export const seconds = (millis: number): string => millis % 1000 === 0 ? `${millis / 1000} s` : `${millis} ms`
/** How long something lasted, as closely as a person cares. */
export const lasted = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${Math.round(millis / 100) / 10} s`
  const minutes = Math.round(millis / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}
/** The nearest names as a question, or what else to try. */
export const nearestHint = (nearest: ReadonlyArray<string>, otherwise: string): string =>
  nearest.length === 0 ? otherwise : `did you mean ${nearest.join(", ")}?`
/** A code behind the words it belongs to. */
export const codeOf = (code: number | null): string => code === null ? "" : ` (${code})`
/** Details behind the words they belong to. */
export const detailOf = (detail: string | undefined): string =>
  detail === undefined || detail === "" ? "" : `: ${detail}`

/** The beginning of a text that is longer than so many characters, with a count of the rest. */
export const capped = (text: string, most: number): string => {
  const shown = text.length > most ? shorten(text, most) : text
  return shown === text ? text : `${shown} (${text.length - shown.length + 1} more characters)`
}

/** How much is shown of what the server wrote, in characters; several lines share it. */
const SHOWN = 300
const shorten = (line: string, most: number): string =>
  // A cut may fall between the halves of a character.
  line.length > most ? `${line.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…` : line
/** Lines that name what went wrong, as programs and their run times write them. */
const NAMED = /^(\w*(Error|Exception)\b.*:|(error|fatal|panic)\b)/i
const NPM = /^npm (error|ERR!)/
/** The last words that say something: a line that names an error, where there is one, else the last three. */
export const tail = (stderr: string): string => {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "")
  if (lines.length === 0) return ""
  const npm = lines.filter((line) => NPM.test(line))
  const named = lines.findLast((line) => NAMED.test(line))
  // What npm says last is where its log is.
  const telling = npm.length > 0 ? npm.slice(0, 2) : named === undefined ? lines.slice(-3) : [named]
  return `; it last wrote to standard error: ${
    telling.map((line) => shorten(line, SHOWN / telling.length)).join(" | ")
  }`
}
/** What is worth telling about what was written, behind the words it belongs to. */
export const saidOf = (said: ReadonlyArray<string>): string => said.map((line) => `; ${line}`).join("")
