/** What providers demand of tool definitions. */
import { isObject, type Json, list, object, objects, text } from "./Json.ts"

const COMBINATORS = ["oneOf", "anyOf", "allOf"]

export const OPENAI_NAME = /^[a-zA-Z0-9_-]{1,64}$/
export const ANTHROPIC_NAME = /^[a-zA-Z0-9_-]{1,128}$/
const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/

/** Rules on the list: not empty where it is given, names legal and unique, and no choice among no tools. */
export const listProblems = (body: Json, names: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> => {
  if (body["tools"] === undefined) {
    return body["tool_choice"] === undefined ? [] : ["'tool_choice' is only allowed when 'tools' are specified."]
  }
  return [
    ...(list(body["tools"]).length === 0 ? ["[] is too short - 'tools'"] : []),
    ...(names.length > 128 ? ["Invalid 'tools': array too long. Expected an array with maximum length 128."] : []),
    ...names.flatMap((name, at) =>
      pattern.test(name) ? [] : [`Invalid 'tools[${at}].name': '${name}' does not match pattern ${pattern.source}`]
    ),
    ...(new Set(names).size < names.length ? ["tools: Tool names must be unique."] : [])
  ]
}

/** OpenAI: at most 1,024 characters; `path` leads to a tool's description. */
export const openAiDescription = (path: string, description: unknown): ReadonlyArray<string> => {
  const { length } = text(description)
  const most = "string too long. Expected a string with maximum length 1024"
  return length > 1024 ? [`Invalid '${path}': ${most}, but got a string with length ${length} instead.`] : []
}

/** OpenAI: an object at the top with `properties` and no combinator, and `items` for every array. */
export const openAiSchema = (name: string, schema: unknown): ReadonlyArray<string> => {
  if (schema === undefined) return []
  const top = object(schema)
  const invalid = (what: string) => `Invalid schema for function '${name}': ${what}`
  if (top["type"] !== "object") {
    return [invalid(`schema must be a JSON Schema of 'type: "object"', got 'type: "${String(top["type"])}"'.`)]
  }
  return [
    ...(isObject(top["properties"]) ? [] : [invalid("In context=(), object schema missing properties")]),
    ...[...COMBINATORS, "enum", "not"].flatMap((key) =>
      key in top ? [invalid(`schema must have type 'object' and not have '${key}' at the top level.`)] : []
    ),
    ...arraysWithoutItems(top, []).map((path) => invalid(`In context=(${path}), array schema missing items`))
  ]
}

/** Only OpenAI's strict mode asks for these. */
export const strictSchema = (name: string, schema: unknown): ReadonlyArray<string> => {
  const { additionalProperties, properties, required } = object(schema)
  const all = Object.keys(object(properties)).every((key) => list(required).includes(key))
  return additionalProperties === false && all
    ? []
    : [`Invalid schema for function '${name}': strict needs 'additionalProperties: false' and every key in 'required'`]
}

/** Anthropic: an object at the top without a combinator, with legal property names. */
export const anthropicSchema = (at: number, schema: unknown): ReadonlyArray<string> => {
  const where = `tools.${at}.custom.input_schema`
  if (!isObject(schema)) return [`${where}: Field required`]
  return [
    ...(schema["type"] === "object" ? [] : [`${where}.type: Input should be 'object'`]),
    ...(COMBINATORS.some((key) => key in schema)
      ? [`${where}: input_schema does not support oneOf, allOf, or anyOf at the top level`]
      : []),
    ...(Object.keys(object(schema["properties"])).every((key) => ANTHROPIC_KEY.test(key))
      ? []
      : [`${where}.properties: Property keys should match pattern '${ANTHROPIC_KEY.source}'`])
  ]
}

const arraysWithoutItems = (schema: Json, path: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(list([schema["type"]].flat()).includes("array") && !("items" in schema) && !("prefixItems" in schema)
    ? [path.map((key) => `'${key}'`).join(", ")]
    : []),
  ...["properties", "$defs", "definitions"].flatMap((map) =>
    Object.entries(object(schema[map])).flatMap(([key, value]) =>
      arraysWithoutItems(object(value), [...path, map, key])
    )
  ),
  ...(isObject(schema["items"]) ? arraysWithoutItems(schema["items"], [...path, "items"]) : []),
  ...COMBINATORS.flatMap((key) =>
    objects(schema[key]).flatMap((part, at) => arraysWithoutItems(part, [...path, key, String(at)]))
  )
]

/** Rules on what any request has. */
export const requestProblems = (body: Json): ReadonlyArray<string> => [
  ...(text(body["model"]) === "" ? ["model: Field required"] : []),
  ...(body["stream"] === true ? [] : ["stream: this server streams, so 'stream' must be true"])
]
