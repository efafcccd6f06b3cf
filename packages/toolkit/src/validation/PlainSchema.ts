/**
 * A declared schema of any draft as a schema of draft 2020-12 that is safe to compile and never stricter than what its
 * server meant. Pure.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../text/JsonSchema.ts"
import * as JsonSize from "../text/JsonSize.ts"
import * as LinearPattern from "./LinearPattern.ts"
import * as SchemaPlaces from "./SchemaPlaces.ts"
import { LISTS, MAPS, SINGLE } from "./SchemaPlaces.ts"

/** What one visit of a part costs: a fixed number of steps, and as many for each member of the value. */
export type Charge = readonly [fixed: number, each: number]

/** The keyword of each part that holds its `Charge`. */
export const CHARGE = "charge"

/** How many values and levels a schema may have. */
export const LIMITS = { values: 20_000, depth: 100 } as const

/** A schema in plain words. */
export interface PlainSchema {
  readonly schema: Schema.JsonObject
  /** Every pattern in it, compiled. */
  readonly patterns: ReadonlyMap<string, LinearPattern.LinearPattern>
  /** How many schemas are in it. */
  readonly parts: number
  /** What of the declared schema is not checked, in words for a log. */
  readonly left: ReadonlyArray<string>
}

/**
 * Translates a schema: `$schema` says the draft, and 2020-12 holds without it. A tuple written as a list of `items`, a
 * boolean `exclusiveMinimum`, `dependencies` and `nullable` mean what they say in every draft, because servers mix them.
 *
 * References that lead outside the schema, patterns that are not linear, `format`, keywords with a value of the wrong
 * kind, and `required` for what has a `default` are left out. Where something was left out, what could then refuse too much is left out too: `not`, `if`,
 * `unevaluated…`, and the "exactly" of `oneOf`. Null for a schema beyond the limits. The same for the same object.
 */
export const from = (declared: Schema.JsonObject): PlainSchema | null => {
  const known = made.get(declared)
  if (known !== undefined) return known
  const plain = isSmall(declared) ? milder(translated(declared, true), declared) : null
  made.set(declared, plain)
  return plain
}

const made = new WeakMap<Schema.JsonObject, PlainSchema | null>()

const isSmall = (declared: Schema.JsonObject): boolean => JsonSize.isWithin(declared, LIMITS.values, LIMITS.depth)

const milder = (exact: PlainSchema, declared: Schema.JsonObject): PlainSchema =>
  exact.left.length === 0 ? exact : translated(declared, false)

interface Work {
  readonly isExact: boolean
  readonly isOld: boolean
  /** The validator is wrong about what a condition evaluates, and about `unevaluatedItems`. */
  readonly hasConditions: boolean
  readonly places: SchemaPlaces.SchemaPlaces
  readonly definitions: Map<Schema.JsonObject, string>
  readonly todo: Array<SchemaPlaces.Place>
  readonly patterns: Map<string, LinearPattern.LinearPattern>
  readonly left: Set<string>
  parts: number
  patternCharacters: number
}

const translated = (declared: Schema.JsonObject, isExact: boolean): PlainSchema => {
  const work: Work = {
    isExact,
    isOld: typeof declared["$schema"] === "string" && /draft-0[0-7]/.test(declared["$schema"]),
    hasConditions: JSON.stringify(declared).includes("\"if\":"),
    places: SchemaPlaces.make(declared),
    definitions: new Map(),
    todo: [],
    patterns: new Map(),
    left: new Set(),
    parts: 0,
    patternCharacters: 0
  }
  const start = reference(work, { schema: declared, resource: declared })
  const bodies = new Map<string, Schema.Json>()
  for (let next = work.todo.pop(); next !== undefined; next = work.todo.pop()) {
    const name = JsonSchema.isObject(next.schema) ? work.definitions.get(next.schema) : undefined
    if (name !== undefined) bodies.set(name, plain(work, next.resource, next.schema))
  }
  const schema: Schema.JsonObject = { ...start, $defs: Object.fromEntries(bodies) }
  return { schema, patterns: work.patterns, parts: work.parts, left: [...work.left] }
}

