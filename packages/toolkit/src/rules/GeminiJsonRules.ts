/**
 * What Gemini refuses in the `parametersJsonSchema` of a function declaration, where the AI SDK puts schemas, unchanged.
 *
 * - docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration (undated): "The schema must describe an object where the properties are
 *   the parameters to the function." Keywords that it does not know it passes over; those of a neighbouring field,
 *   `responseJsonSchema`, are listed in its clients' references:
 *   pub.dev/documentation/googleapis/latest/aiplatform_v1/GoogleCloudAiplatformV1GenerationConfig/responseJsonSchema.html.
 * - `$ref` stands alone but for `$…`, `description` and `default`: the same list, and
 *   github.com/anomalyco/opencode/issues/12295 (2026-02-05). It leads somewhere: github.com/google-gemini/gemini-cli/issues/13326
 *   (2025-11-18). A cycle passes through a property that may be left out: the same list.
 * - "exceeds the maximum allowed nesting depth": github.com/google-gemini/gemini-cli/issues/5923 (2025-08-10).
 * - "items: missing field" is told of both fields: github.com/NousResearch/hermes-agent/issues/71804 (2026-07-26).
 */
import type * as Schema from "effect/Schema"
import { nesting } from "./GeminiRules.ts"
import { everywhere, objectAtRoot, typesOf } from "./OpenAiRules.ts"
import { brief, type Place, type Rule, type Violation, violation } from "./Place.ts"
import { endless, referencesResolve } from "./References.ts"
import { wellFormed } from "./WellFormed.ts"

export const geminiJson = (root: Schema.Json, all: ReadonlyArray<Place>): ReadonlyArray<Violation> => [
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
