/**
 * What OpenAI takes as a function without `strict`, and what servers of the same shape take.
 *
 * Beyond an object at the root (https://platform.openai.com/docs/guides/function-calling, as of February 2026) its
 * documents leave the rules to its errors, as reported until 2026: "schema must have type 'object' and not have
 * 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; "object schema missing properties"; "array schema missing
 * items", also where `prefixItems` are; what is not valid by draft 2020-12 ("is not of type 'object', 'boolean'").
 * Gateways pass its requests on to Anthropic, so names of properties are held to what that takes.
 */
import type { Walk } from "./Sound.ts"

/** How a schema is walked for it. */
export const openai: Pick<Walk, "hasTuples"> = { hasTuples: false }
