/**
 * What OpenAI refuses in the `parameters` of a function, without strict schemas.
 *
 * - developers.openai.com/api/docs/guides/function-calling (undated): parameters are JSON Schema, an object at the root.
 * - "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level":
 *   github.com/langchain-ai/langchainjs/issues/9804 (2026-01-14), github.com/nspady/google-calendar-mcp/issues/39 (2025-06).
 * - "In context=(), object schema missing properties", told of the root only:
 *   github.com/openai/openai-agents-python/issues/449 (2025-04-07), github.com/mark3labs/mcphost/issues/88 (2025-06-26).
 * - "In context=('properties', 'interaction', 'type', '1'), array schema missing items", wherever an array is allowed:
 *   github.com/campfirein/byterover-cli/issues/42 (2025-07-11), github.com/spacelift-io/spacectl/issues/402 (2026-03-18).
 * - Malformed schemas, patterns and references: see the rules for those.
 */
import type * as Schema from "effect/Schema"
import { isObject, names } from "../../../src/schema/JsonSchema.ts"
import {
  brief,
  type Places,
  pythonPatterns,
  referencesResolve,
  type Rule,
  type Violation,
  violation,
  wellFormed
} from "./Places.ts"

export const openai = (root: Schema.Json, all: ReadonlyArray<Places>): ReadonlyArray<Violation> => [
  ...atRoot(root),
  ...all.flatMap(wellFormed),
  ...everywhere(all, [items, pythonPatterns, referencesResolve(root)])
]

/** Rules at every place that holds an object. */
export const everywhere = (all: ReadonlyArray<Places>, rules: ReadonlyArray<Rule>): ReadonlyArray<Violation> =>
  all.flatMap((place) => {
    const { schema } = place
    return isObject(schema) ? rules.flatMap((rule) => rule(schema, place)) : []
  })

/** The types a schema names. */
export const typesOf = (schema: Schema.JsonObject): ReadonlyArray<Schema.Json> => [schema["type"] ?? []].flat()

const ROOT = { path: "" }

/** The root is an object by its type, and nothing but one. */
export const objectAtRoot = (root: Schema.Json, refused: ReadonlyArray<string>): ReadonlyArray<Violation> => {
  if (!isObject(root)) return [violation(ROOT, "root-type", "the root must be a schema of an object")]
  return [
    ...(root["type"] === "object" ? [] : [violation(ROOT, "root-type", `"type" of the root must be "object"`)]),
    ...refused.filter((keyword) => root[keyword] !== undefined).map((keyword) =>
      violation(ROOT, "root-choice", `"${keyword}" may not stand at the root`)
    )
  ]
}

const atRoot = (root: Schema.Json): ReadonlyArray<Violation> => [
  ...objectAtRoot(root, ["oneOf", "anyOf", "allOf", "enum", "not"]),
  ...(isObject(root) && root["properties"] === undefined
    ? [violation(ROOT, "properties", `an object must say its "properties", even if it has none`)]
    : [])
]

/** An array says what it holds. */
export const items: Rule = (schema, place) =>
  typesOf(schema).includes("array") && schema["items"] === undefined
    ? [violation(place, "items", `an array must say what it holds, by "items"`)]
    : []

// What OpenAI refuses in the `parameters` of a function with `strict: true`, besides what it refuses without.
//
// - developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas", by
//   jsonschemaprofiles.unitvectorylabs.com/schemas/openai (2026-02), its formats by
//   github.com/MervinPraison/PraisonAI/pull/1028: the keywords and formats; all fields required; `additionalProperties: false`; 5,000 properties, 10 levels, 1,000 enum values, 120,000 characters of
//   names and values, 15,000 characters in an enum of more than 250 texts.
// - "schema must have a 'type' key": github.com/apexive/odoo-llm/issues/212 (2025).
// - "'allOf' is not permitted": github.com/makenotion/notion-mcp-server/issues/102 (2025-08-07). "'oneOf' is not
//   permitted" and "'default' is not permitted" in the same words for other keywords.
// - "$ref cannot have keywords {'description'}": github.com/camel-ai/camel/issues/3001 (2025-08-10).
// - "regex lookaround is not supported": github.com/decolua/9router/issues/1556 (2026-05-29).
//
// Left out: that branches of `anyOf` must not begin with the same property, which was told in 2024 and no longer is.

