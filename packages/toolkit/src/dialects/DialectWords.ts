/** Keywords in words, for a dialect that lacks them: a model reads descriptions. */
import { CleanText } from "@boocode/mcp-registry"
import type * as Schema from "effect/Schema"
import { isObject, names } from "../schema/JsonSchema.ts"

/** Cuts a JSON value to so many characters. Looks no further into it than it shows. */
export const brief = (value: Schema.Json, most = 200): string => {
  let text = ""
  const write = (at: Schema.Json, depth: number): void => {
    if (text.length > most) return
    if (depth > BRIEF_DEPTH) {
      text += "…"
    } else if (Array.isArray(at)) {
      text += "["
      list(at, (part) => write(part, depth + 1))
      text += "]"
    } else if (isObject(at)) {
      text += "{"
      list(keys(at), (key) => {
        text += `${JSON.stringify(key.slice(0, most))}:`
        write(at[key] ?? null, depth + 1)
      })
      text += "}"
    } else {
      text += JSON.stringify(typeof at === "string" ? at.slice(0, most) : at)
    }
  }
  const list = <A>(parts: ReadonlyArray<A>, one: (part: A) => void): void => {
    for (const [index, part] of parts.entries()) {
      if (text.length > most) return
      if (index > 0) text += ","
      one(part)
    }
  }
  write(value, 0)
  return text.length > most ? `${text.slice(0, most).replace(HALF, "")}…` : text
}

const keys = (object: Schema.JsonObject): ReadonlyArray<string> => Object.keys(object)

const BRIEF_DEPTH = 8

/** Half of a surrogate pair at the end of a cut text. */
const HALF = /[\uD800-\uDBFF]$/

/** The names or values of a list, as a person would say them. */
export const listed = (values: ReadonlyArray<Schema.Json>, most = 40): string => {
  const shown = values.slice(0, most).map((value) => brief(value, 80)).join(", ")
  return values.length > most ? `${shown} and ${values.length - most} more` : shown
}

/** A text fit for a model: without characters that hide something, and no longer than this. */
export const cleaned = (text: string, most: number): string => {
  // Cutting twice changes nothing more.
  const cut = text.length > most ? `${text.slice(0, most - 1).replace(HALF, "")}…` : text
  return CleanText.clean(cut)
}

/** A schema whose description also says this. Saying it twice changes nothing. */
export const saying = (schema: Schema.JsonObject, sentences: ReadonlyArray<string>): Schema.JsonObject => {
  const given = typeof schema["description"] === "string" ? schema["description"] : ""
  const fresh = [...new Set(sentences)].filter((sentence) => !given.includes(sentence))
  if (fresh.length === 0) return schema
  const words = cleaned(fresh.join("\n"), DESCRIPTION / 2)
  const kept = cleaned(given, DESCRIPTION - words.length - 1)
  return { ...schema, description: kept === "" ? words : `${kept}\n${words}` }
}

/** The most characters of a description. */
export const DESCRIPTION = 4000

/** The most characters of a title. */
export const TITLE = 200

/** The most values of one enum; more are said in words. */
export const VALUES = 1000

/** The most characters of the values of one enum. */
export const VALUES_CHARACTERS = 16_000

const SAYINGS: Record<string, (value: Schema.Json) => string> = {
  pattern: (value) => `Matches the pattern ${brief(value)}.`,
  format: (value) => `Format: ${brief(value, 60).replaceAll("\"", "")}.`,
  minLength: (value) => `At least ${brief(value)} characters.`,
  maxLength: (value) => `At most ${brief(value)} characters.`,
  exclusiveMinimum: (value) => `Greater than ${brief(value)}.`,
  exclusiveMaximum: (value) => `Less than ${brief(value)}.`,
  minimum: (value) => `At least ${brief(value)}.`,
  maximum: (value) => `At most ${brief(value)}.`,
  multipleOf: (value) => `A multiple of ${brief(value)}.`,
  minItems: (value) => `At least ${brief(value)} items.`,
  maxItems: (value) => `At most ${brief(value)} items.`,
  uniqueItems: (value) => value === true ? "No item twice." : "",
  contains: (value) => `Some item matches ${brief(value)}.`,
  minProperties: (value) => `At least ${brief(value)} properties.`,
  maxProperties: (value) => `At most ${brief(value)} properties.`,
  propertyNames: (value) => `Property names match ${brief(value)}.`,
  patternProperties: (value) => `Properties whose names match a pattern: ${brief(value)}.`,
  additionalProperties: (value) => additional(value),
  dependentRequired: (value) =>
    isObject(value)
      ? Object.entries(value).map(([name, needed]) => `${name} needs ${names(needed).join(", ")} too.`).join(" ")
      : "",
  dependentSchemas: (value) => `Depending on properties: ${brief(value, 400)}.`,
  if: (value) => `If it matches ${brief(value)}:`,
  then: (value) => `then it matches ${brief(value)}.`,
  else: (value) => `Otherwise it matches ${brief(value)}.`,
  contentEncoding: (value) => `Encoded as ${brief(value, 40).replaceAll("\"", "")}.`,
  contentMediaType: (value) => `Holds ${brief(value, 80).replaceAll("\"", "")}.`,
  not: (value) => `Must not match ${brief(value)}.`,
  default: (value) => `Default: ${brief(value)}.`,
  examples: (value) => `For example ${Array.isArray(value) ? listed(value, 5) : brief(value)}.`
}

const additional = (value: Schema.Json): string => {
  if (!isObject(value)) return value === true ? "Any further properties." : ""
  const isAny = Object.keys(value).every((key) => key === "description" || key === "title")
  return isAny ? "Any property names, any values." : `Any property names; each value matches ${brief(value)}.`
}

/** A keyword in words; empty where that helps nobody. */
export const of = (keyword: string, value: Schema.Json): string =>
  Object.hasOwn(SAYINGS, keyword) ? SAYINGS[keyword]?.(value) ?? "" : ""
