/**
 * Arguments of a dialect as the server declared them: names as they were, without the placeholder, and without
 * a `null` that only a strict schema asked for.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { isObject, kindOf, kinds, objects, own } from "../schema/JsonSchema.ts"
import { requiredOf } from "../schema/Keywords.ts"
import type { References } from "../schema/References.ts"
import * as ToolArguments from "../validation/ToolArguments.ts"
import * as PropertyNames from "./PropertyNames.ts"

export interface Changes {
  readonly declared: Schema.JsonObject
  readonly references: References
  readonly names: PropertyNames.PropertyNames
  readonly hasPlaceholder: boolean
  /** Whether optional properties were made required ones that may be null. */
  readonly isStrict: boolean
}

/** The arguments as declared. Unreadable ones stay as they are: the check before the call says what is wrong. */
export const toDeclared = (changes: Changes): (args: unknown) => unknown => {
  if (changes.names.isEmpty && !changes.hasPlaceholder && !changes.isStrict) return (args) => args
  return (args) => {
    const parsed = ToolArguments.parse("", args)
    if (Result.isFailure(parsed)) return args
    const given = changes.hasPlaceholder ? withoutPlaceholder(parsed.success) : parsed.success
    if (changes.names.isEmpty && !changes.isStrict) return given
    return value(changes, [changes.declared], given, 0)
  }
}

const withoutPlaceholder = (args: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name !== PropertyNames.NAME))

/** Nobody means arguments deeper than this. */
const DEPTH = 100

const value = (
  changes: Changes,
  schemas: ReadonlyArray<Schema.Json>,
  given: Schema.Json,
  depth: number
): Schema.Json => {
  if (depth > DEPTH || schemas.length === 0) return given
  const views = viewsOf(changes, schemas)
  const read = typeof given === "string" ? fromText(changes, schemas, given) : given
  if (Array.isArray(read)) {
    return read.map((item, index) => value(changes, views.flatMap((view) => itemOf(view, index)), item, depth + 1))
  }
  return isObject(read) ? object(changes, views, read, depth) : read
}

const object = (
  changes: Changes,
  views: ReadonlyArray<Schema.JsonObject>,
  given: Schema.JsonObject,
  depth: number
): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(given).flatMap(([alias, inner]) => {
      const name = declaredName(changes, views, alias)
      const holders = views.filter((view) => own(own(view, "properties"), name) !== undefined)
      const properties = holders.flatMap((view) => own(own(view, "properties"), name) ?? [])
      if (inner === null && changes.isStrict && isAddedNull(changes, holders, properties, name)) return []
      const others = properties.length > 0 ? properties : views.flatMap(furtherOf)
      return [[name, value(changes, others, inner, depth + 1)]]
    })
  )

/** Only where a property of that name was declared: elsewhere the same text is data. */
const declaredName = (changes: Changes, views: ReadonlyArray<Schema.JsonObject>, alias: string): string => {
  const name = changes.names.declared(alias)
  if (name === alias) return alias
  const isHere = views.some((view) =>
    own(own(view, "properties"), name) !== undefined || requiredOf(view).includes(name)
  )
  return isHere ? name : alias
}

const isAddedNull = (
  changes: Changes,
  holders: ReadonlyArray<Schema.JsonObject>,
  properties: ReadonlyArray<Schema.Json>,
  name: string
): boolean =>
  holders.some((view) => !requiredOf(view).includes(name)) &&
  properties.every((property) => !kinds(changes.declared, property).has("null"))

const VIEWS = 200

/** Everything that is said of a value at one place: by its schema, what that refers to, and every branch of it. */
const viewsOf = (changes: Changes, schemas: ReadonlyArray<Schema.Json>): ReadonlyArray<Schema.JsonObject> => {
  const found = new Set(schemas.filter(isObject))
  for (const view of found) {
    if (found.size > VIEWS) break
    for (const branch of branchesOf(changes, view)) found.add(branch)
  }
  return [...found]
}

const branchesOf = (changes: Changes, schema: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> => {
  const references = ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((key) => own(schema, key) ?? [])
  const targets = references.map((reference) =>
    typeof reference === "string" ? changes.references.target(reference)?.schema : undefined
  )
  const parts = ["if", "then", "else"].map((key) => own(schema, key))
  const dependent = [own(schema, "dependentSchemas"), own(schema, "dependencies")].filter(isObject)
  return [
    ...[...targets, ...parts, ...dependent.flatMap((map) => Object.values(map))].filter(isObject),
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => objects(own(schema, key)))
  ]
}

const itemOf = (view: Schema.JsonObject, index: number): ReadonlyArray<Schema.Json> => {
  const items = own(view, "items")
  const tuple = Array.isArray(items) ? items : own(view, "prefixItems")
  const inTuple = Array.isArray(tuple) ? tuple[index] : undefined
  const rest = Array.isArray(items) ? own(view, "additionalItems") : items
  return [inTuple ?? rest].filter(isObject)
}

/** The schemas of properties that have none of their own. */
const furtherOf = (view: Schema.JsonObject): ReadonlyArray<Schema.Json> => {
  const patterns = own(view, "patternProperties")
  return [own(view, "additionalProperties"), ...(isObject(patterns) ? Object.values(patterns) : [])].filter(isObject)
}

/** The text of an object or a list where only these are declared. */
const fromText = (changes: Changes, schemas: ReadonlyArray<Schema.Json>, text: string): Schema.Json => {
  if (!/^\s*[[{]/.test(text) || text.length > TEXT) return text
  const wanted = schemas.map((schema) => kinds(changes.declared, schema))
  if (wanted.some((kind) => kind.has("string"))) return text
  const read = Result.getOrElse(Result.try((): Schema.Json => JSON.parse(text)), () => null)
  return read !== null && wanted.every((kind) => kind.has(kindOf(read))) ? read : text
}

const TEXT = 5_000_000
