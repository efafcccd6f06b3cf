/**
 * What Gemini refuses in the `parameters` of a function declaration, its subset of OpenAPI 3.0.
 *
 * - docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/Schema (2025-09-05): the fields of `Schema`, less
 *   those that the Gemini API was seen to refuse. Any other one is "Unknown name … Cannot find field":
 *   github.com/hideya/langchain-mcp-tools-ts/issues/36 (2025-06-17), github.com/nodetool-ai/nodetool/pull/4761 (2026-08-06).
 * - cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration (undated): names of parameters begin with a
 *   letter or _, hold letters, digits and _ only, and have at most 64 characters.
 * - `type` is one value, "Proto field is not repeating": github.com/taylorwilsdon/google_workspace_mcp/issues/1099
 *   (2026-09-06); and "must be specified when not using one_of, any_of or all_of fields":
 *   github.com/danny-avila/LibreChat/issues/6971 (2025).
 * - "only 'enum' and 'date-time' are supported for STRING type": hideya 36. "enum: only allowed for STRING type":
 *   github.com/anomalyco/opencode/pull/12911 (2026-02-10).
 * - "items: missing field": github.com/NousResearch/hermes-agent/issues/71804 (2026-07-26). "properties: only allowed for
 *   OBJECT type": github.com/anomalyco/opencode/pull/11888 (2026-02-03). "required[0]: property is not defined":
 *   github.com/Kilo-Org/kilocode/issues/11950 (2026-07-05).
 * - "parameters.properties: should be non-empty for OBJECT type", told of the root only:
 *   github.com/agno-agi/agno/issues/2112 (2025-02-13), github.com/langchain-ai/langchainjs/pull/7935 (2025-03-31).
 * - "exceeds the maximum allowed nesting depth", for which nobody gives a number:
 *   github.com/google-gemini/gemini-cli/issues/5923 (2025-08-10). The number here is ours.
 */
import type * as Schema from "effect/Schema"
import { isObject, names } from "../../../src/schema/JsonSchema.ts"
import { everywhere, objectAtRoot, typesOf } from "./OpenAiRules.ts"
import {
  brief,
  endless,
  type Places,
  places,
  referencesResolve,
  type Rule,
  type Violation,
  violation,
  wellFormed
} from "./Places.ts"

export const gemini = (root: Schema.Json): ReadonlyArray<Violation> => {
  const all = places(root, FIELDS)
  return [
    ...objectAtRoot(root, []),
    ...parameters(root),
    ...all.flatMap(wellFormed),
    ...all.filter(({ schema }) => typeof schema === "boolean").map((place) =>
      violation(place, "boolean", "a schema must be an object, not true or false")
    ),
    ...everywhere(all, [fields, type, format, enumeration, array, object, nesting])
  ]
}

/** The fields of `Schema`. */
const FIELDS = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required"],
  ...["minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering"],
  ...["default", "items", "minimum", "maximum"]
])

const fields: Rule = (schema, place) =>
  Object.keys(schema).filter((keyword) => !FIELDS.has(keyword)).map((keyword) =>
    violation(place, "keyword", `"${brief(keyword)}" is not known`)
  )

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/
const ROOT = { path: "" }

const parameters = (root: Schema.Json): ReadonlyArray<Violation> => {
  const declared = isObject(root) && isObject(root["properties"]) ? Object.keys(root["properties"]) : []
  if (declared.length === 0) return [violation(ROOT, "no-parameters", "the root must have at least one property")]
  return declared.filter((name) => !NAME.test(name)).map((name) =>
    violation(
      { path: `properties.${name}` },
      "property-key",
      "a parameter's name begins with a letter or _, and has letters, digits and _ only, 64 characters at most"
    )
  )
}

const type: Rule = (schema, place) => {
  const given = schema["type"]
  if (typeof given === "string" || (given === undefined && schema["anyOf"] !== undefined)) return []
  return [violation(place, "type", Array.isArray(given) ? `"type" must be one type` : `it must say its "type"`)]
}

