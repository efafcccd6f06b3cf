import type { McpTool } from "@boocode/mcp-registry"
import { type Deferral, SchemaDialect } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { Part } from "../../../src/model/Part.ts"
import { brief, chatWith, message, start, until } from "../../support/Chatting.ts"
import { agent, calls, finish, mcpTool, model, says, status, tool } from "../../support/Scripted.ts"

const named = (server: string, name: string, changes: Partial<McpTool> = {}): McpTool => ({
  ...mcpTool(server, name),
  ...changes
})

const ALWAYS: Deferral.Policy = { mode: "always", threshold: 0 }

const weather = named("sky", "forecast", { description: "Weather of the next days in a city." })
const world = {
  tools: [weather, named("sky", "moon"), named("bank", "rate", { description: "Exchange rate of two currencies." })],
  servers: [status("sky", "ready"), status("bank", "ready")],
  call: (name: string) =>
    Effect.succeed({
      isError: false,
      content: [{ type: "text", text: `${name} ran` }],
      structuredContent: null,
      millis: 1
    })
}

const search = (id: string, query: string) => calls(id, "tool_search", { query })
const through = (id: string, name: string, args: unknown = {}) => calls(id, "tool_call", { name, arguments: args })
const SEARCHING = ["tool_call", "tool_describe", "tool_search"]
const defined = (asked: LanguageModel.ProviderOptions | undefined) =>
  JSON.stringify(asked?.tools.map((one) => [one.name, Tool.getDescription(one), Tool.getJsonSchema(one)]))
const names = (asked: LanguageModel.ProviderOptions | undefined) => (asked?.tools ?? []).map((one) => one.name)
const ends = [...says("done"), finish()]

const Answer = Schema.fromJsonString(Schema.Struct({
  tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, parameters: Schema.Json })),
  waiting: Schema.optionalKey(Schema.Array(Schema.String)),
  failed: Schema.optionalKey(Schema.Array(Schema.Struct({ server: Schema.String, why: Schema.String }))),
  rejected: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, server: Schema.String, why: Schema.String }))
  ),
  unusable: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, why: Schema.String })))
}))

const answers = (parts: ReadonlyArray<Part>) =>
  parts.flatMap((part) => part.type === "tool-result" ? [Schema.decodeUnknownSync(Answer)(part.text)] : [])

const warnings = (parts: ReadonlyArray<Part>) => parts.flatMap((part) => part.type === "warning" ? [part.message] : [])

