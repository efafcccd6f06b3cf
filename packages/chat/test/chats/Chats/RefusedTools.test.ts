import { LanguageModels, ModelFetch } from "@boocode/language-models"
import { type AgentTool, SchemaDialect } from "@boocode/toolkit"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as ModelChoice from "../../../src/model/ModelChoice.ts"
import type { TurnPart } from "../../../src/model/Part.ts"
import * as Turn from "../../../src/turn/Turn.ts"
import * as TurnTools from "../../../src/turn/TurnTools.ts"
import { agent, files, tool } from "../../support/Scripted.ts"

const LONG = "Reads. ".repeat(200)

const TOOLS: ReadonlyArray<AgentTool> = [tool("a_one"), { ...tool("b_two"), description: LONG }, tool("c_three")]

const refusal = (message: string) => ({ error: { message, type: "invalid_request_error", param: null, code: null } })

/** How each provider refuses the second tool, and where it is given what tools. */
const PROVIDERS = [
  {
    model: "openai/local",
    variables: { OPENAI_BASE_URL: "http://model.test/v1" },
    body: refusal("Invalid 'tools[1].function.parameters'."),
    definitions: (body: Schema.Json) => found(body, "tools", "function")
  },
  {
    model: "openai/gpt-5",
    variables: { OPENAI_API_KEY: "key" },
    body: refusal("Invalid schema for function 'b_two': In context=(), object schema missing properties"),
    definitions: (body: Schema.Json) => found(body, "tools")
  },
  {
    model: "anthropic/claude-sonnet-4-5",
    variables: { ANTHROPIC_API_KEY: "key" },
    body: { type: "error", ...refusal("tools.1.custom.input_schema: JSON schema is invalid.") },
    definitions: (body: Schema.Json) => found(body, "tools")
  },
  {
    model: "google/gemini-2.5-flash",
    variables: { GOOGLE_GENERATIVE_AI_API_KEY: "key" },
    body: refusal("GenerateContentRequest.tools[0].function_declarations[1].parameters: missing field."),
    definitions: (body: Schema.Json) => found(body, "tools", "functionDeclarations")
  }
]

const Definition = Schema.Struct({ name: Schema.String, description: Schema.String })
type Definition = typeof Definition.Type

/** The definitions in a request, however deep its provider has them. */
const found = (body: Schema.Json, ...path: ReadonlyArray<string>): ReadonlyArray<Definition> =>
  path.reduce<ReadonlyArray<unknown>>(
    (all, key) => all.flatMap((one) => typeof one === "object" && one !== null ? Reflect.get(one, key) : []),
    [body]
  ).filter(Schema.is(Definition))

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** What the provider's package sends in a turn in which every request is refused. */
const refused = (provider: typeof PROVIDERS[number]) =>
  Effect.gen(function*() {
    const sent: Array<ReadonlyArray<Definition>> = []
    const parts: Array<TurnPart> = []
    const fetch: typeof globalThis.fetch = (_, init) => {
      sent.push(provider.definitions(decode(init?.body)))
      return Promise.resolve(Response.json(provider.body, { status: 400 }))
    }
    const models = LanguageModels.layer.pipe(
      Layer.provide(Layer.succeed(ModelFetch, fetch)),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: provider.variables })))
    )
    const { facts, model } = yield* LanguageModels.use((all) =>
      Effect.all({ facts: all.facts(provider.model), model: all.model(provider.model) })
    ).pipe(Effect.provide(models))
    const { tools } = SchemaDialect.speak(TOOLS, ModelChoice.dialect(provider.model, facts))
    yield* Turn.run(
      { agent, model, tools: TurnTools.of(tools), history: [], text: "hi" },
      (part) => Effect.sync(() => void parts.push(part))
    ).pipe(Effect.provide(files()))
    return { sent, parts }
  })

describe("A tool that a provider does not take", () => {
  it.effect.each(PROVIDERS)(
    "is left out of one more request to $model, and cut before where it can be (R8)",
    (provider) =>
      Effect.gen(function*() {
        const { parts, sent } = yield* refused(provider)
        const names = sent.map((definitions) => definitions.map(({ name }) => name))
        assert.deepStrictEqual(names, [["a_one", "b_two", "c_three"], ["a_one", "c_three"]])
        const lengths = sent[0]?.map(({ description }) => description.length) ?? []
        assert.strictEqual(lengths[1], provider.model.startsWith("openai/") ? 1024 : LONG.length)
        const warnings = parts.flatMap((part) => part.type === "warning" ? [part.message] : [])
        assert.lengthOf(warnings, 1)
        assert.match(warnings[0] ?? "", /^the provider refused b_two of b, so the model is asked without it: /)
        assert.deepInclude(parts.at(-1), { type: "finish", reason: "error" })
      })
  )
})
