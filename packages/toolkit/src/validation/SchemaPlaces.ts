/** Where the references of a JSON Schema lead, inside that schema alone: nothing is ever fetched. Pure. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../text/JsonSchema.ts"

/** A place in a schema, and the part with an `$id` of its own that it stands in. */
export interface Place {
  readonly schema: Schema.Json
  readonly resource: Schema.JsonObject
}

/** The places of one schema. */
export interface SchemaPlaces {
  /** What a reference in a resource points at; null when that is not in this schema. */
  readonly at: (reference: string, resource: Schema.JsonObject) => Place | null
  /** Whether a part of the schema has references of its own to resolve against. */
  readonly isResource: (schema: Schema.JsonObject) => boolean
  /** Whether no part but the root has an `$id`. */
  readonly isSingle: boolean
}

/** Keywords whose value is one schema. */
export const SINGLE: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** Keywords whose value is a list of schemas. */
export const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"])

/** Keywords whose value is schemas by names that mean nothing to JSON Schema. */
export const MAPS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties"
])

/**
 * Finds the places of a schema by JSON pointer, by anchor, and by `$id`, as written or against the `$id` of the root.
 * Takes time linear in the schema.
 */
export const make = (root: Schema.JsonObject): SchemaPlaces => {
  const home = typeof root["$id"] === "string" ? root["$id"] : ""
  const named = new Map<string, Place | null>()
  const resources = new Set([root])
  const todo: Array<{ readonly schema: Schema.JsonObject; readonly around: Schema.JsonObject }> = [
    { schema: root, around: root }
  ]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { schema } = next
    const id = schema["$id"]
    const resource = typeof id === "string" && !id.startsWith("#") ? schema : next.around
    resources.add(resource)
    for (const name of new Set(namesOf(schema, home))) {
      // Two of one name: which is meant depends on more than the name.
      named.set(name, named.has(name) ? null : { schema, resource })
    }
    for (const child of subschemas(schema)) todo.push({ schema: child, around: resource })
  }
  return {
    isResource: (schema) => resources.has(schema),
    isSingle: resources.size === 1,
    at: (reference, resource) => {
      const [uri = "", fragment = ""] = reference.split("#", 2)
      const from = uri === "" ? resource : (named.get(uri) ?? named.get(absolute(uri, home)))?.resource
      if (from === undefined) return null
      if (fragment !== "" && !fragment.startsWith("/")) return named.get(`#${fragment}`) ?? null
      return pointed(from, fragment, resources)
    }
  }
}

const namesOf = (schema: Schema.JsonObject, home: string): ReadonlyArray<string> => {
  const { $anchor, $dynamicAnchor, $id } = schema
  const anchors = [$anchor, $dynamicAnchor].filter((name) => typeof name === "string").map((name) => `#${name}`)
  if (typeof $id !== "string") return anchors
  if ($id.startsWith("#")) return [...anchors, $id]
  const [written = ""] = $id.split("#", 1)
  return [...anchors, written, absolute(written, home)]
}

const absolute = (uri: string, home: string): string => {
  const base = home === "" ? undefined : home
  return URL.canParse(uri, base) ? new URL(uri, base).href : uri
}

const pointed = (
  from: Schema.JsonObject,
  pointer: string,
  resources: ReadonlySet<Schema.JsonObject>
): Place | null => {
  let at: Schema.Json | undefined = from
  let resource = from
  for (const step of pointer.split("/").slice(1)) {
    at = member(at, decoded(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    if (at === undefined) return null
    if (JsonSchema.isObject(at) && resources.has(at)) resource = at
  }
  return { schema: at, resource }
}

const member = (value: Schema.Json | undefined, key: string): Schema.Json | undefined => {
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined
  return JsonSchema.isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const decoded = (step: string): string => Result.getOrElse(Result.try(() => decodeURIComponent(step)), () => step)

const subschemas = (schema: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> =>
  Object.entries(schema).flatMap(([keyword, value]) => [
    ...(SINGLE.has(keyword) && JsonSchema.isObject(value) ? [value] : []),
    ...(LISTS.has(keyword) ? JsonSchema.objects(value) : []),
    ...(MAPS.has(keyword) && JsonSchema.isObject(value) ? JsonSchema.objects(Object.values(value)) : [])
  ])
