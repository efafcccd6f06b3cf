/** One schema for what two ask of the same value, as far as one can say it. */
import type * as Schema from "effect/Schema"
import { isObject, names, own } from "../schema/JsonSchema.ts"
import { identity } from "./Conversion.ts"

/** Both schemas in one. Where only one of two can stay, the first does, and `lost` hears of it. */
export const intersection = (
  first: Schema.JsonObject,
  second: Schema.JsonObject,
  lost: (keyword: string) => void
): Schema.JsonObject => {
  const merged = new Map(Object.entries(first))
  for (const [key, theirs] of Object.entries(second)) {
    const ours = merged.get(key)
    if (ours === undefined) merged.set(key, theirs)
    else if (Object.hasOwn(RULES, key)) merged.set(key, RULES[key]?.(ours, theirs) ?? ours)
    else if (!isSame(ours, theirs)) {
      if (CHOICES.has(key)) merged.set("allOf", [...list(merged.get("allOf")), { [key]: theirs }])
      else if (!ANNOTATIONS.has(key)) lost(key)
    }
  }
  return Object.fromEntries(merged)
}

type Rule = (ours: Schema.Json, theirs: Schema.Json) => Schema.Json

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated"
])
const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf"])

const isSame = (ours: Schema.Json, theirs: Schema.Json): boolean => {
  const known = identity(ours)
  return known !== undefined && known === identity(theirs)
}

const list = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

const type: Rule = (ours, theirs) => {
  const wanted = list(theirs)
  const both = list(ours).flatMap((name) => {
    if (wanted.includes(name)) return [name]
    if (name === "number" && wanted.includes("integer")) return ["integer"]
    return name === "integer" && wanted.includes("number") ? ["integer"] : []
  })
  const [only = ours] = both
  return both.length > 1 ? both : only
}

const values: Rule = (ours, theirs) => {
  const wanted = new Set(list(theirs).map(identity))
  const both = list(ours).filter((value) => wanted.has(identity(value)))
  return both.length === 0 ? ours : both
}

const properties: Rule = (ours, theirs) => {
  if (!isObject(ours) || !isObject(theirs)) return ours
  const others = Object.entries(theirs).map(([name, schema]) => {
    const mine = own(ours, name)
    return [name, mine === undefined || isSame(mine, schema) ? schema : { allOf: [mine, schema] }] as const
  })
  return { ...ours, ...Object.fromEntries(others) }
}

const limit = (choose: (...given: ReadonlyArray<number>) => number): Rule => (ours, theirs) =>
  typeof ours === "number" && typeof theirs === "number" ? choose(ours, theirs) : ours

const both: Rule = (ours, theirs) => isSame(ours, theirs) ? ours : { allOf: [ours, theirs] }

const RULES: Record<string, Rule> = {
  type,
  enum: values,
  properties,
  required: (ours, theirs) => [...new Set([...names(ours), ...names(theirs)])],
  allOf: (ours, theirs) => [...list(ours), ...list(theirs)],
  items: both,
  additionalProperties: (ours, theirs) => ours === false || theirs === false ? false : isObject(ours) ? ours : theirs,
  minimum: limit(Math.max),
  maximum: limit(Math.min),
  exclusiveMinimum: limit(Math.max),
  exclusiveMaximum: limit(Math.min),
  minLength: limit(Math.max),
  maxLength: limit(Math.min),
  minItems: limit(Math.max),
  maxItems: limit(Math.min),
  minProperties: limit(Math.max),
  maxProperties: limit(Math.min)
}
