/**
 * The least that every provider asks of a tool's input schema. Dialects of single providers are not made here.
 */
import type * as Schema from "effect/Schema"

/**
 * Gives a schema whose root is an object with `properties`. What the server declared is kept as it is; a schema that is
 * already legal is given back unchanged. Pure, and the same again when applied twice.
 *
 * @category constructors
 */
export const legal = (declared: Schema.JsonObject): Schema.JsonObject => {
  const { properties } = declared
  const hasProperties = isObject(properties)
  if (declared["type"] === "object" && hasProperties) return declared
  return { ...declared, type: "object", properties: hasProperties ? properties : {} }
}

// Looks at the root alone: schemas are large, and their values are JSON already.
const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
