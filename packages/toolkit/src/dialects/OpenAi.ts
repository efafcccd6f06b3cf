/**
 * What OpenAI takes as a function without `strict`, and what servers of the same shape take.
 *
 * Its guide "Function calling" (https://developers.openai.com/api/docs/guides/function-calling) asks for an object at the
 * root and leaves the rest to its errors, as reported until 2026: "schema must have type 'object' and not have
 * 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level"; "object schema missing properties"; "array schema missing
 * items", also where `prefixItems` are; what is not valid by draft 2020-12 ("is not of type 'object', 'boolean'").
 * The guide also says, since 1 April 2026 by its history at spybara.com/openai/api, that the Responses API makes schemas
 * strict by itself where `strict` is left out, which makes optional parameters required: whoever sends this dialect says
 * `strict: false`. Gateways pass its requests on to Anthropic, so names of properties are held to what that takes.
 */
import type { Walk } from "./Completion.ts"

/** How a schema is walked for it. */
export const openai: Pick<Walk, "hasTuples"> = { hasTuples: false }

/**
 * How many characters of a tool's description it takes; more and the whole request is refused ("string too long. Expected
 * a string with maximum length 1024", chat completions and responses alike).
 */
export const DESCRIPTION_CHARACTERS = 1024