describe("tools left to search", () => {
  it.effect("are named but not defined, found and called, and what models are given stays the same to the letter (R48, R51)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([
        [search("1", "weather"), finish("tool-calls")],
        [through("2", "sky_forecast", { days: 2 }), finish("tool-calls")],
        ends,
        [search("3", "exchange rate"), finish("tool-calls")],
        ends,
        ends
      ])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        builtIn: [tool("view_file")],
        toolSearch: ALWAYS,
        world
      })
      const { id, parts } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(answers(parts.slice(0, 2)).map((answer) => answer.tools[0]?.name), ["sky_forecast"])
      assert.include(brief(parts), "1 sky_forecast ran")
      const call = parts.findLast((part) => part.type === "tool-call")
      assert.deepInclude(call, { name: "sky_forecast", server: "sky", args: { days: 2 }, through: "tool_call" })
      yield* chats.send(id, message("two"))
      yield* chats.send(id, message("three"))
      yield* until(chats, id, 3)
      for (const asked of scripted.asked) assert.deepStrictEqual(names(asked), [...SEARCHING, "view_file"])
      assert.lengthOf(new Set(scripted.asked.map(defined)), 1)
      const told = defined(scripted.asked[0])
      for (const one of ["sky_ (2): forecast, moon", "bank_ (1): rate"]) assert.include(told, one)
      assert.notInclude(told, "Weather of the next days")
      // What the model said is told to it again in its own words, in the turn that runs and in later ones.
      for (const asked of scripted.asked.slice(2)) {
        const words = JSON.stringify(asked.prompt.content)
        assert.include(words, JSON.stringify({ name: "sky_forecast", arguments: { days: 2 } }))
        assert.notInclude(words, `"name":"sky_forecast","params"`)
      }
    }))

  it.effect("pass the gate as the tool that is meant, and their arguments are repaired and checked (R48)", () =>
    Effect.gen(function*() {
      const inputSchema = { type: "object", properties: { days: { type: "object" } }, additionalProperties: false }
      const [sent, gated]: [Array<unknown>, Array<string>] = [[], []]
      const scripted = yield* model([
        [through("1", "sky_forecast", JSON.stringify({ days: JSON.stringify({ from: 1 }) })), finish("tool-calls")],
        [through("2", "sky_forecast", { weeks: 1 }), through("3", "no_such_tool"), finish("tool-calls")],
        [through("4", "tool_call", {}), calls("5", "tool_call", { arguments: {} }), finish("tool-calls")],
        ends
      ])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        toolSearch: ALWAYS,
        approvals: {
          guard: () => (tools) =>
            tools.map((one) => ({
              ...one,
              run: (args, options) =>
                Effect.andThen(Effect.sync(() => void gated.push(one.name)), one.run(args, options))
            }))
        },
        world: {
          ...world,
          tools: [{ ...weather, inputSchema }],
          call: (name, args) => Effect.andThen(Effect.sync(() => void sent.push(args)), world.call(name))
        }
      })
      const { parts } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(sent, [{ days: { from: 1 } }])
      assert.deepStrictEqual(gated, ["sky_forecast", "sky_forecast", "tool_call", "tool_call"])
      const results = parts.flatMap((one) => one.type === "tool-result" ? [[one.id, one.text] as const] : [])
      const text = new Map(results)
      assert.match(text.get("2") ?? "", /weeks/)
      assert.match(text.get("3") ?? "", /no_such_tool/)
      assert.match(text.get("4") ?? "", /^tool_call: wrong arguments: /)
      assert.match(text.get("5") ?? "", /^tool_call: wrong arguments: /)
    }))

  it.effect("tell of rejected tools that the agent's patterns allow, and of no others (Decision 2)", () =>
    Effect.gen(function*() {
      const left = {
        tool: "reset",
        reason: "declares itself destructive (destructiveHint is true)",
        ...{ class: "destroys" as const, isOpenWorld: false, isChanged: false, isWriter: true, hint: null }
      }
      const scripted = yield* model([[search("1", "reset"), finish("tool-calls")], ends])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        agents: [{ ...agent, tools: ["sky_*"] }],
        toolSearch: ALWAYS,
        world: {
          ...world,
          rejected: [
            { ...left, server: "sky", name: "sky_reset" },
            { ...left, server: "bank", name: "bank_reset" }
          ]
        }
      })
      const { parts } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(answers(parts)[0]?.rejected, [{ name: "sky_reset", server: "sky", why: left.reason }])
    }))

  it.effect("are the same bytes whatever the order in which servers came (R51)", () =>
    Effect.gen(function*() {
      const sent = yield* Effect.forEach([world.tools, world.tools.toReversed()], (tools) =>
        Effect.gen(function*() {
          const scripted = yield* model([ends])
          const { chats } = yield* start({
            environment: "x",
            models: { x: scripted.model },
            toolSearch: ALWAYS,
            world: { ...world, tools }
          })
          yield* chatWith(chats, "one")
          return JSON.stringify(
            scripted.asked[0]?.tools.map((one) => [one.name, Tool.getDescription(one), Tool.getJsonSchema(one)])
          )
        }))
      assert.isAbove(sent[0]?.length ?? 0, 100)
      assert.strictEqual(sent[0], sent[1])
    }))

  it.effect("can be called by their own names without a search (R48)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([[calls("1", "bank_rate"), finish("tool-calls")], ends])
      const { chats } = yield* start({ environment: "x", models: { x: scripted.model }, toolSearch: ALWAYS, world })
      const { parts } = yield* chatWith(chats, "one")
      assert.include(brief(parts), "1 bank_rate ran")
      assert.deepStrictEqual(scripted.asked.map(names), [SEARCHING, SEARCHING])
    }))

  it.effect("are neither named, found nor called when the agent may not use them (R50)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([
        [search("1", "bank_rate"), calls("2", "tool_describe", { names: ["bank_rate"] }), finish("tool-calls")],
        [calls("3", "bank_rate"), finish("tool-calls")],
        ends
      ])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        agents: [{ ...agent, tools: ["sky_*"] }],
        toolSearch: ALWAYS,
        world: { ...world, servers: [...world.servers, status("vault", "failed", "no")] }
      })
      const { parts } = yield* chatWith(chats, "one")
      const given = scripted.asked.flatMap(names)
      assert.notInclude(given, "bank_rate")
      assert.notInclude(JSON.stringify(scripted.asked[0]?.tools.map((one) => Tool.getJsonSchema(one))), "bank")
      const found = parts.flatMap((part) => part.type === "tool-result" && part.id !== "3" ? [part] : [])
      const [one, two] = answers(found)
      assert.deepStrictEqual(one?.tools.filter(({ name }) => name.startsWith("bank")), [])
      assert.deepStrictEqual(one?.failed, undefined, "nor is it told of servers it has nothing of")
      assert.deepStrictEqual([two?.tools, two?.unusable?.[0]?.why], [[], "no tool has this name"])
      const refused = parts.find((part) => part.type === "tool-result" && part.id === "3")
      assert.match(refused?.type === "tool-result" ? refused.text : "", /no tool is called bank_rate|unknown/i)
    }))

  it.effect("come from a server that was late, for which a search waits; it says which failed (R48)", () =>
    Effect.gen(function*() {
      const late = { ...world, servers: [status("sky", "connecting"), status("dead", "failed", "it broke")], tools: [] }
      const scripted = yield* model([
        [search("1", "weather"), finish("tool-calls")],
        [search("2", "weather"), finish("tool-calls")],
        ends
      ])
      // The beginning of the chat waits, and so does each search.
      let waits = 0
      const started = yield* start({
        environment: "x",
        models: { x: scripted.model },
        toolSearch: ALWAYS,
        world: { ...late, settled: Effect.suspend(() => waits++ < 2 ? Effect.never : arrive) }
      })
      const arrive = Effect.sync(() => {
        started.world.tools = world.tools
        started.world.servers = world.servers
      })
      const fiber = yield* Effect.forkChild(chatWith(started.chats, "one"))
      yield* TestClock.adjust("3 seconds")
      yield* TestClock.adjust("5 seconds")
      const { parts } = yield* Fiber.join(fiber)
      const [before, after] = answers(parts)
      assert.deepStrictEqual([before?.tools, before?.waiting, before?.failed], [[], ["sky"], [
        { server: "dead", why: "it broke" }
      ]])
      assert.deepStrictEqual([after?.tools[0]?.name, after?.waiting], ["sky_forecast", undefined])
    }))

  it.effect("are described to a model in its own dialect, whole where it asks for it (R102)", () =>
    Effect.gen(function*() {
      const inputSchema = {
        anyOf: [
          { type: "object", properties: { "city name": { type: "string" }, days: { type: ["integer", "null"] } } },
          { type: "object", properties: { place: { $ref: "#/$defs/place" } } }
        ],
        $defs: { place: { type: "string", const: "here" } }
      }
      const scripted = yield* model([
        [search("1", "weather"), calls("2", "tool_describe", { names: ["sky_forecast"] }), finish("tool-calls")],
        ends
      ])
      const description = `Weather. ${"More of it. ".repeat(100)}`
      const { chats } = yield* start({
        environment: "google/x",
        models: { "google/x": scripted.model },
        toolSearch: ALWAYS,
        world: { ...world, tools: [{ ...weather, inputSchema, description }] }
      })
      const { parts } = yield* chatWith(chats, "one")
      const said = Result.getOrThrow(SchemaDialect.convert("gemini", inputSchema)).schema
      const [found, described] = answers(parts)
      assert.notDeepEqual<unknown>(said, inputSchema)
      assert.deepStrictEqual<unknown>(found?.tools[0]?.parameters, said)
      assert.deepStrictEqual<unknown>(described?.tools[0]?.parameters, said)
      assert.isBelow(found?.tools[0]?.description.length ?? 0, 500)
      assert.strictEqual(described?.tools[0]?.description, description)
    }))

  it.effect("are none in mode auto below the threshold and up to the cap of the provider, all but the fixed ones above", () =>
    Effect.gen(function*() {
      const many = (count: number, tokens: number) =>
        Array.from(
          { length: count },
          (_, at) => named("s", `t${String(at).padStart(3, "0")}`, { tokens, isAlwaysLoaded: at === 7 })
        )
      const given = Effect.fnUntraced(function*(id: string, tools: ReadonlyArray<McpTool>) {
        const scripted = yield* model([ends])
        const { chats } = yield* start({
          environment: id,
          models: { [id]: scripted.model },
          world: { ...world, tools }
        })
        yield* chatWith(chats, "one")
        return names(scripted.asked[0])
      })
      const deferred = ["s_t007", ...SEARCHING]
      assert.lengthOf(yield* given("openai/x", many(101, 100)), 101)
      assert.deepStrictEqual(yield* given("openai/x", many(102, 100)), deferred)
      assert.lengthOf(yield* given("openai/x", many(128, 1)), 128)
      assert.deepStrictEqual(yield* given("openai/x", many(129, 1)), deferred)
      assert.deepStrictEqual(yield* given("google/x", many(129, 1)), deferred)
      assert.lengthOf(yield* given("anthropic/x", many(129, 1)), 129)
      assert.lengthOf(yield* given("command", many(500, 1000)), 0, "the command mode asks no model")
    }))

  it.effect("are the overflow in mode never: built-in tools stay, a warning names the rest, a search finds it (R49)", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 500 }, (_, at) => named("s", `t${String(at).padStart(3, "0")}`))
      const scripted = yield* model([[search("1", "s_t499"), finish("tool-calls")], ends, ends])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        builtIn: [tool("view_file"), tool("zoom")],
        toolSearch: { mode: "never", threshold: 1 },
        world: { ...world, tools }
      })
      const { id, parts } = yield* chatWith(chats, "one")
      yield* chats.send(id, message("two"))
      const all = [...parts, ...yield* until(chats, id, 2, parts.at(-1)?.seq)]
      for (const asked of scripted.asked) {
        assert.isAtMost(names(asked).length, 128)
        assert.includeMembers(names(asked), ["view_file", "zoom", "tool_search", "s_t000"])
      }
      assert.lengthOf(new Set(scripted.asked.map(defined)), 1)
      assert.lengthOf(warnings(all), 1, "said once in a chat")
      assert.match(
        warnings(all)[0] ?? "",
        /500 tools of servers, more than .*; it has to search for these: s_t12\d, .* more\./
      )
    }))

  it.effect("never make a request with more tools than the provider takes, however many are always loaded (R49)", () =>
    Effect.gen(function*() {
      const tools = Array.from(
        { length: 300 },
        (_, at) => named("s", `t${String(at).padStart(3, "0")}`, { isAlwaysLoaded: at < 200 })
      )
      const scripted = yield* model([[through("1", "s_t250"), finish("tool-calls")], ends])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        toolSearch: ALWAYS,
        world: { ...world, tools }
      })
      const { parts } = yield* chatWith(chats, "one")
      assert.deepStrictEqual(scripted.asked.map((asked) => names(asked).length), [128, 128])
      assert.include(brief(parts), "1 s_t250 ran")
    }))

  it.effect("are not left to an agent that says !tool_search; what it cannot be given is said (R49)", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 200 }, (_, at) => named("s", `t${String(at).padStart(3, "0")}`))
      for (const patterns of [["*", "!tool_search"], ["*", "!tool_*"]]) {
        const scripted = yield* model([ends])
        const { chats } = yield* start({
          environment: "x",
          models: { x: scripted.model },
          agents: [{ ...agent, tools: patterns }],
          toolSearch: ALWAYS,
          world: { ...world, tools }
        })
        const { parts } = yield* chatWith(chats, "one")
        assert.deepStrictEqual(names(scripted.asked[0]).filter((name) => name.startsWith("tool_")), [])
        assert.match(warnings(parts)[0] ?? "", /left out: /)
      }
    }))

  it.effect("leave out one that the model cannot be given, said once in a chat, and the others work (R8)", () =>
    Effect.gen(function*() {
      const inputSchema = {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 2000 }, (_, at) => [`key${at}`, { type: "string", description: "long ".repeat(100) }])
        )
      }
      const scripted = yield* model([
        [calls("1", "sky_huge"), calls("2", "sky_moon"), finish("tool-calls")],
        ends,
        ends
      ])
      const { chats } = yield* start({
        environment: "openai/x",
        models: { "openai/x": scripted.model },
        world: { ...world, tools: [...world.tools, named("sky", "huge", { inputSchema })] }
      })
      const { id, parts } = yield* chatWith(chats, "one")
      yield* chats.send(id, message("two"))
      const all = [...parts, ...yield* until(chats, id, 2, parts.at(-1)?.seq)]
      assert.lengthOf(warnings(all), 1)
      assert.match(warnings(all)[0] ?? "", /^the model cannot be given sky_huge of sky \(.*\); everything else works$/)
      assert.notInclude(names(scripted.asked[0]), "sky_huge")
      assert.match(brief(all).join("\n"), /1 sky_huge cannot be called by this model/)
      assert.include(brief(all), "1 sky_moon ran")
    }))

  it.effect("leave no tools key when there is nothing to give or to search (R104)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([ends])
      const { chats } = yield* start({
        environment: "x",
        models: { x: scripted.model },
        toolSearch: ALWAYS,
        agents: [{ ...agent, tools: [] }],
        world
      })
      yield* chatWith(chats, "one")
      assert.deepStrictEqual(scripted.asked[0]?.tools, [])
    }))
})

