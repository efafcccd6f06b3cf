/** Draft 2020-12 in place of what older drafts and OpenAPI write otherwise, one schema at a time. */
import type * as Schema from "effect/Schema"
import { isObject, own, without } from "./JsonSchema.ts"

/**
 * A schema in the words of 2020-12, as it was when there is nothing to change: tuples by `prefixItems`, exclusive
 * limits as numbers, `dependencies` as two keywords, `nullable` as a type, `required: true` left to whatever holds the
 * property.
 */
export const upgraded = (schema: Schema.JsonObject): Schema.JsonObject => {
  let at = schema
  for (const [keyword, upgrade] of UPGRADES) {
    const value = own(at, keyword)
    if (value !== undefined) at = upgrade(at, value)
  }
  return at
}

type Upgrade = (schema: Schema.JsonObject, value: Schema.Json) => Schema.JsonObject

const tuple: Upgrade = (schema, items) => {
  if (!Array.isArray(items)) return without(schema, new Set(["additionalItems"]))
  const rest = own(schema, "additionalItems")
  const plain = without(schema, new Set(["items", "additionalItems"]))
  return {
    ...plain,
    ...(items.length === 0 ? {} : { prefixItems: items }),
    ...(rest === undefined ? {} : { items: rest })
  }
}

/** Draft 04 said "exclusive" of the limit beside it. */
const exclusive =
  (keyword: "exclusiveMinimum" | "exclusiveMaximum", limit: "minimum" | "maximum"): Upgrade => (schema, value) => {
    if (typeof value !== "boolean") return schema
    const bound = own(schema, limit)
    if (!value || typeof bound !== "number") return without(schema, new Set([keyword]))
    return { ...without(schema, new Set([limit])), [keyword]: bound }
  }

const dependencies: Upgrade = (schema, value) => {
  const plain = without(schema, new Set(["dependencies"]))
  if (!isObject(value)) return plain
  const entries = Object.entries(value)
  const required = entries.filter(([, needed]) => Array.isArray(needed))
  const schemas = entries.filter(([, needed]) => isObject(needed))
  return {
    ...plain,
    ...(required.length === 0 || plain["dependentRequired"] !== undefined
      ? {}
      : { dependentRequired: Object.fromEntries(required) }),
    ...(schemas.length === 0 || plain["dependentSchemas"] !== undefined
      ? {}
      : { dependentSchemas: Object.fromEntries(schemas) })
  }
}

const nullable: Upgrade = (schema, value) => {
  const plain = without(schema, new Set(["nullable"]))
  if (value !== true) return plain
  const values = own(plain, "enum")
  const listed = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
  const type = own(plain, "type")
  if (typeof type === "string" && type !== "null") return { ...plain, type: [type, "null"], ...listed }
  if (Array.isArray(type) && !type.includes("null")) return { ...plain, type: [...type, "null"], ...listed }
  const choice = own(plain, "anyOf")
  const holdsNull = Array.isArray(choice) && choice.some((branch) => own(branch, "type") === "null")
  if (Array.isArray(choice) && !holdsNull) return { ...plain, anyOf: [...choice, { type: "null" }], ...listed }
  if (typeof own(plain, "$ref") === "string" && choice === undefined) {
    return { ...without(plain, REFERENCE), anyOf: [{ $ref: own(plain, "$ref") ?? "" }, { type: "null" }] }
  }
  return { ...plain, ...listed }
}

const REFERENCE = new Set(["$ref"])

/** Draft 03 said it of the property, and OpenAPI knows single examples. */
const required: Upgrade = (schema, value) =>
  typeof value === "boolean" ? without(schema, new Set(["required"])) : schema

const example: Upgrade = (schema, value) => ({
  ...without(schema, new Set(["example"])),
  ...(own(schema, "examples") === undefined ? { examples: [value] } : {})
})

const identifier: Upgrade = (schema, value) => typeof value === "string" ? without(schema, new Set(["id"])) : schema

const UPGRADES: ReadonlyArray<readonly [keyword: string, upgrade: Upgrade]> = [
  ["items", tuple],
  ["additionalItems", (schema) => without(schema, new Set(["additionalItems"]))],
  ["exclusiveMinimum", exclusive("exclusiveMinimum", "minimum")],
  ["exclusiveMaximum", exclusive("exclusiveMaximum", "maximum")],
  ["dependencies", dependencies],
  ["nullable", nullable],
  ["required", required],
  ["example", example],
  ["id", identifier]
]
