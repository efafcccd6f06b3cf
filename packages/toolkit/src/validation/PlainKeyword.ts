/**
 * The keywords of JSON Schema that are checked, in the words of draft 2020-12. Pure.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../JsonSchema.ts"
import { LISTS, MAPS, SINGLE } from "./SchemaPlaces.ts"

/** Keywords that refuse more when what they hold, or stand beside, says less. @category constants */
export const NEGATIVE: ReadonlySet<string> = new Set([
  "else",
  "if",
  "maxContains",
  "not",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Whether a keyword, after `modern`, says something about values that is checked. @category guards */
export const isChecked = (keyword: string): boolean => WELL_FORMED.has(keyword)

/** Whether a keyword that is checked has a value of the kind it takes. @category guards */
export const isWellFormed = (keyword: string, value: Schema.Json): boolean => WELL_FORMED.get(keyword)?.(value) === true

/**
 * The keywords of one part of a schema, older ways to say it turned into those of 2020-12: lists of `items`, boolean
 * limits, `dependencies`. `isOld` is for drafts up to 07, which do not know the younger keywords.
 *
 * @category converting
 */
export const modern = (schema: Schema.JsonObject, isOld: boolean): Schema.JsonObject =>
  keysKnown(limits(dependencies(tuples(isOld ? withoutYounger(schema) : schema))))

const YOUNGER: ReadonlySet<string> = new Set([
  "dependentRequired",
  "dependentSchemas",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties"
])

const withoutYounger = (schema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !YOUNGER.has(keyword)))

const tuples = ({ additionalItems, ...schema }: Schema.JsonObject): Schema.JsonObject => {
  const { items, ...rest } = schema
  if (!Array.isArray(items)) return schema
  return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) }
}

const dependencies = ({ dependencies: old, ...schema }: Schema.JsonObject): Schema.JsonObject => {
  if (!JsonSchema.isObject(old)) return schema
  const entries = Object.entries(old)
  const required = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))
  return {
    ...(required.length === 0 ? {} : { dependentRequired: Object.fromEntries(required) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: Object.fromEntries(schemas) }),
    ...schema
  }
}

const limits = (schema: Schema.JsonObject): Schema.JsonObject =>
  limit(limit(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum")

const limit = (schema: Schema.JsonObject, inclusive: string, exclusive: string): Schema.JsonObject => {
  const { [exclusive]: isExclusive, [inclusive]: value, ...rest } = schema
  if (typeof isExclusive !== "boolean") return schema
  return value === undefined ? rest : { ...rest, [isExclusive ? exclusive : inclusive]: value }
}

/** Without readable `properties`, no key is one too many; an empty list is how PHP writes an empty object. */
const keysKnown = ({ additionalProperties, ...schema }: Schema.JsonObject): Schema.JsonObject => {
  const { properties } = schema
  if (additionalProperties === undefined) return schema
  return properties === undefined || JsonSchema.isObject(properties) || Array.isArray(properties)
    ? { ...schema, additionalProperties }
    : schema
}

type Guard = (value: Schema.Json) => boolean

const isLimit: Guard = (value) => typeof value === "number" && Number.isFinite(value)
const isCount: Guard = (value) => typeof value === "number" && value >= 0
const isList: Guard = (value) => Array.isArray(value) && value.length > 0
const isSchema: Guard = (value) => typeof value === "boolean" || JsonSchema.isObject(value)
const isNames: Guard = (value) => Array.isArray(value) && value.every(Predicate.isString)
const isSome: Guard = (value) => !Array.isArray(value) || value.length > 0
const isMap: Guard = (value) => JsonSchema.isObject(value)
const isType: Guard = (value) =>
  isNames([value].flat()) && JsonSchema.names([value].flat()).every((name) => TYPES.has(name)) && isSome(value)

const TYPES: ReadonlySet<string> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"])

const each = (keywords: Iterable<string>, guard: Guard) =>
  [...keywords].map((keyword): readonly [string, Guard] => [keyword, guard])

const OLD: ReadonlySet<string> = new Set(["$defs", "additionalItems", "definitions", "dependencies"])

const WELL_FORMED: ReadonlyMap<string, Guard> = new Map([
  ...each(MAPS, isMap),
  ...each(SINGLE, isSchema),
  ...each([...LISTS].filter((keyword) => keyword !== "items"), isList),
  ...each(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], isLimit),
  ...each(["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"], isCount),
  ...each(["maxContains", "minContains"], isCount),
  ...each(["enum"], isList),
  ...each(["const"], () => true),
  ...each(["type"], isType),
  ...each(["multipleOf"], (value) => isLimit(value) && Number(value) > 0),
  ...each(["pattern"], Predicate.isString),
  ...each(["uniqueItems"], Predicate.isBoolean),
  ...each(["required"], isNames),
  ...each(["dependentRequired"], (value) => JsonSchema.isObject(value) && Object.values(value).every(isNames))
].filter(([keyword]) => !OLD.has(keyword)))
