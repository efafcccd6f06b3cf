import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { type AgentTool, SchemaDialect, SearchTools, ToolResult, ToolSearch } from "../../src/index.ts"
import * as ScriptedRegistry from "../support/ScriptedRegistry.ts"

const tool = (name: string, changes: Partial<AgentTool> = {}): AgentTool => ({
  name,
  server: name.split("_")[0] ?? null,
  description: `Does ${name.replaceAll("_", " ")}.`,
  inputSchema: { type: "object", properties: {} },
  tokens: 10,
  isAlwaysLoaded: false,
  run: () => Effect.succeed(ToolResult.success(`${name} ran`)),
  ...changes
})

const TOOLS = [tool("sky_forecast"), tool("sky_moon"), tool("bank_rate")]

interface Place {
  readonly tools?: ReadonlyArray<AgentTool>
  readonly allowed?: ReadonlyArray<string>
  readonly dialect?: SchemaDialect.SchemaDialect
  readonly waiting?: ReadonlyArray<string>
  readonly failed?: SearchTools.Available["failed"]
  readonly rejected?: SearchTools.Available["rejected"]
  readonly settled?: Effect.Effect<void>
  /** Whether the provider shows the definitions that an answer names. */
  readonly isNative?: boolean
}

/** The tools over these; all are in the index, also those that are not allowed. */
const searching = (
  {
    allowed,
    dialect = "raw",
    failed = [],
    isNative = false,
    rejected = [],
    settled = Effect.void,
    tools = TOOLS,
    waiting = []
  }: Place = {}
) => {
  const index = ToolSearch.make()
  const names = new Set(allowed ?? tools.map(({ name }) => name))
  const current = Effect.sync((): SearchTools.Available => {
    index.update(tools)
    const { tools: spoken, unspeakable } = SchemaDialect.speak(tools.filter(({ name }) => names.has(name)), dialect)
    const byName = new Map([...spoken, ...unspeakable].map((one) => [one.name, one]))
    return { index, names, tool: (name) => byName.get(name) ?? null, rejected, waiting, failed }
  })
  const make = isNative ? SearchTools.native : SearchTools.make
  const made = make({ settled, current }, tools.filter(({ name }) => names.has(name)), dialect)
  const run = (name: string, args: unknown) => made.find((one) => one.name === name)?.run(args) ?? Effect.die(name)
  return {
    made,
    search: (args: unknown) => run(SearchTools.SEARCH, args),
    describe: (args: unknown) => run(SearchTools.DESCRIBE, args)
  }
}

const Answer = Schema.fromJsonString(Schema.Struct({
  more: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))),
  tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, parameters: Schema.Json })),
  waiting: Schema.optionalKey(Schema.Array(Schema.String)),
  hint: Schema.optionalKey(Schema.String),
  failed: Schema.optionalKey(Schema.Array(Schema.Struct({ server: Schema.String, why: Schema.String }))),
  rejected: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, server: Schema.String, why: Schema.String }))
  ),
  unusable: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        why: Schema.String,
        nearest: Schema.optionalKey(Schema.Array(Schema.String))
      })
    )
  ),
  note: Schema.optionalKey(Schema.String)
}))

const answer = (effect: Effect.Effect<ToolResult.ToolResult>) =>
  Effect.map(effect, ({ isError, text }) => {
    assert.isFalse(isError, text)
    return Schema.decodeUnknownSync(Answer)(text)
  })

const namesOf = ({ tools }: typeof Answer.Type) => tools.map(({ name }) => name)