/** Every target of a reference becomes a definition, so that it does not matter where it stood. */
const reference = (work: Work, place: SchemaPlaces.Place): Schema.JsonObject => {
  const { schema } = place
  if (!JsonSchema.isObject(schema)) return schema === false ? { not: {} } : {}
  const known = work.definitions.get(schema)
  const name = known ?? `d${work.definitions.size}`
  if (known === undefined) {
    work.definitions.set(schema, name)
    work.todo.push(place)
  }
  return { $ref: `#/$defs/${name}` }
}

const plain = (work: Work, around: Schema.JsonObject, schema: Schema.Json): Schema.Json => {
  work.parts++
  if (typeof schema === "boolean") return schema
  if (!JsonSchema.isObject(schema)) return leave(work, "a part that is no schema", true)
  const resource = work.places.isResource(schema) ? schema : around
  const target = referred(work, resource, schema)
  const own = work.isOld && target !== null ? {} : keywords(work, resource, schema)
  const whole: Schema.JsonObject = { ...own, ...target }
  const charged = { ...whole, [CHARGE]: [...chargeOf(whole)] }
  return schema["nullable"] === true ? { anyOf: [{ type: "null" }, charged] } : charged
}

const leave = <A>(work: Work, what: string, instead: A): A => {
  work.left.add(what)
  return instead
}

const referred = (work: Work, resource: Schema.JsonObject, schema: Schema.JsonObject): Schema.JsonObject | null => {
  const { $dynamicRef, $recursiveRef, $ref } = schema
  const written = [$ref, $dynamicRef, $recursiveRef].find((at) => typeof at === "string")
  if (written === undefined) return null
  // In a schema of several resources, where a dynamic reference leads depends on the way to it.
  const isKnown = written === $ref || work.places.isSingle
  const place = isKnown ? work.places.at(written, resource) : null
  return place === null ? leave(work, `a reference to ${written.slice(0, 100)}`, {}) : reference(work, place)
}

const keywords = (work: Work, resource: Schema.JsonObject, schema: Schema.JsonObject): Schema.JsonObject => {
  const sub = (child: Schema.Json) => plain(work, resource, child)
  const modern = modernKeyword(schema, work.isOld)
  const entries = Object.entries(modern).flatMap(([keyword, value]): ReadonlyArray<readonly [string, Schema.Json]> => {
    if (!isChecked(keyword)) return keyword === "format" ? leave(work, "format", []) : []
    if (!work.isExact && NEGATIVE.has(keyword)) return []
    if (keyword === "unevaluatedItems" || keyword === "unevaluatedProperties" && work.hasConditions) {
      return leave(work, keyword, [])
    }
    if (!isWellFormed(keyword, value)) return leave(work, `a ${keyword} that is malformed`, [])
    if (keyword === "pattern") return typeof value === "string" && isKnown(work, value, false) ? [[keyword, value]] : []
    return [[keyword, nested(keyword, value, sub)]]
  })
  return matching(work, loosened(work, demanding(work, schema, Object.fromEntries(entries))))
}

/** A server fills in what has a default, whatever it lists as required: generators list all that they give back. */
const demanding = (work: Work, { properties }: Schema.JsonObject, plain: Schema.JsonObject): Schema.JsonObject => {
  const { required, ...rest } = plain
  const names = JsonSchema.names(required)
  const needed = names.filter((name) => !hasDefault(properties, name))
  return needed.length === names.length ? plain : leave(work, "a default", { ...rest, required: needed })
}

const hasDefault = (properties: Schema.Json | undefined, name: string): boolean => {
  const property = JsonSchema.isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return JsonSchema.isObject(property) && property["default"] !== undefined
}

const nested = (keyword: string, value: Schema.Json, sub: (child: Schema.Json) => Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return SchemaPlaces.LISTS.has(keyword) ? value.map(sub) : value
  if (SchemaPlaces.SINGLE.has(keyword)) return sub(value)
  return SchemaPlaces.MAPS.has(keyword) && JsonSchema.isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, sub(child)]))
    : value
}

