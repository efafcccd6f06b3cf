/** The least that a schema accepts, as far as the recorded tools need it. */
import type * as Schema from "effect/Schema"
import * as JsonSchema from "../../src/schema/JsonSchema.ts"

/** Arguments with every required property and no other. */
export const make = (root: Schema.JsonObject): Schema.JsonObject => {
  const value = valueOf(root, { ...root, type: "object" })
  return JsonSchema.isObject(value) ? value : {}
}

const valueOf = (root: Schema.JsonObject, schema: Schema.Json | undefined): Schema.Json => {
  if (!JsonSchema.isObject(schema)) return null
  const at = JsonSchema.resolved(root, schema)
  if (at["const"] !== undefined) return at["const"]
  if (Array.isArray(at["enum"])) return at["enum"][0] ?? null
  const [branch] = JsonSchema.objects(at["anyOf"] ?? at["oneOf"])
  if (branch !== undefined && at["type"] === undefined) return valueOf(root, branch)
  return typed(root, at, [at["type"]].flat()[0] ?? "object")
}

const typed = (root: Schema.JsonObject, at: Schema.JsonObject, type: Schema.Json): Schema.Json => {
  const least = (key: string) => typeof at[key] === "number" ? at[key] : 0
  switch (type) {
    case "object": {
      const properties = JsonSchema.isObject(at["properties"]) ? at["properties"] : {}
      return Object.fromEntries(
        JsonSchema.names(at["required"]).map((name) => [name, valueOf(root, properties[name])])
      )
    }
    case "array":
      return Array.from({ length: least("minItems") }, () => valueOf(root, at["items"]))
    case "string":
      return PATTERNED.find((text) => typeof at["pattern"] === "string" && new RegExp(at["pattern"]).test(text)) ??
        "a".repeat(least("minLength"))
    case "integer":
    case "number":
      return Math.max(least("minimum"), least("exclusiveMinimum") + 1)
    case "boolean":
      return false
    default:
      return null
  }
}

const PATTERNED = ["a", "1", "2024-01-01", "2024-01", "12:00", "AAAA", "AS1", "https://a.b/c"]
