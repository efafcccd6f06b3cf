/** Conversions that have to succeed. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { SchemaDialect } from "../../src/index.ts"

/** Every dialect that changes something. */
export const dialects = SchemaDialect.names.filter((name) => name !== "raw")

export const converted = (dialect: SchemaDialect.SchemaDialect, declared: Schema.JsonObject): SchemaDialect.Converted =>
  Result.getOrThrow(SchemaDialect.convert(dialect, declared))

export const schemaOf = (dialect: SchemaDialect.SchemaDialect, declared: Schema.JsonObject): Schema.JsonObject =>
  converted(dialect, declared).schema

/** What one property becomes, as one of the root. */
export const propertyOf = (
  dialect: SchemaDialect.SchemaDialect,
  declared: Schema.Json,
  defs: Schema.JsonObject = {}
): unknown => {
  const { properties } = schemaOf(dialect, { type: "object", properties: { p: declared }, required: ["p"], ...defs })
  return Object.entries(properties ?? {}).find(([name]) => name === "p")?.[1]
}