describe("tool_search", () => {
  it.effect("gives the best tools with their parameters, as many as were asked for (R48)", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 30 }, (_, at) => tool(`sky_part${at}`))
      const { search } = searching({ tools })
      assert.lengthOf((yield* answer(search({ query: "sky" }))).tools, 5)
      assert.lengthOf((yield* answer(search({ query: "sky", limit: 20 }))).tools, 20)
      assert.lengthOf((yield* answer(search({ query: "sky", limit: null }))).tools, 5)
      const one = yield* answer(search({ query: "sky_part7", limit: 1 }))
      assert.deepStrictEqual(one.tools, [
        { name: "sky_part7", description: "Does sky part7.", parameters: { type: "object", properties: {} } }
      ])
      assert.match(one.note ?? "", /through tool_call/)
      const none = yield* answer(search({ query: "zzzzzz" }))
      assert.deepStrictEqual(none.tools, [])
      assert.match(none.note ?? "", /other words/)
    }))

  it.effect("names fifteen more with their first words, and those alone (R48)", () =>
    Effect.gen(function*() {
      const tools = Array.from({ length: 30 }, (_, at) => tool(`sky_part${at}`, { description: "moon ".repeat(200) }))
      const { search } = searching({ tools })
      const found = yield* answer(search({ query: "sky" }))
      assert.lengthOf(found.more ?? [], 15)
      assert.lengthOf(new Set([...namesOf(found), ...found.more?.map(({ name }) => name) ?? []]), 20)
      assert.isTrue(found.more?.every(({ description }) => description.length === 161 && description.endsWith("…")))
      assert.notProperty(yield* answer(searching().search({ query: "moon" })), "more")
    }))

  it.effect("goes by what is to be done, not by the address, path or text that it is to be done with", () =>
    Effect.gen(function*() {
      const { search } = searching({
        tools: [
          tool("web_fetch", { description: "Fetches a page." }),
          tool("git_issues", { description: "Lists the issues of a repository at github." }),
          tool("disk_read", { description: "Reads a file." }),
          tool("mail_send", { description: "Sends a letter about invoices to a customer." })
        ]
      })
      const first = (query: string) => Effect.map(answer(search({ query })), (found) => namesOf(found)[0])
      assert.strictEqual(yield* first("fetch https://github.example/acme/repository/issues"), "web_fetch")
      assert.strictEqual(yield* first("read ~/customer/invoices/letter.md"), "disk_read")
      assert.strictEqual(yield* first("read the file \"letter about invoices to a customer\""), "disk_read")
      assert.strictEqual(yield* first("\"mail_send\""), "mail_send")
    }))

  it.effect("names tools that exist and are rejected, with the reason, beside those that can be called (Decision 2)", () =>
    Effect.gen(function*() {
      const reason = "declares itself destructive (destructiveHint is true)"
      const rejected = Array.from(
        { length: 30 },
        (_, at) => ({ name: `bank_drop${at}`, tool: `drop${at}`, server: "bank", reason })
      )
      const { describe, search } = searching({
        rejected: [
          { name: "notes_API-delete-a-block", tool: "API-delete-a-block", server: "notes", reason },
          ...rejected
        ]
      })
      const found = yield* answer(search({ query: "delete a block" }))
      assert.deepStrictEqual(found.tools, [])
      assert.deepStrictEqual(found.rejected, [{ name: "notes_API-delete-a-block", server: "notes", why: reason }])
      assert.match(found.note ?? "", /exist and cannot be called/)
      const hint = "boocode mcp writes notes ask offers it, each call with your yes"
      const offered = searching({
        rejected: [{ name: "notes_write", tool: "write", server: "notes", reason, hint }]
      })
      assert.deepStrictEqual((yield* answer(offered.search({ query: "write" }))).rejected, [
        { name: "notes_write", server: "notes", why: `${reason}; ${hint}` }
      ])
      const bank = yield* answer(search({ query: "bank" }))
      assert.deepStrictEqual(namesOf(bank), ["bank_rate"])
      assert.lengthOf(bank.rejected ?? [], 5)
      assert.notProperty(yield* answer(search({ query: "moon" })), "rejected")
      const described = yield* answer(describe({ names: ["notes_API-delete-a-block"] }))
      assert.deepStrictEqual(described.unusable, [
        { name: "notes_API-delete-a-block", why: `it exists and cannot be called: ${reason}` }
      ])
    }))

  it.effect("says what is wrong with arguments that it cannot use, in few words (R58)", () =>
    Effect.gen(function*() {
      const { describe, search } = searching()
      const wrong = [
        search({}),
        search({ query: "  " }),
        search({ query: 7 }),
        search({ query: "sky", limit: 0 }),
        search({ query: "sky", limit: 21 }),
        search({ query: "sky", limit: "x".repeat(100_000) }),
        search("{\"half"),
        search([]),
        describe({}),
        describe({ names: [] }),
        describe({ names: Array.from({ length: 21 }, () => "a") }),
        describe({ names: "sky_moon" })
      ]
      for (const [at, effect] of wrong.entries()) {
        const { fault, isError, text } = yield* effect
        assert.deepStrictEqual([isError, fault], [true, "call"], `${at}`)
        assert.match(text, /^tool_(search|describe): wrong arguments: /)
        assert.isBelow(text.length, 400)
      }
      assert.deepStrictEqual(namesOf(yield* answer(search("{\"query\":\"sky_moon\",\"limit\":1}"))), ["sky_moon"])
    }))

  it.effect("finds nothing that may not be used, and does not tell of it either (R50)", () =>
    Effect.gen(function*() {
      const { describe, made, search } = searching({ allowed: ["sky_moon"] })
      for (const query of ["bank_rate", "sky_forecast", "rate of a bank"]) {
        assert.notInclude(namesOf(yield* answer(search({ query }))), "bank_rate")
        assert.notInclude(namesOf(yield* answer(search({ query }))), "sky_forecast")
      }
      const asked = yield* answer(describe({ names: ["bank_rate", "sky_forecas"] }))
      assert.deepStrictEqual(asked.tools, [])
      assert.deepStrictEqual(asked.unusable?.map(({ why }) => why), ["no tool has this name", "no tool has this name"])
      assert.notInclude(JSON.stringify(asked.unusable?.map(({ nearest }) => nearest)), "forecast")
      assert.notInclude(JSON.stringify(made.map(({ description, inputSchema }) => [description, inputSchema])), "bank")
    }))

  it.effect("waits before it looks, and says which servers still connect and which failed and why (R48)", () =>
    Effect.gen(function*() {
      const failed = Array.from({ length: 70 }, (_, at) => ({ server: `dead${at}`, why: "no such file ".repeat(100) }))
      const { search } = searching({ waiting: ["slow"], failed, settled: Effect.sleep("2 seconds") })
      const fiber = yield* Effect.forkChild(answer(search({ query: "moon" })))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const found = yield* Fiber.join(fiber)
      assert.deepStrictEqual([found.waiting, found.failed?.[0]?.server], [["slow"], "dead0"])
      assert.match(found.hint ?? "", /search again/)
      assert.isAtMost(found.failed?.[0]?.why.length ?? Infinity, 301)
      assert.isAtMost(found.failed?.length ?? Infinity, 50)
      const stopped = yield* Effect.forkChild(search({ query: "moon" }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(stopped)
    }))

  it.effect("answers in the dialect of the model, and says which tools that cannot say (R102)", () =>
    Effect.gen(function*() {
      const inputSchema = { oneOf: [{ type: "object", properties: { "a b": { const: 1 } } }] }
      const keys = Array.from(
        { length: 2000 },
        (_, at) => [`key${at}`, { type: "string", description: "x".repeat(500) }]
      )
      const huge = tool("sky_huge", { inputSchema: { type: "object", properties: Object.fromEntries(keys) } })
      const { describe, search } = searching({
        tools: [tool("sky_odd", { inputSchema }), huge],
        dialect: "gemini"
      })
      const said = Result.getOrThrow(SchemaDialect.convert("gemini", inputSchema)).schema
      assert.notDeepEqual<unknown>(said, inputSchema)
      const found = yield* answer(search({ query: "sky" }))
      assert.deepStrictEqual<unknown>(found.tools.map(({ name, parameters }) => [name, parameters]), [[
        "sky_odd",
        said
      ]])
      const asked = yield* answer(describe({ names: ["sky_odd", "sky_huge"] }))
      assert.deepStrictEqual<unknown>(asked.tools[0]?.parameters, said)
      assert.match(asked.unusable?.[0]?.why ?? "", /^this model cannot be given it: /)
    }))

  it.effect("keeps every answer short enough to be read whole, however much servers wrote (R35)", () =>
    Effect.gen(function*() {
      const properties = Object.fromEntries(
        Array.from({ length: 100 }, (_, at) => [`p${at}`, { type: "string", description: "long ".repeat(20) }])
      )
      const tools = Array.from(
        { length: 20 },
        (_, at) =>
          tool(`sky_big${at}`, { description: "🌤 much ".repeat(100_000), inputSchema: { type: "object", properties } })
      )
      const { describe, search } = searching({ tools })
      const asked = describe({ names: tools.map(({ name }) => name) })
      for (const effect of [asked, search({ query: "sky", limit: 20 })]) {
        const { text } = yield* effect
        assert.isBelow(Buffer.byteLength(text), 100_000)
        assert.isTrue(text.isWellFormed())
        const { tools: shown } = yield* answer(effect)
        assert.lengthOf(shown, 20)
        assert.isTrue(shown.every(({ description }) => description.length > 100))
        assert.isObject(shown[0]?.parameters)
        assert.match(String(shown.at(-1)?.parameters), /describe this tool alone/)
      }
      const [whole] = (yield* answer(describe({ names: ["sky_big1"] }))).tools
      assert.isAbove(whole?.description.length ?? 0, 9000)
    }))

  it.effect("gives the whole of a description that the provider takes a part of", () =>
    Effect.gen(function*() {
      const description = "word ".repeat(400).trim()
      const listed = ScriptedRegistry.tool("sky", "long", { description })
      const { describe } = searching({ dialect: "openai", tools: [tool("sky_long", { description, listed })] })
      const [whole] = (yield* answer(describe({ names: ["sky_long"] }))).tools
      assert.strictEqual(whole?.description, description)
    }))
})

