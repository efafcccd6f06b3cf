/**
 * What Anthropic's Messages API refuses in the `input_schema` of a tool, without `strict`.
 *
 * - platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools (undated): a JSON Schema object.
 * - "input_schema does not support oneOf, allOf, or anyOf at the top level":
 *   github.com/anomalyco/opencode/issues/35516 and 47543 (2026), github.com/marianfoo/mcp-sap-docs/pull/51 (2026-05-21).
 *   `not` and `if` stand there unharmed: github.com/kenn-io/kata/pull/365 (2026-09-14).
 * - "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", told of the root's properties
 *   only: github.com/anthropics/claude-code/issues/34771 and 79418 (2026-07-20), github.com/twilio-labs/mcp/issues/58
 *   (2026-02-15), github.com/microsoft/pylance-release/issues/7986 (2026-04-13).
 * - Malformed schemas and references: see the rules for those.
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../../../src/schema/JsonSchema.ts"
import { everywhere, objectAtRoot } from "./OpenAiRules.ts"
import { type Places, referencesResolve, type Violation, violation, wellFormed } from "./Places.ts"

export const anthropic = (root: Schema.Json, all: ReadonlyArray<Places>): ReadonlyArray<Violation> => [
  ...objectAtRoot(root, ["oneOf", "allOf", "anyOf"]),
  ...propertyKeys(root),
  ...all.flatMap(wellFormed),
  ...everywhere(all, [referencesResolve(root)])
]

const KEY = /^[a-zA-Z0-9_.-]{1,64}$/

const propertyKeys = (root: Schema.Json): ReadonlyArray<Violation> => {
  const properties = isObject(root) && isObject(root["properties"]) ? Object.keys(root["properties"]) : []
  return properties.filter((name) => !KEY.test(name)).map((name) =>
    violation(
      { path: `properties.${name}` },
      "property-key",
      "a property's name may have 64 characters at most, and only letters, digits, _, . and -"
    )
  )
}