export const openaiStrict = (root: Schema.Json, all: ReadonlyArray<Places>): ReadonlyArray<Violation> => [
  ...openai(root, all),
  ...everywhere(all, [keywords, typed, closed, reference, format, lookaround]),
  ...limits(all)
]

const KEYWORDS = new Set([
  ...["type", "description", "title", "enum", "const", "anyOf", "$ref", "$defs", "definitions", "$schema", "$id"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems", "pattern", "format"],
  ...["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
])

const keywords: Rule = (schema, place) =>
  Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword)).map((keyword) =>
    violation(place, "keyword", `"${brief(keyword)}" is not permitted`)
  )

const typed: Rule = (schema, place) =>
  ["type", "anyOf", "$ref"].some((keyword) => schema[keyword] !== undefined)
    ? []
    : [violation(place, "type", `it must say its "type"`)]

/** An object has the properties it names, all of them, and no others. */
const closed: Rule = (schema, place) => {
  if (!typesOf(schema).includes("object")) return []
  const { additionalProperties, properties } = schema
  const declared = isObject(properties) ? Object.keys(properties) : []
  const required = new Set(names(schema["required"]))
  const optional = declared.filter((name) => !required.has(name))
  const unknown = required.size > declared.length - optional.length
  return [
    ...(isObject(properties) ? [] : [violation(place, "properties", `an object must say its "properties"`)]),
    ...(additionalProperties === false
      ? []
      : [violation(place, "additional-properties", `"additionalProperties" must be false`)]),
    ...optional.map((name) => violation(place, "required", `"${brief(name)}" must be in "required"`)),
    ...(unknown ? [violation(place, "required", `"required" names a property that is not there`)] : [])
  ]
}

const reference: Rule = (schema, place) => {
  const { $ref, ...rest } = schema
  if (typeof $ref !== "string") return []
  return [
    ...(/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test($ref)
      ? []
      : [violation(place, "reference", `"${brief($ref)}" must point to the root or one of its definitions`)]),
    ...Object.keys(rest).map((keyword) =>
      violation(place, "reference", `"${brief(keyword)}" may not stand beside "$ref"`)
    )
  ]
}

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

const format: Rule = ({ format: given }, place) =>
  typeof given !== "string" || FORMATS.includes(given)
    ? []
    : [violation(place, "format", `"${brief(given)}" is not among its formats`)]

const lookaround: Rule = ({ pattern }, place) =>
  typeof pattern === "string" && /\(\?<?[=!]/.test(pattern)
    ? [violation(place, "pattern", "a pattern may not look ahead or behind")]
    : []

const limits = (all: ReadonlyArray<Places>): ReadonlyArray<Violation> => {
  const schemas = all.flatMap(({ schema }) => isObject(schema) ? [schema] : [])
  const properties = schemas.flatMap(({ properties }) => isObject(properties) ? Object.keys(properties) : [])
  const definitions = schemas.flatMap(({ $defs }) => isObject($defs) ? Object.keys($defs) : [])
  const enums = schemas.flatMap((schema) => Array.isArray(schema["enum"]) ? [schema["enum"]] : [])
  const constants = schemas.flatMap((schema) => schema["const"] === undefined ? [] : [schema["const"]])
  const characters = length([...properties, ...definitions, ...enums.flat(), ...constants])
  const largest = Math.max(0, ...enums.filter((values) => values.length > 250).map(length))
  return [
    ...above(properties.length, 5000, "properties in all"),
    ...above(levels(all), 10, "levels of objects"),
    ...above(enums.flat().length, 1000, "enum values in all"),
    ...above(characters, 120_000, "characters of names and values in all"),
    ...above(largest, 15_000, "characters in an enum of more than 250 values")
  ]
}

const above = (found: number, limit: number, what: string): ReadonlyArray<Violation> =>
  found > limit ? [violation(ROOT, "limit", `it has ${found} ${what}; the limit is ${limit}`)] : []

const length = (values: ReadonlyArray<Schema.Json>): number =>
  values.reduce((sum: number, value) => sum + (typeof value === "string" ? value.length : 0), 0)

/** How many objects stand inside each other at most. */
const levels = (all: ReadonlyArray<Places>): number => {
  // Places come before what is inside them, so the levels above are those last seen.
  const above: Array<number> = []
  let most = 0
  for (const { depth, schema } of all) {
    const own = (above[depth - 1] ?? 0) + (isObject(schema) && typesOf(schema).includes("object") ? 1 : 0)
    above[depth] = own
    most = Math.max(most, own)
  }
  return most
}
