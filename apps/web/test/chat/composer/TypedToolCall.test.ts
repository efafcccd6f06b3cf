import { assert, describe, it } from "@effect/vitest"
import type { JsonObject, Tool } from "../../../src/api/Types.ts"
import {
  argumentsOf,
  callOf,
  isIncomplete,
  messageOf,
  takesArguments
} from "../../../src/chat/composer/TypedToolCall.ts"

const tool = (name: string, inputSchema: JsonObject): Tool => ({
  name,
  server: "s",
  tool: name,
  title: null,
  description: null,
  inputSchema,
  annotations: {},
  class: "undeclared",
  openWorld: false,
  needsApproval: false,
  tokens: 1
})

const add = tool("s_add", { type: "object", properties: { a: { type: "number" } }, required: ["a"] })
const look = tool("s_look", { type: "object", properties: { text: { type: "string" } } })
const bare = tool("s_bare", { type: "object", properties: {}, additionalProperties: false })
const tools = new Map([add, look, bare].map((one) => [one.name, one]))

const typed = (text: string) => callOf(text, tools) ?? assert.fail(`no call: ${text}`)

describe("TypedToolCall", () => {
  it("is a slash and the name of a tool, with or without arguments", () => {
    assert.strictEqual(typed("/s_add").tool, add)
    assert.strictEqual(typed(" /s_add\n{\"a\": 1}").rest, "{\"a\": 1}")
    for (const text of ["/s_ad", "/s_adds", "s_add", "/ s_add", "see /s_add", ""]) assert.isNull(callOf(text, tools))
  })

  it("is incomplete without arguments that the tool cannot do without", () => {
    assert.isTrue(isIncomplete(typed("/s_add")))
    assert.isFalse(isIncomplete(typed("/s_add {")))
    assert.isFalse(isIncomplete(typed("/s_look")))
  })

  it("has a form unless the tool takes nothing", () => {
    assert.deepStrictEqual([add, look, bare].map(takesArguments), [true, true, false])
  })

  it("reads arguments that are an object, and writes them", () => {
    assert.deepStrictEqual(argumentsOf(typed("/s_add {\"a\": 1}")), { a: 1 })
    for (const rest of ["", " [1]", " {", " 7"]) assert.isNull(argumentsOf(typed(`/s_add${rest}`)))
    assert.strictEqual(messageOf(add, { a: 1, b: "x\ny" }), "/s_add {\"a\":1,\"b\":\"x\\ny\"}")
    assert.strictEqual(messageOf(look, {}), "/s_look")
  })
})
