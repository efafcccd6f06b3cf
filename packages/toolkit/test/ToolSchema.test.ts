import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { ToolSchema } from "../src/index.ts"

describe("ToolSchema", () => {
  it("gives a schema without properties an empty set of them", () => {
    assert.deepStrictEqual(ToolSchema.legal({ type: "object" }), { type: "object", properties: {} })
    assert.deepStrictEqual(ToolSchema.legal({}), { type: "object", properties: {} })
  })

  it("keeps every other keyword, and a legal schema unchanged", () => {
    const schema = { type: "object", properties: { type: { type: "string" } }, required: ["type"], $defs: {} }
    assert.strictEqual(ToolSchema.legal(schema), schema)
    assert.deepStrictEqual(
      ToolSchema.legal({ additionalProperties: false, description: "none", properties: null }),
      { additionalProperties: false, description: "none", type: "object", properties: {} }
    )
  })

  it.prop("is the same again when applied twice", { schema: Schema.JsonObject }, ({ schema }) => {
    const once = ToolSchema.legal(schema)
    return ToolSchema.legal(once) === once
  })
})
