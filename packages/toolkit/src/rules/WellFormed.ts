/**
 * Whether something is JSON Schema at all, draft 2020-12, which Anthropic and OpenAI check before anything else.
 *
 * - json-schema.org/draft/2020-12/schema, the meta-schema (2022-06-10).
 * - Anthropic: "JSON schema is invalid. It must match JSON Schema draft 2020-12". Live for a tuple of draft 7:
 *   github.com/openclaw/openclaw/issues/98588 (2026-07-02); for a boolean `exclusiveMinimum`:
 *   github.com/Dokploy/mcp/issues/74 (2026-08-16).
 * - OpenAI: "'object' is not of type 'object', 'boolean'": github.com/smallmain/vscode-unify-chat-provider/issues/162
 *   (2026-05-03); "null is not of type "array"" for `required`: github.com/anomalyco/opencode/issues/35528 (2026-07-06);
 *   tuples: github.com/oomkapwn/enquire-mcp/issues/354 (2026-07-18).
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../JsonSchema.ts"
import { brief, type Place, type Rule, type Violation, violation } from "./Place.ts"

/** What a keyword must hold, in words; null when it does. */
type Check = (value: Schema.Json) => string | null

const expect = (words: string, is: (value: Schema.Json) => boolean): Check => (value) => is(value) ? null : words

const text = expect("a text", (value) => typeof value === "string")
const flag = expect("true or false", (value) => typeof value === "boolean")
const number = expect("a number", (value) => typeof value === "number")
const count = expect(
  "a whole number from 0",
  (value) => typeof value === "number" && Number.isInteger(value) && value >= 0
)
const list = expect("a list", Array.isArray)
const map = expect("an object", isObject)
const schemas = expect("a list with at least one schema", (value) => Array.isArray(value) && value.length > 0)
const isNames = (value: Schema.Json): boolean =>
  Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length
const names = expect("a list of different names", isNames)

const TYPES: ReadonlyArray<Schema.Json> = ["null", "boolean", "object", "array", "number", "string", "integer"]
const type = expect(
  "one of JSON's types, or a list of different ones",
  (value) =>
    TYPES.includes(value) ||
    (Array.isArray(value) && value.length > 0 && isNames(value) && value.every((name) => TYPES.includes(name)))
)

const of = (check: Check, keywords: ReadonlyArray<string>): ReadonlyArray<readonly [string, Check]> =>
  keywords.map((keyword) => [keyword, check])

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ["type", type],
  ["required", names],
  ["items", expect("one schema; a list of them is an older draft's way", (value) => !Array.isArray(value))],
  ["multipleOf", expect("a number above 0", (value) => typeof value === "number" && value > 0)],
  ...of(text, ["title", "description", "format", "pattern", "$comment", "$schema", "$id", "$ref", "$anchor"]),
  ...of(text, ["contentEncoding", "contentMediaType"]),
  ...of(flag, ["uniqueItems", "deprecated", "readOnly", "writeOnly"]),
  ...of(number, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
  ...of(count, ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]),
  ...of(count, ["minContains", "maxContains"]),
  ...of(list, ["enum", "examples"]),
  ...of(map, ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired"]),
  ...of(schemas, ["anyOf", "oneOf", "allOf", "prefixItems"])
])

/** What is not a schema at a place, and keywords there that hold what they must not. */
export const wellFormed = (place: Place): ReadonlyArray<Violation> => {
  const { schema } = place
  if (typeof schema === "boolean") return []
  if (!isObject(schema)) return [violation(place, "not-a-schema", "a schema is an object, or true or false")]
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const expected = CHECKS.get(keyword)?.(value) ?? null
    return expected === null ? [] : [violation(place, "malformed", `"${keyword}" must be ${expected}`)]
  })
}

/**
 * OpenAI compiles each `pattern` by Python's `re`, which knows no `\p{…}`, `(?<name>…)` and `\u{…}`: "… is not a 'regex'",
 * github.com/pleaseai/shunt/pull/488 (2026-09-09).
 */
export const pythonPatterns: Rule = (schema, place) => {
  const { pattern } = schema
  return typeof pattern === "string" && !PYTHON.test(pattern)
    ? [violation(place, "pattern", `"${brief(pattern)}" is not a pattern that Python can read`)]
    : []
}

/** Every escape is taken as one piece, so that an escaped backslash begins none. */
const PYTHON = /^(?:[^\\(]|\\[^A-Za-z]|\\[aAbBdDfnNrsStvwWxZ]|\\u[0-9a-fA-F]{4}|\((?!\?<[^=!]))*$/s
