/** What leaves for each provider when agents have hundreds of tools, some of them hostile: no network, the real packages. */
import { LanguageModels, ModelFetch } from "@boocode/language-models"
import { type AgentTool, SchemaDialect } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as AiTool from "effect/ai/Tool"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ProviderRules from "../packages/toolkit/test/support/rules/ProviderRules.ts"
import * as SchemaTools from "../packages/toolkit/test/support/SchemaTools.ts"

const Body = Schema.fromJsonString(Schema.JsonObject)
const Function = Schema.Struct({
  name: Schema.String,
  parameters: Schema.JsonObject,
  strict: Schema.optional(Schema.Boolean)
})
const isA = <A>(schema: Schema.Codec<A>) => Schema.decodeUnknownSync(schema)

interface Declared {
  readonly name: string
  readonly schema: Schema.JsonObject
  readonly strict?: boolean | undefined
}

/** A provider as `language-models` reaches it: where its request holds the tools, and whose rules it obeys. */
interface Way {
  readonly way: string
  readonly model: string
  readonly dialect: Exclude<SchemaDialect.SchemaDialect, "raw">
  readonly rules: ReadonlyArray<ProviderRules.RuleSet>
  readonly variables: Record<string, string>
  readonly declared: (body: Schema.JsonObject) => ReadonlyArray<Declared>
}

const responses = (body: Schema.JsonObject): ReadonlyArray<Declared> =>
  isA(Schema.Struct({ tools: Schema.Array(Function) }))(body).tools
    .map(({ name, parameters, strict }) => ({ name, schema: parameters, strict }))

const OPENAI = { model: "openai/gpt-5.4", variables: { OPENAI_API_KEY: "k" }, declared: responses }

const WAYS: ReadonlyArray<Way> = [
  { ...OPENAI, way: "OpenAI's responses", dialect: "openai", rules: ["openai"] },
  { ...OPENAI, way: "OpenAI's responses, strictly", dialect: "openai-strict", rules: ["openai-strict"] },
  {
    way: "chat completions elsewhere",
    model: "openai/qwen3-8b",
    dialect: "openai",
    rules: ["openai"],
    variables: { OPENAI_BASE_URL: "http://model.test/v1" },
    declared: (body) =>
      isA(Schema.Struct({ tools: Schema.Array(Schema.Struct({ function: Function })) }))(body).tools
        .map(({ function: { name, parameters, strict } }) => ({ name, schema: parameters, strict }))
  },
  {
    way: "Anthropic's messages",
    model: "anthropic/claude-sonnet-4-5",
    dialect: "anthropic",
    rules: ["anthropic"],
    variables: { ANTHROPIC_API_KEY: "k" },
    declared: (body) =>
      isA(
        Schema.Struct({ tools: Schema.Array(Schema.Struct({ name: Schema.String, input_schema: Schema.JsonObject })) })
      )(body)
        .tools.map(({ input_schema, name }) => ({ name, schema: input_schema }))
  },
  {
    way: "Gemini's generateContent",
    model: "google/gemini-2.5-flash",
    dialect: "gemini",
    // The package puts it into `parametersJsonSchema`; what stands there could as well stand in `parameters`.
    rules: ["gemini", "gemini-json"],
    variables: { GEMINI_API_KEY: "k" },
    declared: (body) =>
      isA(Schema.Struct({
        tools: Schema.Array(Schema.Struct({
          functionDeclarations: Schema.Array(
            Schema.Struct({ name: Schema.String, parametersJsonSchema: Schema.JsonObject })
          )
        }))
      }))(body).tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema }))
      )
  }
]

const modelTool = ({ description, inputSchema, name }: AgentTool, strict: boolean) =>
  AiTool.dynamic(name, { description, parameters: inputSchema, success: Schema.String }).annotate(AiTool.Strict, strict)

