/**
 * The places of a JSON Schema where a schema stands, and how large the whole is. Pure; its cost is bounded, cycles and
 * bombs included.
 */
import type * as Schema from "effect/Schema"
import { isObject } from "../JsonSchema.ts"

/** What stands where a schema should. */
export interface Place {
  /** An object or a boolean, if it is a schema. */
  readonly schema: Schema.Json
  /** For instance `properties.tags.items`; empty for the root. */
  readonly path: string
  /** How many schemas stand around it. */
  readonly depth: number
}

/** What a rule found: where, which rule, and what is wrong in words. */
export interface Violation {
  readonly path: string
  readonly rule: string
  readonly detail: string
}

/** What may be wrong at one place. */
export type Rule = (schema: Schema.JsonObject, place: Place) => ReadonlyArray<Violation>

const SHOWN = 200

/** Long texts from servers are shown in part. */
export const brief = (text: string): string => text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`

/** One violation at a place. */
export const violation = ({ path }: Pick<Place, "path">, rule: string, detail: string): Violation => ({
  path: brief(path),
  rule,
  detail
})

/** JSON Schema nests schemas by these keywords. `items` held a list before 2020-12. */
const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"]
const SINGLES = [
  ...["items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"],
  ...["unevaluatedItems", "unevaluatedProperties", "contentSchema"]
]

/**
 * Every place, the root first; with `known`, only those that stand in keywords known. For what `extent` found to fit: it
 * follows the nesting.
 */
export const places = (root: Schema.Json, known?: ReadonlySet<string>): ReadonlyArray<Place> => {
  const found: Array<Place> = []
  const visit = (place: Place): void => {
    found.push(place)
    if (isObject(place.schema)) inside(place.schema, place, known).forEach(visit)
  }
  visit({ schema: root, path: "", depth: 0 })
  return found
}

/** The places directly inside a schema. */
export const inside = (
  schema: Schema.JsonObject,
  { depth, path }: Omit<Place, "schema">,
  known?: ReadonlySet<string>
): ReadonlyArray<Place> => {
  const at = (step: string, part: Schema.Json): Place => ({
    schema: part,
    path: path === "" ? step : `${path}.${step}`,
    depth: depth + 1
  })
  return Object.entries(schema).flatMap(([key, value]) => {
    if (known?.has(key) === false) return []
    if (MAPS.includes(key) && isObject(value)) {
      return Object.entries(value).map(([name, part]) => at(`${key}.${name}`, part))
    }
    if (LISTS.includes(key) && Array.isArray(value)) return value.map((part, index) => at(`${key}[${index}]`, part))
    return SINGLES.includes(key) && value !== undefined && !Array.isArray(value) ? [at(key, value)] : []
  })
}

/**
 * No provider says how deep and how large one schema may be. 100 levels is where protobuf's JSON parser, which Gemini's
 * requests go through, ends (protobuf.dev, "Proto limits", 2025); the other two are ours, far above any honest tool.
 */
const LEVELS = 100
const VALUES = 200_000
const CHARACTERS = 1_000_000

/** Whether a document is too deep or too large to be sent; null when it is neither. */
export const extent = (root: Schema.Json): Violation | null => {
  const rest: Array<readonly [value: Schema.Json, level: number]> = [[root, 1]]
  let values = 0
  let characters = 0
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const [value, level] = next
    values++
    characters += typeof value === "string" ? value.length : isObject(value) ? Object.keys(value).join("").length : 4
    if (level > LEVELS) return violation({ path: "" }, "depth", `it is nested more than ${LEVELS} levels deep`)
    if (values + rest.length > VALUES) return violation({ path: "" }, "size", `it holds more than ${VALUES} values`)
    if (characters > CHARACTERS) {
      return violation({ path: "" }, "size", `it is larger than ${CHARACTERS} characters`)
    }
    if (Array.isArray(value)) { for (const part of value) rest.push([part, level + 1]) }
    else if (isObject(value)) { for (const part of Object.values(value)) rest.push([part, level + 1]) }
  }
  return null
}
