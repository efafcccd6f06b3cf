/** JSON Schemas as servers write them, made plain: references followed, `allOf` merged, `null` told apart. Pure. */
import type { Json, JsonObject } from "../api/Types.ts"

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === "object" && !Array.isArray(value)

const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** The value under a key of its own; what an object inherits is no part of a document. */
export const at = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined

export const list = (value: Json | undefined): ReadonlyArray<Json> => isList(value) ? value : []
export const text = (value: Json | undefined): string | null => typeof value === "string" ? value : null
export const number = (value: Json | undefined): number | null => typeof value === "number" ? value : null

/** A schema that is plain: no reference, no `allOf`, and of its forms those that differ in more than `null`. */
export interface Plain {
  readonly schema: JsonObject
  readonly isNullable: boolean
  /** The forms it may have; empty when there is one. */
  readonly forms: ReadonlyArray<Json>
}

/** The value at a JSON pointer of the document, `{}` where there is none. */
const target = (root: JsonObject, reference: string): Json => {
  if (!reference.startsWith("#")) return {}
  const steps = reference.slice(1).split("/").slice(1)
  let found: Json | undefined = root
  for (const step of steps) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    found = isList(found) ? found[Number(key)] : isObject(found) ? at(found, key) : undefined
  }
  return found ?? {}
}

const HOPS = 32

/** Follows references and merges `allOf`. Keys beside a reference go before those of its target. */
const resolved = (root: JsonObject, schema: Json, hops = HOPS): JsonObject => {
  if (!isObject(schema) || hops === 0) return {}
  const { $ref, allOf, ...rest } = schema
  const base = typeof $ref === "string" ? merged(resolved(root, target(root, $ref), hops - 1), rest) : rest
  return list(allOf).reduce<JsonObject>((sum, part) => merged(resolved(root, part, hops - 1), sum), base)
}

/** Two schemas that both hold; where they say different things of the same, the second is believed. */
const merged = (one: JsonObject, other: JsonObject): JsonObject => {
  const properties = { ...asObject(at(one, "properties")), ...asObject(at(other, "properties")) }
  const required = [...new Set([...list(at(one, "required")), ...list(at(other, "required"))])]
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {})
  }
}

const asObject = (value: Json | undefined): JsonObject => isObject(value) ? value : {}

/** Keys that say what a value is; a form without any of them only adds a condition, which the server checks. */
const SHAPES = [
  "type",
  "properties",
  "items",
  "enum",
  "const",
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "additionalProperties"
]

const hasShape = (schema: Json): boolean => isObject(schema) && SHAPES.some((key) => Object.hasOwn(schema, key))

const isNull = (root: JsonObject, schema: Json): boolean => {
  const plain = resolved(root, schema)
  const types = [at(plain, "type")].flat()
  return types.length === 1 && types[0] === "null" || Object.hasOwn(plain, "const") && plain["const"] === null
}

export const plain = (root: JsonObject, given: Json, hops = HOPS): Plain => {
  const { anyOf, nullable, oneOf, ...schema } = resolved(root, given)
  const all = [...list(anyOf), ...list(oneOf)]
  const shaped = all.filter(hasShape)
  const forms = shaped.filter((form) => !isNull(root, form))
  const isNullable = nullable === true || forms.length < shaped.length
  const [only] = forms
  if (only !== undefined && forms.length === 1 && hops > 0) {
    // One form beside null: what is said around it (title, default) is about it.
    const inside = plain(root, merged(resolved(root, only), schema), hops - 1)
    return { ...inside, isNullable: isNullable || inside.isNullable }
  }
  return byType(schema, isNullable, forms.map((form) => isObject(form) ? beside(schema, form) : form))
}

/** Keys beside `oneOf` or `anyOf` hold for each of its schemas, except title, description and default, which are about the whole. */
const beside = (
  { default: _default, description: _description, title: _title, ...schema }: JsonObject,
  form: JsonObject
) => Object.keys(schema).length === 0 ? form : { allOf: [schema, form] }

const byType = (schema: JsonObject, isNullable: boolean, forms: ReadonlyArray<Json>): Plain => {
  const types = list(at(schema, "type"))
  if (types.length === 0) return { schema, isNullable, forms }
  const others = types.filter((type) => type !== "null")
  const [only] = others
  const isAlsoNull = isNullable || others.length < types.length
  if (only === undefined) return { schema: { ...schema, const: null }, isNullable: false, forms: [] }
  if (others.length === 1) return { schema: { ...schema, type: only }, isNullable: isAlsoNull, forms }
  const { description: _description, title: _title, ...bare } = schema
  return { schema, isNullable: isAlsoNull, forms: forms.length > 0 ? forms : others.map((type) => ({ ...bare, type })) }
}
