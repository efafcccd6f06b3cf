/** The arguments of a call that a person is asked about. Their text comes from a model, so control characters are removed. */
import type * as Schema from "effect/Schema"
import { padded, width } from "../terminal/Layout.ts"
import { atMost, indented, oneLine, type Paint } from "../terminal/Output.ts"

/** The first 40 lines of them, none longer than 400 characters. */
export const shown = (args: Schema.JsonObject, paint: Paint): ReadonlyArray<string> =>
  atMost(of(args, paint).map(cut), ARGUMENT_LINES, paint)

/** Each argument as a field: text as it is, with its line breaks, anything else as JSON. */
export const of = (args: Schema.JsonObject, paint: Paint): ReadonlyArray<string> => {
  const fields = Object.entries(args)
  if (fields.length === 0) return [paint.dim("    without arguments")]
  const wide = Math.min(WIDEST_KEY, Math.max(...fields.map(([key]) => width(oneLine(key)))))
  return fields.flatMap(([key, value]) => {
    const [first = "", ...rest] = indented(typeof value === "string" ? value : JSON.stringify(value, null, 2), "")
    const lead = " ".repeat(wide + 6)
    return [`    ${paint.dim(padded(oneLine(key), wide))}  ${first}`, ...rest.map((line) => `${lead}${line}`)]
  })
}

const WIDEST_KEY = 20
const ARGUMENT_LINES = 40
const LINE_CHARACTERS = 400

const cut = (line: string): string =>
  line.length <= LINE_CHARACTERS ? line : `${line.slice(0, LINE_CHARACTERS)}… (${line.length} characters)`
