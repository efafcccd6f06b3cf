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
import { isObject } from "../JsonSchema.ts"
import { type Place, type Rule, type Violation, violation } from "./Place.ts"
import { referencesResolve } from "./References.ts"
import { pythonPatterns, wellFormed } from "./WellFormed.ts"

export const openai = (root: Schema.Json, all: ReadonlyArray<Place>): ReadonlyArray<Violation> => [
  ...atRoot(root),
  ...all.flatMap(wellFormed),
  ...everywhere(all, [items, pythonPatterns, referencesResolve(root)])
]

/** Rules at every place that holds an object. */
export const everywhere = (all: ReadonlyArray<Place>, rules: ReadonlyArray<Rule>): ReadonlyArray<Violation> =>
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
