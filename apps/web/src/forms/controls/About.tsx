/** The schema's description of a value, and the hints that follow from it. */
import type { Json } from "../../api/Types.ts"
import { forms as texts } from "../../messages/FormsMessages.ts"
import { cut } from "../../messages/Numbers.ts"
import type { Field, NumberField, TextField } from "../FormField.ts"

export const About = ({ field }: { readonly field: Field }) => {
  const hints = hintsOf(field)
  if (field.description === null && hints === "") return null
  return (
    <>
      {field.description === null ? null : <span class="words">{field.description}</span>}
      {hints === "" ? null : <span class="hints">{hints}</span>}
    </>
  )
}

const FORMATS: Readonly<Record<string, string>> = {
  date: texts.date,
  time: texts.time,
  "date-time": texts.dateTime,
  duration: texts.duration,
  email: texts.email,
  uri: texts.url,
  url: texts.url,
  uuid: texts.uuid
}

const say = (value: Json): string => cut(typeof value === "string" && value !== "" ? value : JSON.stringify(value), 60)

const range = ({ above, below, isInteger, maximum, minimum, step }: NumberField): ReadonlyArray<string> => [
  ...(isInteger ? [texts.wholeNumber] : []),
  ...(minimum !== null && maximum !== null ? [texts.fromTo(minimum, maximum)] : []),
  ...(minimum !== null && maximum === null ? [texts.atLeast(minimum)] : []),
  ...(minimum === null && maximum !== null ? [texts.atMost(maximum)] : []),
  ...(above === null ? [] : [texts.moreThan(above)]),
  ...(below === null ? [] : [texts.lessThan(below)]),
  ...(step === null || isInteger && step === 1 ? [] : [texts.inStepsOf(step)])
]

const text = ({ format, maxLength, minLength, pattern }: TextField): ReadonlyArray<string> => [
  ...(format === null ? [] : [FORMATS[format] ?? format]),
  ...(minLength === null || minLength === 0 ? [] : [texts.atLeastLong(minLength)]),
  ...(maxLength === null ? [] : [texts.atMostLong(maxLength)]),
  ...(pattern === null ? [] : [texts.matches(cut(pattern, 80))])
]

const limits = (field: Field): ReadonlyArray<string> => {
  if (field.kind === "number") return range(field)
  if (field.kind === "text") return text(field)
  if (field.kind !== "list") return []
  return [
    ...(field.minItems === 0 ? [] : [texts.atLeastMany(field.minItems)]),
    ...(field.maxItems === null ? [] : [texts.atMostMany(field.maxItems)])
  ]
}

const hintsOf = (field: Field): string => {
  const isShown = field.default !== undefined && field.default !== null && field.default !== ""
  const [example] = field.examples
  return [
    ...limits(field),
    ...(isShown ? [texts.defaultIs(say(field.default ?? null))] : []),
    ...(example === undefined ? [] : [texts.forExample(say(example))])
  ].join(" · ")
}
