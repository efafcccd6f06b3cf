/**
 * The schemas that Anthropic takes as the input of a tool.
 *
 * Its guide "Define tools" (https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools) asks for "a
 * JSON Schema object" and no more. Its errors say the rest, as reported from 2025 to September 2026: "input_schema does
 * not support oneOf, allOf, or anyOf at the top level"; "must match JSON Schema draft 2020-12" (lists as `items`,
 * `patternProperties` such as `^(.*)$`); property keys match `^[a-zA-Z0-9_.-]{1,64}$`. Combinators below the root go
 * out as they came.
 */
import type { Walk } from "./SchemaCompletion.ts"

/** How `NormalizedSchema` walks a schema for Anthropic. */
export const anthropic: Pick<Walk, "hasTuples"> = { hasTuples: true }