describe("an answer that definitions follow", () => {
  it.effect("does not say what they say, but a description that the provider takes a part of", () =>
    Effect.gen(function*() {
      const description = `${"word ".repeat(600)}the end`
      const listed = { ...ScriptedRegistry.tool("sky", "long"), description }
      const tools = [tool("sky_long", { description, listed }), tool("sky_moon")]
      const { describe, search } = searching({ tools, dialect: "openai", isNative: true })
      const told = Effect.map(describe({ names: ["sky_long", "sky_moon"] }), ({ text }) => JSON.parse(text).tools)
      assert.deepStrictEqual(yield* told, [
        { name: "sky_long", server: "sky", description },
        { name: "sky_moon", server: "sky" }
      ])
      const found = JSON.parse((yield* search({ query: "moon" })).text)
      assert.deepStrictEqual(found.tools, [{ name: "sky_moon", server: "sky" }])
      assert.include(found.note, "can be called from now on")
    }))
})

describe("the names that a model is told", () => {
  const listing = (tools: ReadonlyArray<AgentTool>) =>
    JSON.stringify(searching({ tools }).made.map((one) => one.inputSchema))

  it("are bounded, never cut, and say how many there are (R48)", () => {
    const tools = Array.from({ length: 2000 }, (_, at) => tool(`server${at % 9}_${"long".repeat(10)}${at}`))
    const text = listing(tools)
    assert.isBelow(text.length, 5000)
    assert.include(text, "There are 2000")
    const known = new Set(tools.map(({ name }) => name))
    const named = [...text.matchAll(/(server\d_) \(\d+\): ([^;]+), …/g)].flatMap(([, start, rest]) =>
      rest?.split(", ").map((name) => `${start}${name}`) ?? []
    )
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(named.filter((name) => !known.has(name)), [])
  })

  it("leave room of few to those of many, whatever servers are called", () => {
    const many = Array.from({ length: 200 }, (_, at) => tool(`many_tool${at}`))
    const told = listing([tool("few_tool"), ...many, tool("odd", { server: "many" })])
    assert.include(told, "in full (1): odd; few_ (1): tool; many_ (200): tool0, ")
    assert.include(told, "tool99")
    const odd = Array.from({ length: 200 }, (_, at) => tool(`s${at}_t`, { server: `x${"😀".repeat(60)}${at}` }))
    const text = listing(odd)
    assert.isTrue(text.isWellFormed())
    assert.isBelow(text.length, 10_000)
  })
})
