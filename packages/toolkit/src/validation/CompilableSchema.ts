/**
 * A declared schema of any draft as a schema of draft 2020-12 that is safe to compile and never stricter than its
 * server.
 */
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as DraftUpgrade from "../schema/DraftUpgrade.ts"
import { isObject, names, own } from "../schema/JsonSchema.ts"
import * as JsonSize from "../schema/JsonSize.ts"
import * as Keywords from "../schema/Keywords.ts"
import { References } from "../schema/References.ts"
import * as LinearPattern from "./LinearPattern.ts"

/** The cost of one visit of a part in steps: a fixed number, and a number for each member of the value. */
export type Charge = readonly [fixed: number, each: number]

/** The keyword of each part that holds its `Charge`. */
export const CHARGE = "charge"

export interface CompilableSchema {
  readonly schema: Schema.JsonObject
  readonly patterns: ReadonlyMap<string, LinearPattern.LinearPattern>
  readonly parts: number
}

/** How many values and levels a schema may have. */
export const LIMITS = { values: 20_000, depth: 100 } as const

/**
 * Translates a schema; null for one beyond the limits. `$schema` says the draft, 2020-12 holds without it. Lists of
 * `items`, boolean limits, `dependencies` and `nullable` mean the same in every draft, because servers mix drafts.
 *
 * Leaves out references that lead elsewhere, patterns that are not linear, `format`, malformed keywords, and `required`
 * for what has a `default`. Then it also leaves out what could refuse too much because of that: `not`, `if`,
 * `unevaluated…` and the "exactly" of `oneOf`.
 */
export const from = (declared: Schema.JsonObject): CompilableSchema | null => {
  if (!JsonSize.isWithin(declared, LIMITS.values, LIMITS.depth)) return null
  const exact = translated(declared, true)
  return exact.isWhole ? exact : translated(declared, false)
}

interface Work {
  readonly isExact: boolean
  readonly isOld: boolean
  /** The validator is wrong about what a condition evaluates, and about `unevaluatedItems`. */
  readonly hasConditions: boolean
  readonly references: References
  /** Whether no part but the root has an `$id`: among several, the place of a reference decides where it leads. */
  readonly isSingle: boolean
  /** The name of each part that is a definition; those at the end are still to be translated. */
  readonly definitions: Map<Schema.JsonObject, string>
  readonly patterns: Map<string, LinearPattern.LinearPattern>
  isWhole: boolean
  parts: number
  patternCharacters: number
}

const translated = (declared: Schema.JsonObject, isExact: boolean) => {
  const text = JSON.stringify(declared)
  const work: Work = {
    isExact,
    isOld: typeof declared["$schema"] === "string" && /draft-0[0-7]/.test(declared["$schema"]),
    hasConditions: text.includes("\"if\":"),
    references: new References(declared),
    isSingle: (text.match(/"\$id":"(?!#)/g) ?? []).length <= (typeof declared["$id"] === "string" ? 1 : 0),
    definitions: new Map(),
    patterns: new Map(),
    isWhole: true,
    parts: 0,
    patternCharacters: 0
  }
  const start = reference(work, declared)
  const bodies: Array<readonly [string, Schema.Json]> = []
  // Grows while it is walked.
  for (const [schema, name] of work.definitions) bodies.push([name, part(work, schema)])
  return { ...work, schema: { ...start, $defs: Object.fromEntries(bodies) } }
}

/** Every target of a reference becomes a definition, so that it does not matter where it stood. */
const reference = (work: Work, schema: Schema.Json): Schema.JsonObject => {
  if (!isObject(schema)) return schema === false ? { not: {} } : {}
  const name = work.definitions.get(schema) ?? `d${work.definitions.size}`
  work.definitions.set(schema, name)
  return { $ref: `#/$defs/${name}` }
}

const part = (work: Work, schema: Schema.Json): Schema.Json => {
  work.parts++
  if (typeof schema === "boolean") return schema
  if (!isObject(schema)) return leave(work, true)
  const target = referred(work, schema)
  const whole = { ...(work.isOld && target !== null ? {} : keywords(work, schema)), ...target }
  const charged = { ...whole, [CHARGE]: [...chargeOf(whole)] }
  return schema["nullable"] === true ? { anyOf: [{ type: "null" }, charged] } : charged
}

const leave = <A>(work: Work, instead: A): A => {
  work.isWhole = false
  return instead
}

const referred = (work: Work, { $dynamicRef, $recursiveRef, $ref }: Schema.JsonObject): Schema.JsonObject | null => {
  const written = [$ref, $dynamicRef, $recursiveRef].find((at) => typeof at === "string")
  if (written === undefined) return null
  const isKnown = work.isSingle || (written === $ref && !written.startsWith("#"))
  const target = isKnown ? work.references.find(written) : undefined
  return target === undefined ? leave(work, {}) : reference(work, target.schema)
}

const keywords = (work: Work, schema: Schema.JsonObject): Schema.JsonObject => {
  const { nullable: _, ...given } = work.isOld ? withoutYounger(schema) : schema
  const entries = Object.entries(DraftUpgrade.upgraded(given)).flatMap(([keyword, value]) => {
    const kept = keywordOf(work, keyword, value)
    return kept === undefined ? [] : [[keyword, kept] as const]
  })
  return matching(work, schema, loosened(work, demanding(work, schema, Object.fromEntries(entries))))
}

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

/** Keywords that refuse more when what they hold, or stand beside, says less. */
const NEGATIVE: ReadonlySet<string> = new Set([
  "else",
  "if",
  "maxContains",
  "not",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

const keywordOf = (work: Work, keyword: string, value: Schema.Json): Schema.Json | undefined => {
  if (keyword === "format") return leave(work, undefined)
  const isWellFormed = CHECKED.get(keyword)
  if (isWellFormed === undefined || (!work.isExact && NEGATIVE.has(keyword))) return undefined
  const isMisread = keyword === "unevaluatedItems" || (keyword === "unevaluatedProperties" && work.hasConditions)
  if (isMisread || !isWellFormed(value)) return leave(work, undefined)
  if (keyword === "pattern") return typeof value === "string" && isKnown(work, value, false) ? value : undefined
  if (Array.isArray(value)) return Keywords.LISTS.has(keyword) ? value.map((child) => part(work, child)) : value
  if (Keywords.SCHEMAS.has(keyword)) return part(work, value)
  return MAPS.has(keyword) && isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, part(work, child)]))
    : value
}

const MAPS: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties", "properties"])

type Guard = (value: Schema.Json) => boolean

const isNames: Guard = (value) => Array.isArray(value) && value.every(Predicate.isString)
const isList: Guard = (value) => Array.isArray(value) && value.length > 0
const isType: Guard = (value) => isList([value].flat()) && [value].flat().length === Keywords.types(value).length
const isCount: Guard = (value) => typeof value === "number" && value >= 0
const each = (all: Iterable<string>, guard: Guard) => [...all].map((keyword) => [keyword, guard] as const)

/** The keywords that are checked, each with the values it may have. */
const CHECKED: ReadonlyMap<string, Guard> = new Map<string, Guard>([
  ...each(Keywords.SCHEMAS, Keywords.isSchema),
  ...each(Keywords.LISTS, isList),
  ...each(MAPS, isObject),
  ...each(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], Predicate.isNumber),
  ...each(["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"], isCount),
  ...each(["maxContains", "minContains"], isCount),
  ["const", () => true],
  ["dependentRequired", (value) => isObject(value) && Object.values(value).every(isNames)],
  ["enum", isList],
  ["multipleOf", (value) => typeof value === "number" && value > 0],
  ["pattern", Predicate.isString],
  ["required", isNames],
  ["type", isType],
  ["uniqueItems", Predicate.isBoolean]
])

