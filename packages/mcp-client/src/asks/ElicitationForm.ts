/** The form that a server wants filled in: its fields as a person is shown them, and whether an answer fits. */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as CleanText from "../base/CleanText.ts"
import * as JsonRpc from "../base/JsonRpc.ts"

/** One of the values that a field offers. */
export interface Choice {
  readonly value: string
  readonly title: string
}

/** One field. Its words are the server's, cleaned and cut; `name` is as the server wrote it. */
export interface Field {
  readonly name: string
  /** Never empty: the name where the server gives none. */
  readonly title: string
  readonly description: string | null
  /** `choice` is one of `options`, `choices` a list of some of them. */
  readonly type: "text" | "number" | "integer" | "boolean" | "choice" | "choices"
  /** The format of a text; an unknown one is null, and not checked. */
  readonly format: "email" | "uri" | "date" | "date-time" | null
  /** The limit on a number's value, a text's characters or the count of choices; null for none. */
  readonly min: number | null
  readonly max: number | null
  readonly options: ReadonlyArray<Choice>
  /** The value of an answer without the field; null where the server gives none that fits. */
  readonly default: Schema.Json
  readonly isRequired: boolean
}

/** A value that does not fit; `field` is the name of a field. */
export interface Problem {
  readonly field: string
  readonly message: string
}

export const MOST_FIELDS = 100
export const MOST_OPTIONS = 1000
const MOST_WORDS = { title: 200, description: 2000 }

/**
 * The fields of a form, in the order of its schema. Fails with what is wrong with the schema: a form is flat, of texts,
 * numbers, booleans and choices.
 */
export const fields = (schema: Schema.JsonObject): Result.Result<ReadonlyArray<Field>, string> => {
  const { properties, required } = schema
  if (schema["type"] !== "object" || !JsonRpc.isObject(properties)) return Result.fail("it is no schema of an object")
  const names = Object.keys(properties)
  if (names.length > MOST_FIELDS) return Result.fail(`it has ${names.length} fields, more than ${MOST_FIELDS}`)
  const wanted = textsOf(required) ?? []
  const made = names.map((name) => fieldOf(name, properties[name] ?? null, wanted.includes(name)))
  const wrong = made.find((field) => typeof field === "string")
  return wrong === undefined ? Result.succeed(made.filter((field) => typeof field !== "string")) : Result.fail(wrong)
}

/**
 * An answer with the defaults of what it leaves out, or every problem it has. Nothing but the form's fields may be in it;
 * null and, where a text may not be empty, the empty text count as left out.
 */
export const validate = (
  schema: Schema.JsonObject,
  content: Schema.JsonObject
): Result.Result<Schema.JsonObject, ReadonlyArray<Problem>> => {
  const known = fields(schema)
  if (Result.isFailure(known)) return Result.fail([{ field: "", message: known.failure }])
  const strange = Object.keys(content).filter((name) => !known.success.some((field) => field.name === name))
  const given = known.success.map((field) => ({ field, value: valueOf(field, content) }))
  const problems = [
    ...strange.map((field) => ({ field, message: "there is no such field" })),
    ...given.flatMap(({ field, value }) => {
      const message = value === null ? (field.isRequired ? "is required" : null) : problemOf(field, value)
      return message === null ? [] : [{ field: field.name, message }]
    })
  ]
  if (problems.length > 0) return Result.fail(problems)
  // Defined one by one: a field may be named as a prototype is.
  return Result.succeed(
    Object.fromEntries(given.flatMap(({ field, value }) => value === null ? [] : [[field.name, value]]))
  )
}

/**
 * Reads a line that was typed for a field, or says why it does not fit. A choice is named by value, title or number
 * from 1; choices are separated by commas. The empty line is null: left out.
 */
export const read = (field: Field, line: string): Result.Result<Schema.Json, string> => {
  const text = line.trim()
  if (text === "") return field.default === null && field.isRequired ? Result.fail("is required") : Result.succeed(null)
  const value = typed(field, text)
  const problem = problemOf(field, value)
  return problem === null ? Result.succeed(value) : Result.fail(problem)
}

