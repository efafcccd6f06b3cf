/** Questions about a JSON Schema that need no value to check. Pure. */
import type * as Schema from "effect/Schema"

export type Kind = "null" | "boolean" | "number" | "string" | "array" | "object"

/** Whether a JSON value is an object. Looks at the root alone: schemas are large, and their values are JSON already. */
export const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object without some of its keys; the same one where it has none of them. */
export const without = (schema: Schema.JsonObject, keys: ReadonlySet<string>): Schema.JsonObject =>
  Object.keys(schema).some((key) => keys.has(key))
    ? Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.has(key)))
    : schema

/** An object's own value under a key. */
export const own = (object: Schema.Json | undefined, key: string): Schema.Json | undefined =>
  isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined

export const objects = (value: Schema.Json | undefined): ReadonlyArray<Schema.JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []

export const names = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : []

/** The target of a reference by JSON pointer; an empty schema for any other reference. */
export const referred = (root: Schema.JsonObject, reference: string): Schema.JsonObject => {
  const steps = /^#\/(.+)$/.exec(reference)?.[1]?.split("/") ?? []
  let at: Schema.Json | undefined = steps.length === 0 ? undefined : root
  for (const step of steps) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isObject(at) ? at : {}
}

const DEPTH = 16

/** The schema that a chain of references ends at. */
export const resolved = (root: Schema.JsonObject, schema: Schema.JsonObject): Schema.JsonObject => {
  let at = schema
  for (let depth = 0; depth < DEPTH && typeof at["$ref"] === "string"; depth++) at = referred(root, at["$ref"])
  return at
}

/** The kinds of value a schema may accept. Never too few: a kind is absent only where the schema cannot accept it. */
export const kinds = (root: Schema.JsonObject, schema: Schema.Json | undefined): ReadonlySet<Kind> =>
  kindsOf(root, schema, new Map())

/** A schema that is met again within itself, or through several references, is looked at once. */
const kindsOf = (
  root: Schema.JsonObject,
  schema: Schema.Json | undefined,
  known: Map<Schema.JsonObject, ReadonlySet<Kind>>
): ReadonlySet<Kind> => {
  if (!isObject(schema) || known.size > KNOWN) return ALL
  const at = resolved(root, schema)
  const before = known.get(at)
  if (before !== undefined) return before
  known.set(at, ALL)
  const limits = [
    ...(isObject(at["not"]) && Object.keys(at["not"]).length === 0 ? [new Set<Kind>()] : []),
    typeKinds(at["type"]),
    ...(Array.isArray(at["enum"]) ? [new Set(at["enum"].map(kindOf))] : []),
    ...(at["const"] === undefined ? [] : [new Set([kindOf(at["const"])])]),
    ...[at["oneOf"], at["anyOf"]].filter(Array.isArray).map((branches) =>
      new Set(branches.flatMap((branch) => [...kindsOf(root, branch, known)]))
    ),
    ...objects(at["allOf"]).map((branch) => kindsOf(root, branch, known))
  ]
  const found = new Set([...ALL].filter((kind) => limits.every((limit) => limit.has(kind))))
  if (at["nullable"] === true) found.add("null")
  known.set(at, found)
  return found
}

const KNOWN = 500

const ALL: ReadonlySet<Kind> = new Set<Kind>(["null", "boolean", "number", "string", "array", "object"])

const typeKinds = (type: Schema.Json | undefined): ReadonlySet<Kind> => {
  const given = [type].flat().map((name) => name === "integer" ? "number" : name)
  const known = [...ALL].filter((kind) => given.includes(kind))
  return known.length === 0 ? ALL : new Set(known)
}

export const kindOf = (value: Schema.Json): Kind => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  switch (typeof value) {
    case "boolean":
      return "boolean"
    case "number":
      return "number"
    case "string":
      return "string"
    default:
      return "object"
  }
}
