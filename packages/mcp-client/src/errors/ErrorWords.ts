/** The words that reasons of errors have in common. */
import { tellingLines } from "./StandardError.ts"

/** The step of a server that is ready; a failure during any other step is one of its start. */
export const AT_WORK = "its work"

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

/** The words of standard error about the failure, behind the words they belong to. */
export const tail = (stderr: string): string => {
  const telling = tellingLines(stderr)
  return telling.length === 0
    ? ""
    : `; it last wrote to standard error: ${telling.map((line) => shorten(line, SHOWN / telling.length)).join(" | ")}`
}

/** The lines on standard output worth telling, behind the words they belong to. */
export const saidOf = (said: ReadonlyArray<string>): string => said.map((line) => `; ${line}`).join("")