const typed = (field: Field, text: string): Schema.Json => {
  switch (field.type) {
    case "number":
    case "integer":
      return Number.isFinite(Number(text)) ? Number(text) : text
    case "boolean":
      return /^(y|yes|true)$/i.test(text) ? true : /^(n|no|false)$/i.test(text) ? false : text
    case "choice":
      return chosen(field, text)
    case "choices":
      return text.split(",").map((one) => chosen(field, one.trim()))
    default:
      return text
  }
}

/** A value goes before a title, and both before a place in the list. */
const chosen = ({ options }: Field, text: string): string => {
  const found = options.find(({ value }) => value === text) ??
    options.find(({ title }) => title.toLowerCase() === text.toLowerCase()) ??
    (/^\d+$/.test(text) ? options[Number(text) - 1] : undefined)
  return found?.value ?? text
}

/** The value of a field in an answer, or its default. */
const valueOf = (field: Field, content: Schema.JsonObject): Schema.Json => {
  const value = Object.hasOwn(content, field.name) ? content[field.name] ?? null : null
  const isLeftOut = value === null || (value === "" && problemOf(field, value) !== null)
  return isLeftOut ? field.default : value
}

const problemOf = (field: Field, value: Schema.Json): string | null => {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? null : "must be yes or no"
    case "number":
    case "integer":
      return problemOfNumber(field, value)
    case "choice":
      return isOption(field, value) ? null : `must be one of ${offered(field)}`
    case "choices":
      return problemOfChoices(field, value)
    case "text":
      return problemOfText(field, value)
  }
}

const problemOfNumber = ({ max, min, type }: Field, value: Schema.Json): string | null => {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number"
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number"
  if (min !== null && value < min) return `must be ${min} or more`
  return max !== null && value > max ? `must be ${max} or less` : null
}

const problemOfChoices = (field: Field, value: Schema.Json): string | null => {
  if (!Array.isArray(value) || !value.every((one) => isOption(field, one))) return `must be some of ${offered(field)}`
  if (new Set(value).size < value.length) return "has one of them twice"
  if (field.min !== null && value.length < field.min) return `needs ${field.min} choices or more`
  return field.max !== null && value.length > field.max ? `takes ${field.max} choices or fewer` : null
}

const problemOfText = ({ format, max, min }: Field, value: Schema.Json): string | null => {
  if (typeof value !== "string") return "must be a text"
  const length = [...value].length
  if (min !== null && length < min) return `needs ${min} characters or more`
  if (max !== null && length > max) return `takes ${max} characters or fewer`
  return format === null || FORMATS[format].is(value) ? null : FORMATS[format].message
}

const isOption = ({ options }: Field, value: Schema.Json): boolean => options.some((option) => option.value === value)

