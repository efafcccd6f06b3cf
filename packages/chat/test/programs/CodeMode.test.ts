import { SchemaDialect } from "@boocode/toolkit"
import { ExecuteTool } from "@boocode/toolkit/code"
import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import type { Agent } from "../../src/agents/Agent.ts"
import { chatWith, message, start, until } from "../support/Chatting.ts"
import { agent, calls, finish, mcpTool, model, outline, says, status, tool } from "../support/Scripted.ts"
import * as ScriptedSandbox from "../support/ScriptedSandbox.ts"

const done = [...says("done"), finish()]

const defined = (asked: LanguageModel.ProviderOptions | undefined) =>
  JSON.stringify(asked?.tools.map((one) => [one.name, Tool.getDescription(one), Tool.getJsonSchema(one)]))

const lines = (asked: LanguageModel.ProviderOptions | undefined) => outline(asked?.prompt.content ?? [])

const forecast = {
  ...mcpTool("sky", "forecast"),
  description: "Weather of the next days.",
  inputSchema: { type: "object", properties: { "the city": { type: "string" } }, required: ["the city"] },
  outputSchema: { type: "object", properties: { rain: { type: "boolean" } } }
}

const chatting = Effect.fnUntraced(function*(answers: Parameters<typeof model>[0]) {
  const scripted = yield* model(answers)
  const sent: Array<unknown> = []
  const started = yield* start({
    agents: [{ ...agent, code: true }],
    environment: "openai/m",
    models: { "openai/m": scripted.model },
    builtIn: [tool("view_file")],
    sandbox: ScriptedSandbox.make({
      weather: ({ call, program }) =>
        Effect.gen(function*() {
          const given = yield* call("sky_forecast", { "the city": "Ulm" })
          return {
            given: "value" in given ? given.value : null,
            names: program.functions.map(({ name }) => name),
            about: yield* program.describe("sky.forecast"),
            nothing: yield* program.describe("sky.forcast")
          }
        })
    }),
    world: {
      tools: [forecast, mcpTool("bank", "rate")],
      servers: [status("sky", "ready"), status("bank", "ready")],
      call: (_, args) =>
        Effect.sync(() => {
          sent.push(args)
          return {
            isError: false,
            content: [{ type: "text", text: "rain" }],
            structuredContent: { rain: true },
            millis: 1
          }
        })
    }
  })
  return { ...started, asked: scripted.asked, sent }
})

describe("A model that writes programs", () => {
  it.effect("is given functions in one tool, finds more of them, and what it is given stays the same to the letter", () =>
    Effect.gen(function*() {
      const { asked, chats, world } = yield* chatting([
        [calls("1", "tool_search", { query: "weather" }), finish("tool-calls")],
        done,
        done,
        done
      ])
      const { id } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(asked[0]?.tools.map(({ name }) => name), ["execute", "tool_search", "view_file"])
      const signature =
        "sky.forecast(args: { \"the city\": string }): Promise<{ rain?: boolean }> // Weather of the next days."
      assert.include(
        JSON.stringify(asked[0]?.tools.map((one) => Tool.getJsonSchema(one))),
        JSON.stringify(signature).slice(1, -1)
      )
      assert.include(lines(asked[1]).at(-1), JSON.stringify({ name: "sky_forecast", function: signature }))
      world.tools = [...world.tools, mcpTool("late", "come")]
      world.servers = [...world.servers, status("late", "ready")]
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2)
      assert.lengthOf(new Set(asked.map(defined)), 1)
      assert.include(
        lines(asked[2]).at(-1),
        "New tools are functions in programs; tool_search tells their parameters. There are 1, by the beginning of their names: late_ (1): come."
      )
    }))

  it.effect("calls by the declared names of parameters whatever its provider takes, and is told all of a function", () =>
    Effect.gen(function*() {
      const { asked, chats, sent } = yield* chatting([[
        calls("1", "execute", { code: "weather" }),
        finish("tool-calls")
      ], done])
      const { parts } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(sent, [{ "the city": "Ulm" }])
      const result = parts.findLast((part) => part.type === "tool-result")?.text ?? ""
      assert.include(result, `"given":{"rain":true},"names":["view_file","bank_rate","sky_forecast"]`)
      assert.include(result, `/** Weather of the next days. */\\nsky.forecast(args: {`)
      assert.include(result, "no function is called sky.forcast; did you mean sky.forecast?")
      assert.notInclude(defined(asked[0]), "the_city")
    }))

  it.effect("is given 500 tools in less than 3,000 tokens", () =>
    Effect.gen(function*() {
      const { asked, chats, world } = yield* chatting([done])
      world.tools = Array.from({ length: 500 }, (_, at) => ({
        ...forecast,
        ...mcpTool(`server-${at % 20}`, `some_rather_long_name_${at}`),
        description: "Weather of the next days. ".repeat(20)
      }))
      yield* chatWith(chats, "one")
      assert.isBelow(defined(asked[0]).length, 12_000)
      assert.include(defined(asked[0]), "server_19.some_rather_long_name_")
    }))

  it.effect("goes on to, also when fewer tools are left, and begins anew when its agent says otherwise", () =>
    Effect.gen(function*() {
      const scripted = yield* model([done, done, done])
      const agents: [Agent] = [agent]
      const { chats, world } = yield* start({
        agents,
        codeMode: "auto",
        facts: { writesPrograms: true },
        environment: "m",
        models: { m: scripted.model },
        sandbox: ScriptedSandbox.make({}),
        toolSearch: { mode: "auto", threshold: 1 },
        world: { tools: [forecast, mcpTool("bank", "rate")], servers: [status("sky", "ready")] }
      })
      const { id } = yield* chatWith(chats, "one")
      world.tools = [forecast]
      yield* chats.send(id, message("two"))
      yield* until(chats, id, 2)
      agents[0] = { ...agent, code: false }
      yield* chats.send(id, message("three"))
      yield* until(chats, id, 3)
      const given = scripted.asked.map(({ tools }) => tools.map(({ name }) => name))
      assert.deepStrictEqual(given, [["execute", "tool_search"], ["execute", "tool_search"], ["sky_forecast"]])
    }))

  it("gets words about programs that no provider cuts", () => {
    const { description } = ExecuteTool.make([])
    for (const dialect of SchemaDialect.names) {
      assert.isAtMost(description.length, SchemaDialect.LONGEST_DESCRIPTION[dialect])
    }
  })
})
