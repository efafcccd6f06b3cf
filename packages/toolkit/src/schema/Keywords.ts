/** Which value each keyword of JSON Schema (draft 2020-12) may have. Providers check a schema against that draft. */
import type * as Schema from "effect/Schema"
import { isObject, names, own } from "./JsonSchema.ts"
import { isSmall } from "./JsonSize.ts"

export const TYPES: ReadonlyArray<string> = ["string", "number", "integer", "boolean", "array", "object", "null"]

const isText = (value: Schema.Json): boolean => typeof value === "string"
const isNumber = (value: Schema.Json): boolean => typeof value === "number" && Number.isFinite(value)
const isCount = (value: Schema.Json): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isFlag = (value: Schema.Json): boolean => typeof value === "boolean"

/** Keywords whose value is no schema, each with what it may be. */
export const PLAIN: Record<string, (value: Schema.Json) => boolean> = {
  title: isText,
  description: isText,
  format: isText,
  pattern: (value) => typeof value === "string" && isPortable(value),
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: isFlag,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  const: (value) => isSmall(value),
  default: (value) => isSmall(value),
  examples: (value) => Array.isArray(value) && isSmall(value)
}

export const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "not",
  "if",
  "then",
  "else"
])

export const LISTS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])

/** Under these a schema says something of a value that another says the rest of. */
export const BRANCHES: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "not", "if", "then", "else"])

/**
 * Keywords that say nothing a model could use, and that some provider refuses: where a schema comes from. References
 * are resolved before, so names of schemas are of no more use.
 */
export const SILENT: ReadonlySet<string> = new Set([
  "contentSchema",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
  "$comment",
  "$defs",
  "definitions",
  "__proto__"
])

/** How a text is encoded: providers refuse to hear it from a keyword. */
export const ENCODINGS: ReadonlySet<string> = new Set(["contentEncoding", "contentMediaType"])

/**
 * Whether a pattern means the same, and anything at all, to the readers of regular expressions in use: no named groups,
 * no looking back, no classes of Unicode, no nested or overlong repetition; providers answer those with an error.
 */
const isPortable = (pattern: string): boolean =>
  pattern.length <= PATTERN && !UNPORTABLE.test(pattern) && isExpression(pattern)

const PATTERN = 500

const UNPORTABLE =
  /\(\?(?![:=!])|\\(?![dDwWsSbBntrfv0./\\()[\]{}|^$*+?\-"'@#:,;!%&=<>~`_ ]|x[\da-fA-F]{2}|u[\da-fA-F]{4})|\[\^?\]/

/** Brackets and braces that close, and nothing repeated that is not there. */
const isExpression = (pattern: string): boolean => {
  const bare = pattern.replaceAll(/\\./g, "a").replaceAll(/\[\^?[^\]]+\]/g, "a").replaceAll(/\(\?[:=!]/g, "(")
  let depth = 0
  for (const character of bare) {
    if (character === "(") depth++
    if (character === ")" && --depth < 0) return false
  }
  return depth === 0 && !/[[\]]|(?:^|[(|])[*+?{]|[*+?}][*+{]|[*+}]\?\?/.test(bare)
}

/** Whether a value can be a schema at all. */
export const isSchema = (value: Schema.Json): value is Schema.JsonObject | boolean =>
  isObject(value) || typeof value === "boolean"

/** The types there are in a value of `type`. */
export const types = (value: Schema.Json): ReadonlyArray<string> => {
  const given = Array.isArray(value) ? value : [value]
  return TYPES.filter((type) => given.includes(type))
}

/** The type as it was where that is sound. */
export const typed = (value: Schema.Json): Schema.Json => {
  const known = types(value)
  if (typeof value === "string") return value
  return Array.isArray(value) && value.length === known.length ? value : known
}

/** The names a schema requires, in every draft's way. */
export const requiredOf = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const properties = own(schema, "properties")
  const said = isObject(properties)
    ? Object.entries(properties).filter(([, property]) => own(property, "required") === true).map(([name]) => name)
    : []
  return [...new Set([...names(own(schema, "required")), ...said])]
}

/**
 * Whether another keyword of the schema stands for this one: without its patterns, an object that allows no other
 * properties would allow none; and one reference is all that a schema keeps.
 */
export const isOutdone = (schema: Schema.JsonObject, key: string): boolean => {
  if (key === "$dynamicRef") return own(schema, "$ref") !== undefined
  if (key === "$recursiveRef") return (own(schema, "$ref") ?? own(schema, "$dynamicRef")) !== undefined
  if (key !== "additionalProperties") return false
  return !isObject(own(schema, key)) && isObject(own(schema, "patternProperties"))
}
