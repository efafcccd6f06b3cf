import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ToolEncoding from "../../src/encoding/ToolEncoding.ts"

const raw = Tool.dynamic("raw", { description: "Reads", parameters: { type: "object", properties: {} } })
const strict = Tool.make("strict", { parameters: Schema.Struct({ path: Schema.String }) }).annotate(Tool.Strict, true)

describe("ToolEncoding", () => {
  it.effect("gives no keys at all without tools (R104)", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* ToolEncoding.encode({ tools: [], toolChoice: "required" }), {})
    }))

  it.effect("keeps a raw schema as it is, and says of each tool whether it is strict, which OpenAI decides otherwise", () =>
    Effect.gen(function*() {
      const { tools = [] } = yield* ToolEncoding.encode({ tools: [raw, strict], toolChoice: "auto" })
      assert.deepStrictEqual(tools[0], {
        type: "function",
        name: "raw",
        description: "Reads",
        inputSchema: { type: "object", properties: {} },
        strict: false
      })
      assert.deepStrictEqual(tools.map((tool) => tool.type === "function" ? tool.strict : null), [false, true])
    }))

  const choices: ReadonlyArray<readonly [LanguageModel.ToolChoice<string>, unknown]> = [
    ["auto", undefined],
    ["none", { type: "none" }],
    ["required", { type: "required" }],
    [{ tool: "raw" }, { type: "tool", toolName: "raw" }],
    [{ mode: "required", oneOf: ["raw"] }, { type: "required" }],
    [{ oneOf: ["raw"] }, undefined]
  ]
  it.effect.each(choices)("turns the choice %j into %j", ([toolChoice, expected]) =>
    Effect.gen(function*() {
      const encoded = yield* ToolEncoding.encode({ tools: [raw], toolChoice })
      assert.deepStrictEqual(encoded.toolChoice, expected)
    }))

  it.effect("refuses a tool that only its provider can run", () =>
    Effect.gen(function*() {
      const search = Tool.providerDefined({
        id: "x.search",
        customName: "Search",
        providerName: "search",
        parameters: Schema.Struct({})
      })()
      const error = yield* Effect.flip(ToolEncoding.encode({ tools: [search], toolChoice: "auto" }))
      assert.strictEqual(error._tag, "ToolConfigurationError")
    }))
})
