import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { SchemaDialect } from "../../src/index.ts"
import * as AnySchema from "../support/AnySchema.ts"

const RUNS = { arbitrary: { runs: 150 } }
const spoken = SchemaDialect.names.filter((name) => name !== "raw")

const schemaOf = (dialect: SchemaDialect.SchemaDialect, declared: Schema.JsonObject): Schema.JsonObject => {
  const converted = SchemaDialect.convert(dialect, declared)
  return Result.isSuccess(converted) ? converted.success.schema : { unspeakable: converted.failure }
}

describe("dialects of arbitrary schemas", () => {
  for (const dialect of spoken) {
    it.prop(
      `${dialect}: a schema stays as it was, and what comes out is one object of at most 256 kB (R12, R103)`,
      { choices: AnySchema.Choices },
      ({ choices }) => {
        const declared = AnySchema.root(choices)
        const before = structuredClone(declared)
        const schema = schemaOf(dialect, AnySchema.frozen(declared))
        assert.deepStrictEqual(declared, before)
        assert.strictEqual(schema["type"], "object")
        assert.isObject(schema["properties"])
        assert.isNotEmpty(schema["properties"])
        for (const key of ["oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"]) assert.notProperty(schema, key)
        assert.isAtMost(Buffer.byteLength(JSON.stringify(schema)), 262_144)
      },
      RUNS
    )

    it.prop(
      `${dialect}: converting what was converted changes nothing (R103)`,
      { choices: AnySchema.Choices },
      ({ choices }) => {
        const once = schemaOf(dialect, AnySchema.root(choices))
        assert.deepStrictEqual(schemaOf(dialect, structuredClone(once)), once)
      },
      RUNS
    )

    it.prop(
      `${dialect}: arguments that fit the schema come back by the names that were declared (R13, R103)`,
      { choices: AnySchema.Choices },
      ({ choices }) => {
        const { said, schema, value } = AnySchema.example(choices)
        const { schema: converted, toDeclared } = Result.getOrThrow(SchemaDialect.convert(dialect, schema))
        assert.deepStrictEqual(toDeclared(said(converted)), value)
        // Where nothing was changed, reading text is left to the call.
        const text = toDeclared(JSON.stringify(said(converted)))
        assert.deepStrictEqual(typeof text === "string" ? JSON.parse(text) : text, value)
      },
      RUNS
    )

    it.prop(
      `${dialect}: whatever a model sends is mapped back without an exception`,
      { choices: AnySchema.Choices, sent: AnySchema.Choices },
      ({ choices, sent }) => {
        const converted = SchemaDialect.convert(dialect, AnySchema.root(choices))
        if (Result.isFailure(converted)) return
        const args = AnySchema.frozen(AnySchema.args(sent))
        converted.success.toDeclared(args)
        converted.success.toDeclared(JSON.stringify(args))
      },
      RUNS
    )
  }
})