const offered = ({ options }: Field): string => {
  const shown = options.slice(0, 10).map(({ value }) => CleanText.clean(value).slice(0, MOST_WORDS.title))
  return `${shown.join(", ")}${options.length > shown.length ? ", …" : ""}`
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  // A day beyond the end of its month may count as one of the next.
  Option.exists(DateTime.make(text), (date) => DateTime.formatIsoDateUtc(date) === text)

const TIME_AND_OFFSET = /^[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const FORMATS = {
  email: { is: (text: string) => /^[^\s@]+@[^\s@]+$/.test(text), message: "must be an email address" },
  uri: { is: (text: string) => URL.canParse(text), message: "must be an address such as https://example.com" },
  date: { is: isDate, message: "must be a date such as 2026-03-31" },
  "date-time": {
    is: (text: string) => isDate(text.slice(0, 10)) && TIME_AND_OFFSET.test(text.slice(10)),
    message: "must be a date with a time such as 2026-03-31T12:00:00Z"
  }
} as const

const isFormat = (value: unknown): value is keyof typeof FORMATS =>
  typeof value === "string" && Object.hasOwn(FORMATS, value)

/** The field, or why there is none. */
const fieldOf = (name: string, written: Schema.Json, isRequired: boolean): Field | string => {
  const schema = JsonRpc.isObject(written) ? withoutNull(written) : written
  const typed = JsonRpc.isObject(schema) ? typeOf(schema) : null
  if (!JsonRpc.isObject(schema) || typed === null) {
    return `its field ${CleanText.clean(name).slice(0, MOST_WORDS.title)} is no text, number, boolean or choice`
  }
  const field: Field = {
    name,
    title: wordsOf(schema["title"], MOST_WORDS.title) ?? wordsOf(name, MOST_WORDS.title) ?? "(without a name)",
    description: wordsOf(schema["description"], MOST_WORDS.description),
    format: isFormat(schema["format"]) && typed.type === "text" ? schema["format"] : null,
    default: null,
    isRequired,
    ...typed
  }
  const preset = schema["default"] ?? null
  return preset !== null && problemOf(field, preset) === null ? { ...field, default: preset } : field
}

/** Some SDKs write a field that may be left out as one that may be null. */
const withoutNull = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { anyOf, type, ...rest } = schema
  const kind = otherThan(anyOf, (one) => JsonRpc.isObject(one) && one["type"] === "null")
  if (JsonRpc.isObject(kind)) return { ...kind, ...rest }
  const only = otherThan(type, (one) => one === "null")
  return only === undefined ? schema : { ...schema, type: only }
}

/** The only other one of a list that has such ones. */
const otherThan = (list: Schema.Json | undefined, is: (one: Schema.Json) => boolean): Schema.Json | undefined => {
  if (!Array.isArray(list)) return undefined
  const others = list.filter((one) => !is(one))
  return others.length === 1 && list.length > 1 ? others[0] : undefined
}

type Typed = Pick<Field, "type" | "min" | "max" | "options">

const typeOf = (schema: Schema.JsonObject): Typed | null => {
  const { items, type } = schema
  const options = optionsOf(schema)
  const isText = type === "string" || (type === undefined && options !== null)
  if (isText && options !== null) return { type: "choice", min: null, max: null, options }
  const offers = schema["enum"] !== undefined || schema["oneOf"] !== undefined || schema["anyOf"] !== undefined
  if (type === "string" && !offers) return { type: "text", ...limits(schema, "minLength", "maxLength"), options: [] }
  if (type === "boolean") return { type, min: null, max: null, options: [] }
  if (type === "number" || type === "integer") return { type, ...limits(schema, "minimum", "maximum"), options: [] }
  const several = type === "array" && JsonRpc.isObject(items) ? optionsOf(items) : null
  return several === null ? null : { type: "choices", ...limits(schema, "minItems", "maxItems"), options: several }
}

const limits = (schema: Schema.JsonObject, least: string, most: string) => {
  const [min = null, max = null] = [schema[least], schema[most]]
  return { min: typeof min === "number" ? min : null, max: typeof max === "number" ? max : null }
}

/** Null when a schema offers nothing to choose from. */
const optionsOf = ({ anyOf, enum: values, enumNames, oneOf }: Schema.JsonObject): ReadonlyArray<Choice> | null => {
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : null
  const names = Array.isArray(enumNames) ? enumNames : []
  const options = titled === null
    ? (textsOf(values) ?? []).map((value, index) => optionOf(value, names[index]))
    : titled.flatMap((one) =>
      JsonRpc.isObject(one) && typeof one["const"] === "string" ? [optionOf(one["const"], one["title"])] : []
    )
  return options.length === 0 || options.length > MOST_OPTIONS ? null : options
}

const optionOf = (value: string, title: Schema.Json | undefined): Choice => ({
  value,
  title: wordsOf(title, MOST_WORDS.title) ?? wordsOf(value, MOST_WORDS.title) ?? "(empty)"
})

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> | null =>
  Array.isArray(value) && value.every((text) => typeof text === "string") ? value : null

const wordsOf = (value: Schema.Json | undefined, most: number): string | null => {
  const words = typeof value === "string" ? CleanText.clean(value).trim() : ""
  if (words === "") return null
  return words.length > most ? `${words.slice(0, most)}…` : words
}
