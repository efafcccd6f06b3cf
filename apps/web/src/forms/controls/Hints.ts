/** What a schema asks of a value, in few words. Pure. */
import type { Json } from "../../api/Types.ts"
import { count, cut } from "../../messages/Numbers.ts"
import type { Field, NumberField, TextField } from "../FormField.ts"

const FORMATS: Readonly<Record<string, string>> = {
  date: "a date, as 2026-11-22",
  time: "a time, as 14:30:00Z",
  "date-time": "a time, as 2026-11-22T14:30:00Z",
  duration: "a duration, as PT30M",
  email: "an e-mail address",
  uri: "an address, as https://example.com",
  url: "an address, as https://example.com",
  uuid: "a UUID"
}

const say = (value: Json): string => cut(typeof value === "string" && value !== "" ? value : JSON.stringify(value), 60)

const range = ({ above, below, isInteger, maximum, minimum, step }: NumberField): ReadonlyArray<string> => [
  ...(isInteger ? ["whole number"] : []),
  ...(minimum !== null && maximum !== null ? [`${minimum} to ${maximum}`] : []),
  ...(minimum !== null && maximum === null ? [`at least ${minimum}`] : []),
  ...(minimum === null && maximum !== null ? [`at most ${maximum}`] : []),
  ...(above === null ? [] : [`more than ${above}`]),
  ...(below === null ? [] : [`less than ${below}`]),
  ...(step === null || isInteger && step === 1 ? [] : [`in steps of ${step}`])
]

const text = ({ format, maxLength, minLength, pattern }: TextField): ReadonlyArray<string> => [
  ...(format === null ? [] : [FORMATS[format] ?? format]),
  ...(minLength === null || minLength === 0 ? [] : [`at least ${count(minLength, "character")}`]),
  ...(maxLength === null ? [] : [`at most ${count(maxLength, "character")}`]),
  ...(pattern === null ? [] : [`matches ${cut(pattern, 80)}`])
]

const limits = (field: Field): ReadonlyArray<string> => {
  if (field.kind === "number") return range(field)
  if (field.kind === "text") return text(field)
  if (field.kind !== "list") return []
  return [
    ...(field.minItems === 0 ? [] : [`at least ${field.minItems}`]),
    ...(field.maxItems === null ? [] : [`at most ${field.maxItems}`])
  ]
}

export const hintsOf = (field: Field): string => {
  const isShown = field.default !== undefined && field.default !== null && field.default !== ""
  const [example] = field.examples
  return [
    ...limits(field),
    ...(isShown ? [`default ${say(field.default ?? null)}`] : []),
    ...(example === undefined ? [] : [`for example ${say(example)}`])
  ].join(" · ")
}
