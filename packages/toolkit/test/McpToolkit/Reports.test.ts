import { assert, describe, it } from "@effect/vitest"
import * as ProviderRules from "../support/rules/ProviderRules.ts"

type Checked = Parameters<typeof ProviderRules.check>

const broken = (...[rules, schema]: Checked) =>
  ProviderRules.check(rules, schema).map(({ path, rule }) => `${rule} at ${path}`)

const text = { type: "string" }

describe("ProviderRules, for the reports behind R8 to R13", () => {
  it("refuses for Anthropic the dotted and bracketed keys of claude-code 34771 and 92648 (R8, R13)", () => {
    const schema = {
      type: "object",
      properties: {
        "$.xgafv": { type: "string", enum: ["1", "2"] },
        "uids[]": { type: "array", items: text },
        alt: text
      },
      required: ["uids[]"]
    }
    assert.deepStrictEqual(broken("anthropic", schema), [
      "property-key at properties.$.xgafv",
      "property-key at properties.uids[]"
    ])
  })

  it("refuses for Anthropic the filters of appstore-connect-mcp 1 and a key of 80 characters (R13)", () => {
    const long = "x".repeat(80)
    const properties = {
      "filter[bundleId]": text,
      "exists[parent]": text,
      [long]: text,
      "page.size": text,
      "a-b": text
    }
    assert.deepStrictEqual(broken("anthropic", { type: "object", properties }), [
      "property-key at properties.filter[bundleId]",
      "property-key at properties.exists[parent]",
      `property-key at properties.${long}`
    ])
  })

  it("refuses for Anthropic a property called $schema, as pylance-release 7986 has it (R13)", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { $schema: text, code: text }
    }
    assert.deepStrictEqual(broken("anthropic", schema), ["property-key at properties.$schema"])
  })

  it("refuses for Anthropic branches at the root that only require, as opencode 35516 and mcp-sap-docs 51 have them (R9)", () => {
    const schema = {
      type: "object",
      properties: { version: text, from_version: text, to_version: text },
      anyOf: [{ required: ["version"] }, { required: ["from_version", "to_version"] }]
    }
    assert.deepStrictEqual(broken("anthropic", schema), ["root-choice at "])
  })

  it("refuses for Anthropic branches of objects at the root, as gitlab-mcp 551 has them (R9)", () => {
    const branch = (name: string) => ({ type: "object", properties: { [name]: text }, required: [name] })
    assert.deepStrictEqual(broken("anthropic", { oneOf: [branch("id"), branch("full_path")] }), [
      "root-type at ",
      "root-choice at "
    ])
  })

  it("lets for Anthropic not and if stand at the root, as kata 365 found (R9)", () => {
    const schema = {
      type: "object",
      properties: { a: text, b: text },
      not: { required: ["a", "b"] },
      if: { required: ["a"] },
      then: { properties: { b: text } }
    }
    assert.deepStrictEqual(broken("anthropic", schema), [])
  })

  it("refuses for Anthropic the tuple of openclaw 98588 and the boolean exclusiveMinimum of Dokploy 74 (R8)", () => {
    const waypoints = { type: "array", items: { type: "array", items: [{ type: "number" }, { type: "number" }] } }
    const ttl = { type: "integer", exclusiveMinimum: true, minimum: 0, maximum: 9007199254740991 }
    assert.deepStrictEqual(broken("anthropic", { type: "object", properties: { waypoints, ttl } }), [
      "malformed at properties.waypoints.items",
      "malformed at properties.ttl"
    ])
  })

  it("accepts for Anthropic what openclaw 98588 saw it accept (R9)", () => {
    const properties = {
      map: { type: "object", patternProperties: { "^x": text }, additionalProperties: true },
      maybe: { anyOf: [text, { type: "null" }] },
      any: {},
      list: { type: ["string", "null"], format: "uri" },
      one: { const: "x" },
      point: { type: "array", prefixItems: [text, text], minItems: 2 }
    }
    assert.deepStrictEqual(broken("anthropic", { type: "object", properties }), [])
  })

  it("refuses for Anthropic and OpenAI the reference that litellm 28646 saw lead nowhere (R12)", () => {
    const schema = { type: "object", properties: { bundle: { $ref: "#/definitions/Bundle" } } }
    assert.deepStrictEqual(broken("anthropic", schema), ["reference at properties.bundle"])
    assert.deepStrictEqual(broken("openai", schema), ["reference at properties.bundle"])
  })

  it("refuses for OpenAI the tool without properties of openai-agents-python 449 (R10)", () => {
    const schema = { $schema: "http://json-schema.org/draft-07/schema#", title: "EmptyObject", type: "object" }
    assert.deepStrictEqual(broken("openai", schema), ["properties at "])
    assert.deepStrictEqual(broken("openai", { ...schema, properties: {} }), [])
  })

  it("refuses for OpenAI the empty schema of bnbchain-mcp 68 (R10)", () => {
    assert.deepStrictEqual(broken("openai", {}), ["root-type at ", "properties at "])
  })

  it("refuses for OpenAI arrays without items, in a property, inside one and in a list of types (R10)", () => {
    const array = { type: "array" }
    const properties = {
      texts: { ...array, description: "词汇列表" },
      rows: { type: "array", items: array },
      interaction: { type: ["string", "array"] },
      either: { anyOf: [text, array] },
      map: { type: "object", additionalProperties: array }
    }
    assert.deepStrictEqual(broken("openai", { type: "object", properties }), [
      "items at properties.texts",
      "items at properties.rows.items",
      "items at properties.interaction",
      "items at properties.either.anyOf[1]",
      "items at properties.map.additionalProperties"
    ])
  })

  it("refuses for OpenAI the choices at the root of langchainjs 9804 and google-calendar-mcp 39 (R9)", () => {
    const root = { type: "object", properties: { a: text } }
    for (const choice of [{ oneOf: [{}] }, { anyOf: [{}] }, { allOf: [{}] }, { enum: [{}] }, { not: {} }]) {
      assert.deepStrictEqual(broken("openai", { ...root, ...choice }), ["root-choice at "])
    }
  })

  it("refuses for OpenAI the property that is no schema of vscode-unify-chat-provider 162 (R8)", () => {
    const schema = {
      type: "object",
      properties: { filePath: text, properties: { type: "object" }, type: "object" },
      required: ["filePath", "properties"]
    }
    assert.deepStrictEqual(broken("openai", schema), ["not-a-schema at properties.type"])
  })

  it("refuses for OpenAI the pattern of shunt 488, and takes a lookahead (R8)", () => {
    const schema = (pattern: string) => ({ type: "object", properties: { field: { type: "string", pattern } } })
    assert.deepStrictEqual(broken("openai", schema("^(?!__.*__$)[^\\p{Cc}]{1,200}$")), ["pattern at properties.field"])
    assert.deepStrictEqual(broken("openai", schema("(?<year>\\d{4})")), ["pattern at properties.field"])
    for (const pattern of ["^(?!__.*__$)\\w+\\\\p$", "(?<=a)b(?<!c)(?:d)\\.\\u00e4[\\]]", ""]) {
      assert.deepStrictEqual(broken("openai", schema(pattern)), [])
    }
  })

  it("refuses for strict OpenAI what trae-agent 173, notion 102, odoo-llm 212, camel 3001 and 9router 1556 report (R8)", () => {
    const strict = (a: Checked[1]) =>
      broken("openai-strict", {
        type: "object",
        properties: { a },
        required: ["a"],
        additionalProperties: false,
        $defs: { User: text }
      })
    assert.deepStrictEqual(strict({ type: "object", properties: {}, required: [] }), [
      "additional-properties at properties.a"
    ])
    assert.deepStrictEqual(strict({ allOf: [text], type: "string" }), ["keyword at properties.a"])
    assert.deepStrictEqual(strict({ description: "filter" }), ["type at properties.a"])
    assert.deepStrictEqual(strict({ $ref: "#/$defs/User", description: "A user" }), ["reference at properties.a"])
    assert.deepStrictEqual(strict({ type: "string", pattern: "^(?!\\.)[a-z]+$" }), ["pattern at properties.a"])
    assert.deepStrictEqual(strict({ type: "string", format: "uri" }), ["format at properties.a"])
    assert.deepStrictEqual(strict({ $ref: "#/$defs/User" }), [])
  })

  it("refuses for strict OpenAI a property that may be left out, as opencode 45245 forced none to be (R103)", () => {
    const schema = { type: "object", properties: { a: text, properties: text }, additionalProperties: false }
    assert.deepStrictEqual(broken("openai-strict", schema), ["required at ", "required at "])
    assert.deepStrictEqual(broken("openai-strict", { ...schema, required: ["a", "properties"] }), [])
  })

  it("refuses for Gemini the definitions of gemini-cli 13326, and in its JSON field references to nothing (R11, R12)", () => {
    const target_object = { anyOf: [{ $ref: "#/$defs/Database" }, { $ref: "#/$defs/Schema" }, { type: "null" }] }
    const schema = { type: "object", properties: { target_object }, $defs: { Database: text } }
    assert.includeMembers(broken("gemini", schema), [
      "keyword at ",
      "keyword at properties.target_object.anyOf[0]",
      "keyword at properties.target_object.anyOf[1]"
    ])
    assert.deepStrictEqual(broken("gemini-json", schema), ["reference at properties.target_object.anyOf[1]"])
  })

  it("refuses for Gemini's JSON field what stands beside a reference, as opencode 12295 reports (R11)", () => {
    const options = { type: "array", items: { $ref: "#/$defs/QuestionOption", type: "object", description: "One" } }
    const schema = { type: "object", properties: { options }, $defs: { QuestionOption: text } }
    assert.deepStrictEqual(broken("gemini-json", schema), ["reference at properties.options.items"])
  })

  it("refuses for Gemini's JSON field a cycle that has to be gone through, and takes one that need not (R12)", () => {
    const schema = (required: ReadonlyArray<string>) => ({
      type: "object",
      properties: { tree: { $ref: "#/$defs/Node" } },
      $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } }, required } }
    })
    assert.deepStrictEqual(broken("gemini-json", schema([])), [])
    assert.includeMembers(broken("gemini-json", schema(["next"])), ["cycle at $defs.Node.properties.next"])
  })

  it("refuses for Gemini the limits and formats of langchain-mcp-tools-ts 36 (R11)", () => {
    const url = { type: "string", format: "uri" }
    const max_length = {
      anyOf: [{ type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 1000000 }, { type: "integer" }]
    }
    assert.deepStrictEqual(broken("gemini", { type: "object", properties: { url, max_length } }), [
      "format at properties.url",
      "keyword at properties.max_length.anyOf[0]",
      "keyword at properties.max_length.anyOf[0]"
    ])
  })

  it("refuses for Gemini type lists and constants, as google_workspace_mcp 1099 reports (R11)", () => {
    const properties = { tab: { type: ["string", "null"] }, kind: { type: "string", const: "insert_text" } }
    assert.deepStrictEqual(broken("gemini", { type: "object", properties }), [
      "type at properties.tab",
      "keyword at properties.kind"
    ])
  })

  it("refuses for Gemini $schema and additionalProperties, as CLIProxyAPI 97 reports (R11)", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: text },
      additionalProperties: false
    }
    assert.deepStrictEqual(broken("gemini", schema), ["keyword at ", "keyword at "])
  })

  it("refuses for Gemini numbers in an enum, as azure-devops-mcp 145 and opencode 12911 report (R11)", () => {
    const properties = { status: { type: "integer", enum: [0, 1] }, none: { type: "string", enum: ["", "x"] } }
    assert.deepStrictEqual(broken("gemini", { type: "object", properties }), [
      "enum at properties.status",
      "enum at properties.status",
      "enum at properties.none"
    ])
  })

  it("refuses for Gemini items, properties and required where they do not belong or fit (R10, R11)", () => {
    const properties = {
      time_ranges: { type: "array" },
      data: { type: "string", properties: { a: text } },
      issue_fields: { type: "array", items: { type: "object", properties: {}, required: ["field_name"] } },
      either: { anyOf: [{ type: "array" }, text] }
    }
    assert.deepStrictEqual(broken("gemini", { type: "object", properties }), [
      "items at properties.time_ranges",
      "properties at properties.data",
      "required at properties.issue_fields.items",
      "items at properties.either.anyOf[0]"
    ])
  })

  it("refuses for Gemini a tool without parameters, as agno 2112 reports (R10)", () => {
    assert.deepStrictEqual(broken("gemini", { type: "object", properties: {}, required: [] }), ["no-parameters at "])
  })

  it("refuses for Gemini names of parameters that Google's reference does not allow (R13)", () => {
    const properties = { "page-size": text, "1st": text, "a.b": text, ["x".repeat(65)]: text, _ok9: text }
    assert.deepStrictEqual(broken("gemini", { type: "object", properties }).length, 4)
  })
})