const loosened = (work: Work, { oneOf, ...schema }: Schema.JsonObject): Schema.JsonObject => {
  if (oneOf === undefined) return schema
  if (work.isExact) return { ...schema, oneOf }
  const { allOf } = schema
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }
}

/** What follows from a match, such as the schema of a key, needs an exact one; to match is enough for a value. */
const isKnown = (work: Work, source: string, needsExact: boolean): boolean => {
  const pattern = work.patterns.get(source) ?? compiled(work, source)
  if (pattern === null) return leave(work, `the pattern ${source.slice(0, 100)}`, false)
  work.patterns.set(source, pattern)
  return pattern.isExact || leave(work, `what the pattern ${source.slice(0, 100)} may not match`, !needsExact)
}

const compiled = (work: Work, source: string): LinearPattern.LinearPattern | null => {
  if (work.patternCharacters > PATTERN_CHARACTERS || work.patterns.size >= PATTERNS) return null
  work.patternCharacters += source.length + CLASS_CHARACTERS * (source.match(/\\[dpsw]/gi) ?? []).length
  return LinearPattern.make(source)
}

/** Together they take 50 ms to compile. */
const PATTERNS = 30
const PATTERN_CHARACTERS = 3000
/** A class of all scripts counts as so many. */
const CLASS_CHARACTERS = 20

/** A key that matches a pattern nobody can read may be any key, so that none of them is one too many. */
const matching = (work: Work, schema: Schema.JsonObject): Schema.JsonObject => {
  const { additionalProperties, patternProperties, properties, ...rest } = schema
  const byPattern = Object.entries(JsonSchema.isObject(patternProperties) ? patternProperties : {})
  const readable = byPattern.filter(([source]) => isKnown(work, source, true))
  const isWhole = readable.length === byPattern.length
  const patterned = [...readable, ...prototypeOf(work, properties)]
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties }),
    ...(patterned.length === 0 ? {} : { patternProperties: Object.fromEntries(patterned) }),
    ...(isWhole && additionalProperties !== undefined ? { additionalProperties } : {})
  }
}

/** The validator overlooks a property of this name. */
const prototypeOf = (
  work: Work,
  properties: Schema.Json | undefined
): ReadonlyArray<readonly [string, Schema.Json]> => {
  const own = JsonSchema.isObject(properties) && Object.hasOwn(properties, "__proto__")
    ? properties["__proto__"]
    : undefined
  return own !== undefined && isKnown(work, PROTOTYPE, true) ? [[PROTOTYPE, own]] : []
}

const PROTOTYPE = "^__proto__$"

const chargeOf = (schema: Schema.JsonObject): Charge => {
  const fixed = Object.entries(schema).reduce((sum, [keyword, value]) => sum + 1 + sizeOf(keyword, value), 1)
  const { patternProperties } = schema
  return [fixed, JsonSchema.isObject(patternProperties) ? 1 + Object.keys(patternProperties).length : 1]
}

const sizeOf = (keyword: string, value: Schema.Json): number => {
  if (keyword === "enum" || keyword === "const") return Math.ceil(JSON.stringify(value).length / 16)
  if (Array.isArray(value)) return value.length
  return SchemaPlaces.MAPS.has(keyword) && JsonSchema.isObject(value) ? Object.keys(value).length : 0
}

// The keywords of JSON Schema that are checked, in the words of draft 2020-12. Pure.

/** Keywords that refuse more when what they hold, or stand beside, says less. */
export const NEGATIVE: ReadonlySet<string> = new Set([
  "else",
  "if",
  "maxContains",
  "not",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Whether a keyword, after `modern`, says something about values that is checked. */
export const isChecked = (keyword: string): boolean => WELL_FORMED.has(keyword)

/** Whether a keyword that is checked has a value of the kind it takes. */
export const isWellFormed = (keyword: string, value: Schema.Json): boolean => WELL_FORMED.get(keyword)?.(value) === true

/**
 * The keywords of one part of a schema, older ways to say it turned into those of 2020-12: lists of `items`, boolean
 * limits, `dependencies`. `isOld` is for drafts up to 07, which do not know the younger keywords.
 */
export const modernKeyword = (schema: Schema.JsonObject, isOld: boolean): Schema.JsonObject =>
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