/** A server fills in what has a default, whatever it lists as required: generators list all that they give back. */
const demanding = (work: Work, { properties }: Schema.JsonObject, kept: Schema.JsonObject): Schema.JsonObject => {
  const listed = names(kept["required"])
  const required = listed.filter((name) => own(own(properties, name), "default") === undefined)
  return required.length === listed.length ? kept : leave(work, { ...kept, required })
}

const loosened = (work: Work, { oneOf, ...schema }: Schema.JsonObject): Schema.JsonObject => {
  if (oneOf === undefined) return schema
  if (work.isExact) return { ...schema, oneOf }
  const { allOf } = schema
  return { ...schema, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }
}

/** A key needs an exact match, because a schema follows from it; a value need only match. */
const isKnown = (work: Work, source: string, needsExact: boolean): boolean => {
  const pattern = work.patterns.get(source) ?? compiled(work, source)
  if (pattern === null) return leave(work, false)
  work.patterns.set(source, pattern)
  return pattern.isExact || leave(work, !needsExact)
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

/**
 * A key that matches a pattern nobody can read may be any key, so that none is one too many. Nor is one beside
 * properties that cannot be read; an empty list is how PHP writes an empty object.
 */
const matching = (work: Work, declared: Schema.JsonObject, kept: Schema.JsonObject): Schema.JsonObject => {
  const { additionalProperties, patternProperties, properties, ...rest } = kept
  const byPattern = Object.entries(isObject(patternProperties) ? patternProperties : {})
  const readable = byPattern.filter(([source]) => isKnown(work, source, true))
  const isWhole = readable.length === byPattern.length &&
    canBeRead(declared["properties"]) && canBeRead(declared["patternProperties"])
  const patterned = [...readable, ...prototypeOf(work, properties)]
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties }),
    ...(patterned.length === 0 ? {} : { patternProperties: Object.fromEntries(patterned) }),
    ...(isWhole && additionalProperties !== undefined ? { additionalProperties } : {})
  }
}

const canBeRead = (properties: Schema.Json = {}): boolean =>
  isObject(properties) || (Array.isArray(properties) && properties.length === 0)

/** The validator overlooks a property of this name. */
const prototypeOf = (work: Work, properties: Schema.Json | undefined) => {
  const schema = own(properties, "__proto__")
  return schema !== undefined && isKnown(work, PROTOTYPE, true) ? [[PROTOTYPE, schema] as const] : []
}

const PROTOTYPE = "^__proto__$"

const chargeOf = (schema: Schema.JsonObject): Charge => {
  const fixed = Object.entries(schema).reduce((sum, [keyword, value]) => sum + 1 + sizeOf(keyword, value), 1)
  return [fixed, 1 + Object.keys(schema["patternProperties"] ?? {}).length]
}

const sizeOf = (keyword: string, value: Schema.Json): number => {
  if (keyword === "enum" || keyword === "const") return Math.ceil(JSON.stringify(value).length / 16)
  if (Array.isArray(value)) return value.length
  return MAPS.has(keyword) && isObject(value) ? Object.keys(value).length : 0
}