describe("a description that is longer than the provider takes", () => {
  const whole = "Tells the phase of the moon. ".repeat(50).trim()
  const long = { ...world, tools: [weather, named("sky", "moon", { description: whole })] }

  it.effect("is cut for OpenAI and what is compatible with it, and tool_describe gives the rest (R8)", () =>
    Effect.gen(function*() {
      const scripted = yield* model([
        [calls("1", "tool_describe", { names: ["sky_moon"] }), finish("tool-calls")],
        ends
      ])
      const { chats } = yield* start({ models: { "openai/m": scripted.model }, environment: "openai/m", world: long })
      const { parts } = yield* chatWith(chats, "how is the moon?")
      assert.deepStrictEqual(names(scripted.asked[0]), ["sky_forecast", "sky_moon", "tool_describe"])
      const descriptions = (scripted.asked[0]?.tools ?? []).map((one) => Tool.getDescription(one) ?? "")
      assert.deepStrictEqual(descriptions.map(({ length }) => length > 1024), [false, false, false])
      assert.match(descriptions[1] ?? "", /^Tells the phase of the moon\. .*… \[the rest was cut\]$/)
      assert.strictEqual(answers(parts)[0]?.tools[0]?.description, whole)
    }))

  it.effect("reaches other providers whole, without a further tool", () =>
    Effect.gen(function*() {
      const scripted = yield* model([ends])
      const id = "anthropic/m"
      const { chats } = yield* start({ models: { [id]: scripted.model }, environment: id, world: long })
      yield* chatWith(chats, "how is the moon?")
      assert.deepStrictEqual(names(scripted.asked[0]), ["sky_forecast", "sky_moon"])
      assert.strictEqual(scripted.asked[0]?.tools.map(Tool.getDescription)[1], whole)
    }))

  it.effect("leaves room for tool_describe where the provider takes no more tools", () =>
    Effect.gen(function*() {
      const scripted = yield* model([ends])
      const tools = Array.from({ length: 128 }, (_, at) => named("sky", `t${at}`, { description: whole }))
      const { chats } = yield* start({
        models: { "openai/m": scripted.model },
        environment: "openai/m",
        world: { ...world, tools },
        toolSearch: { mode: "never", threshold: 0 }
      })
      yield* chatWith(chats, "how is the moon?")
      assert.isAtMost(names(scripted.asked[0]).length, 128)
      assert.include(names(scripted.asked[0]), "tool_describe")
    }))
})
