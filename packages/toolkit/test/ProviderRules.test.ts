import { assert, describe, it } from "@effect/vitest"
import { ProviderRules } from "../src/index.ts"

const found = (schema: Parameters<typeof ProviderRules.troubles>[0]) =>
  ProviderRules.troubles(schema).map(({ isMended, path, provider }) => [provider, path, isMended])

describe("ProviderRules", () => {
  it("has nothing to say of a schema that every provider takes, whatever its properties are called", () => {
    const text = { type: "string" }
    const properties = { type: text, items: text, "a.b-c_1": { type: "array", items: {} }, oneOf: { type: "object" } }
    assert.deepStrictEqual(found({ type: "object", properties }), [])
    assert.deepStrictEqual(found({}), [])
  })

  it("tells of each choice at the root that it is changed before it is sent", () => {
    assert.deepStrictEqual(found({ oneOf: [{ type: "object" }], not: {} }), [["every", "", true], ["every", "", true]])
  })

  it("finds an array without items wherever a schema may stand, for OpenAI", () => {
    const array = { type: "array" }
    const schema = {
      type: "object",
      properties: {
        tags: array,
        maybe: { type: ["array", "null"] },
        pairs: { type: "array", items: { type: "array" } },
        either: { anyOf: [{ type: "string" }, array] },
        deep: { type: "object", additionalProperties: array }
      },
      $defs: { list: array }
    }
    assert.deepStrictEqual(found(schema).map(([provider, path]) => `${provider} ${path}`), [
      "openai properties.tags",
      "openai properties.maybe",
      "openai properties.pairs.items",
      "openai properties.either.anyOf[1]",
      "openai properties.deep.additionalProperties",
      "openai $defs.list"
    ])
  })

  it("finds names of properties that Anthropic refuses, those that come out of a choice included", () => {
    const long = "x".repeat(65)
    assert.deepStrictEqual(found({ type: "object", properties: { "page[size]": {}, [long]: {}, ok: {} } }), [
      ["anthropic", "properties.page[size]", false],
      ["anthropic", `properties.${long}`, false]
    ])
    assert.deepInclude(found({ anyOf: [{ type: "object", properties: { "$filter": {} } }] }), [
      "anthropic",
      "properties.$filter",
      false
    ])
  })

  it("ends at a schema without end", () => {
    let schema = {}
    for (let depth = 0; depth < 5000; depth++) schema = { type: "object", properties: { a: schema } }
    assert.deepStrictEqual(found(schema), [])
  })
})