const FORMATS: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"]
}

const format: Rule = ({ format: given, type: kind }, place) =>
  typeof given !== "string" || (typeof kind === "string" && FORMATS[kind]?.includes(given) === true)
    ? []
    : [violation(place, "format", `"${brief(given)}" is not among its formats`)]

const enumeration: Rule = (schema, place) => {
  const given = schema["enum"]
  if (given === undefined) return []
  const isFull = Array.isArray(given) && given.every((value) => typeof value === "string" && value !== "")
  return [
    ...(isFull ? [] : [violation(place, "enum", `"enum" holds texts only, and no empty one`)]),
    ...(schema["type"] === "string" ? [] : [violation(place, "enum", `"enum" is only for texts`)])
  ]
}

const array: Rule = (schema, place) => {
  const isArray = schema["type"] === "array"
  if (isArray && !isObject(schema["items"])) {
    return [violation(place, "items", `an array must say what it holds, by "items"`)]
  }
  return isArray || schema["items"] === undefined ? [] : [violation(place, "items", `"items" is only for arrays`)]
}

const object: Rule = (schema, place) => {
  const { properties, required } = schema
  if (schema["type"] !== "object") {
    return [properties, required].some((value) => value !== undefined)
      ? [violation(place, "properties", `"properties" and "required" are only for objects`)]
      : []
  }
  const declared = isObject(properties) ? properties : {}
  return names(required).filter((name) => !Object.hasOwn(declared, name)).map((name) =>
    violation(place, "required", `"required" names "${brief(name)}", which is not a property`)
  )
}

const NESTING = 32

export const nesting: Rule = (_, place) =>
  // One violation is enough: what is inside is too deep as well.
  place.depth === NESTING ? [violation(place, "depth", `it is nested ${NESTING} schemas deep`)] : []

// What Gemini refuses in the `parametersJsonSchema` of a function declaration, where the AI SDK puts schemas, unchanged.
//
// - docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration (undated): "The schema must describe an object where the properties are
//   the parameters to the function." Keywords that it does not know it passes over; those of a neighbouring field,
//   `responseJsonSchema`, are listed in its clients' references:
//   pub.dev/documentation/googleapis/latest/aiplatform_v1/GoogleCloudAiplatformV1GenerationConfig/responseJsonSchema.html.
// - `$ref` stands alone but for `$…`, `description` and `default`: the same list, and
//   github.com/anomalyco/opencode/issues/12295 (2026-02-05). It leads somewhere: github.com/google-gemini/gemini-cli/issues/13326
//   (2025-11-18). A cycle passes through a property that may be left out: the same list.
// - "exceeds the maximum allowed nesting depth": github.com/google-gemini/gemini-cli/issues/5923 (2025-08-10).
// - "items: missing field" is told of both fields: github.com/NousResearch/hermes-agent/issues/71804 (2026-07-26).

export const geminiJson = (root: Schema.Json, all: ReadonlyArray<Places>): ReadonlyArray<Violation> => [
  ...objectAtRoot(root, []),
  ...all.flatMap(wellFormed),
  ...everywhere(all, [items, alone, nesting, referencesResolve(root)]),
  ...endless(root, all).map((place) => violation(place, "cycle", "it holds itself without end"))
]

const items: Rule = (schema, place) =>
  typesOf(schema).includes("array") && schema["items"] === undefined && schema["prefixItems"] === undefined
    ? [violation(place, "items", `an array must say what it holds, by "items"`)]
    : []

const BESIDE = ["description", "default"]

const alone: Rule = (schema, place) =>
  schema["$ref"] === undefined
    ? []
    : Object.keys(schema).filter((keyword) => !keyword.startsWith("$") && !BESIDE.includes(keyword)).map((keyword) =>
      violation(place, "reference", `"${brief(keyword)}" may not stand beside "$ref"`)
    )
