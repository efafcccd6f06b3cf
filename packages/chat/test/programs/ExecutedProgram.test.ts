import type { ToolResult } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chatWith, start } from "../support/Chatting.ts"
import { agent, calls, finish, mcpTool, model, outline, says } from "../support/Scripted.ts"
import * as ScriptedSandbox from "../support/ScriptedSandbox.ts"

const writes = (id: string, code: string) => [calls(id, "execute", { code }), finish("tool-calls")]
const done = [...says("Done."), finish()]
const answer = (text: string, structuredContent: ToolResult.ToolResult["structuredContent"] = null) => ({
  content: [{ type: "text", text }],
  structuredContent,
  isError: false,
  millis: 1
})

describe("A program that a model writes", () => {
  it.effect("makes its calls as the model would, each a part of the chat under the program's", () =>
    Effect.gen(function*() {
      const sandbox = ScriptedSandbox.make({
        sum: ({ call, log }) =>
          Effect.gen(function*() {
            const one = yield* call("a_one", { n: 1 }, 2)
            yield* log("one is there")
            const two = yield* call("a_two", {}, 3)
            return { one: "value" in one ? one.value : null, two: "value" in two ? two.value : null }
          })
      })
      const scripted = yield* model([writes("x", "sum"), done])
      const { chats } = yield* start({
        agents: [{ ...agent, code: true }],
        models: { "test/m": scripted.model },
        environment: "test/m",
        sandbox,
        world: {
          tools: [mcpTool("a", "one"), mcpTool("a", "two")],
          call: (name) => Effect.succeed(name === "a_one" ? answer("three", { n: 3 }) : answer("[1, 2]"))
        }
      })
      const { parts } = yield* chatWith(chats, "hi")
      const made = parts.flatMap((part) =>
        part.type === "tool-call" ? [[part.id, part.name, part.program, part.line, part.args]] : []
      )
      assert.deepStrictEqual(made, [
        ["x", "execute", undefined, undefined, { code: "sum" }],
        ["x_1", "a_one", "x", 2, { n: 1 }],
        ["x_2", "a_two", "x", 3, {}]
      ])
      const [, , assistant, result = ""] = outline(scripted.asked[1]?.prompt.content ?? [])
      assert.strictEqual(assistant, "assistant call x execute", "the model made one call")
      assert.deepStrictEqual(result.split("\n").slice(1, -1), [
        "Value:",
        "{\"one\":{\"n\":3},\"two\":[1,2]}",
        "",
        "Console:",
        "one is there",
        "",
        "Calls:",
        "1 a_one (line 2): done",
        "2 a_two (line 3): done"
      ])
      assert.match(result, /^tool result x <tool_result_\w{8} server="a" tool="execute" trusted="yes">\n/)
    }))
})