/** Asks a model that has these tools, and gives the body of the one request; null when the package sends none. */
const requestBody = Effect.fnUntraced(function*(
  { dialect, model, variables }: Way,
  { loose, tools }: Pick<SchemaDialect.Spoken, "tools" | "loose">
) {
  const bodies: Array<Schema.JsonObject> = []
  const record: typeof globalThis.fetch = (_, init) => {
    bodies.push(Schema.decodeUnknownSync(Body)(init?.body))
    return Promise.resolve(Response.json({ error: { message: "only looked at" } }, { status: 400 }))
  }
  const layer = LanguageModels.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))),
    Layer.provide(Layer.succeed(ModelFetch, record))
  )
  const toolkit = {
    tools: Object.fromEntries(tools.map((tool) => [
      tool.name,
      modelTool(tool, dialect === "openai-strict" && !loose.has(tool.name))
    ])),
    handle: () => Effect.die("not run")
  }
  yield* LanguageModels.use((models) => models.model(model)).pipe(
    Effect.flatMap((model) => model.generateText({ prompt: "Hello", toolkit, disableToolCallResolution: true })),
    Effect.provide(layer),
    Effect.flip
  )
  const [body, ...more] = bodies
  assert.deepStrictEqual(more, [])
  return body ?? null
})

const refused = ({ rules }: Way, declared: ReadonlyArray<Declared>) =>
  declared.flatMap(({ name, schema, strict }) =>
    rules.flatMap((one) =>
      ProviderRules.check(one === "openai-strict" && strict !== true ? "openai" : one, schema).slice(0, 1).map((
        { detail, path }
      ) => `${one}: ${name}: ${path}: ${detail}`)
    )
  )

describe("a request", () => {
  it.live.each(WAYS)(
    "to $way holds all 565 real tools in a form it takes (R8 to R13)",
    (way) =>
      Effect.gen(function*() {
        const said = SchemaDialect.speak(SchemaTools.real, way.dialect)
        const declared = way.declared((yield* requestBody(way, said)) ?? {})
        assert.deepStrictEqual(declared.map(({ name }) => name), SchemaTools.real.map(({ name }) => name))
        assert.deepStrictEqual(refused(way, declared), [])
        // OpenAI makes schemas strict by itself, optional parameters required with them, where nothing is said of it.
        if (way.model.startsWith("openai/")) {
          const strict = said.tools.map(({ name }) => way.dialect === "openai-strict" && !said.loose.has(name))
          assert.deepStrictEqual(declared.map((tool) => tool.strict), strict)
        }
        // The package changes nothing on the way.
        assert.deepStrictEqual(declared.map(({ schema }) => schema), said.tools.map(({ inputSchema }) => inputSchema))
      })
  )

  it.live.each(WAYS)(
    "to $way holds the hostile tools in a form it takes, and leaves (R8 to R13)",
    (way) =>
      Effect.gen(function*() {
        const said = SchemaDialect.speak([...SchemaTools.real, ...SchemaTools.bad], way.dialect)
        const declared = way.declared((yield* requestBody(way, said)) ?? {})
        assert.strictEqual(declared.length + said.unspeakable.length, SchemaTools.real.length + SchemaTools.bad.length)
        assert.deepStrictEqual(refused(way, declared), [])
      })
  )

  it.live.each(WAYS)(
    "to $way leaves with N-1 of N tools when one cannot be said, which is named (R8)",
    (way) =>
      Effect.gen(function*() {
        const properties = Object.fromEntries(
          Array.from({ length: 3000 }, (_, index) => [`p${index}`, { type: "string", description: "d".repeat(500) }])
        )
        const large = SchemaTools.make("large", { type: "object", properties }, "theirs")
        const good = SchemaTools.real.slice(0, 9)
        const said = SchemaDialect.speak([...good.slice(0, 4), large, ...good.slice(4)], way.dialect)
        const declared = way.declared((yield* requestBody(way, said)) ?? {})
        assert.deepStrictEqual(declared.map(({ name }) => name), good.map(({ name }) => name))
        assert.deepStrictEqual(said.unspeakable.map(({ name, server }) => [name, server]), [["large", "theirs"]])
        assert.match(said.unspeakable[0]?.reason ?? "", /bytes/)
      })
  )

  it.live.each(WAYS)("to $way without the dialect would not be made, or be refused", (way) =>
    Effect.gen(function*() {
      const said = SchemaDialect.speak([...SchemaTools.real, ...SchemaTools.bad], "raw")
      const body = yield* requestBody(way, said)
      if (body !== null) assert.isAtLeast(refused(way, way.declared(body)).length, 40)
    }))
})
