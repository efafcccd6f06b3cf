import { DeferredTool, LanguageModels, ModelFacts, ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const tool = (name: string) =>
  Tool.dynamic(name, {
    parameters: Asking.listSchema,
    success: Schema.String,
    failure: Schema.String,
    failureMode: "return"
  })

const kit = Toolkit.make(tool("tool_search"), tool("a_found").annotate(DeferredTool.Deferred, true))

const found = DeferredTool.referring(
  Prompt.toolResultPart({ id: "c1", name: "tool_search", isFailure: false, result: "1 tool", providerExecuted: false }),
  ["a_found"]
)

const search = (id: string) => [
  Prompt.assistantMessage({
    content: [Prompt.toolCallPart({ id, name: "tool_search", params: {}, providerExecuted: false })]
  }),
  Prompt.toolMessage({ content: [{ ...found, id }] })
]

const prompt = Prompt.fromMessages([
  Prompt.userMessage({ content: [Prompt.textPart({ text: "Find." })] }),
  ...search("c1"),
  ...search("c2")
])

/** The body of a request with a tool that is left to search, and an answer that found it. */
const body = Effect.fnUntraced(function*(id: string) {
  const provider = id.slice(0, id.indexOf("/"))
  const { text, variables } = PROVIDERS.find(({ model }) => model === id) ??
    PROVIDERS.find(({ model }) => model.startsWith(provider)) ?? assert.fail(id)
  const { layer, sent } = ScriptedFetch.make([ScriptedFetch.events(text)])
  yield* Effect.gen(function*() {
    const model = yield* (yield* LanguageModels).model(id)
    const handlers = yield* kit.toHandlers({
      tool_search: () => Effect.die("not run"),
      a_found: () => Effect.die("not run")
    })
    const toolkit = yield* Effect.provideContext(kit, handlers)
    yield* Stream.runDrain(model.streamText({ prompt, toolkit, disableToolCallResolution: true }))
  }).pipe(
    Effect.provide(Layer.orDie(Asking.models(layer, variables))),
    Effect.provideService(ModelSettings, { ...ModelSettings.defaultValue(), conversation: "chat" })
  )
  return sent[0]?.body ?? assert.fail("nothing was sent")
})

describe("DeferredTool", () => {
  it.effect("is marked for Anthropic, and the answer that found it refers to it", () =>
    Effect.gen(function*() {
      const { messages, tools } = yield* body(ANTHROPIC)
      assert.deepInclude(Array.isArray(tools) ? tools[1] : null, { name: "a_found", defer_loading: true })
      const search = Array.isArray(tools) ? tools[0] : null
      assert.deepInclude(search, { name: "tool_search", cache_control: { type: "ephemeral" } })
      assert.notProperty(Array.isArray(tools) ? tools[1] : null, "cache_control", "the API refuses both together")
      assert.include(
        JSON.stringify(messages),
        `"content":[{"type":"tool_reference","tool_name":"a_found"},{"type":"text","text":"1 tool"`
      )
    }))

  it.effect("comes after the first answer that found it, for OpenAI's Responses API", () =>
    Effect.gen(function*() {
      const { input, tools } = yield* body("openai/gpt-5.6-sol")
      assert.deepStrictEqual(Array.isArray(tools) ? tools.map((tool) => Object(tool).name) : null, ["tool_search"])
      const items = Array.isArray(input) ? input.map((item) => Object(item)) : []
      assert.deepStrictEqual(items.slice(1).map(({ call_id, type }) => `${type} ${call_id}`), [
        "function_call c1",
        "function_call_output c1",
        "additional_tools undefined",
        "function_call c2",
        "function_call_output c2"
      ])
      const { tools: added, ...item } = items[3]
      assert.deepStrictEqual(item, { type: "additional_tools", role: "developer" })
      assert.strictEqual(added.length, 1)
      assert.deepInclude(added[0], { type: "function", name: "a_found", strict: false })
      assert.deepInclude(added[0].parameters, { type: "object" })
    }))

  it.effect("is a tool like any other elsewhere", () =>
    Effect.gen(function*() {
      const text = JSON.stringify(yield* body(COMPATIBLE))
      assert.notMatch(text, /defer|reference/)
      assert.include(text, "1 tool")
    }))

  it.effect("is for models that find it, at their maker's own address, and where a person says so", () =>
    Effect.gen(function*() {
      const defers = (
        id: string,
        variables: Record<string, string>,
        said: Record<string, ModelFacts.ModelOverride> = {}
      ) =>
        Effect.flatMap(LanguageModels, (models) => models.facts(id)).pipe(
          Effect.map(({ defersTools }) => defersTools),
          Effect.provide(Layer.orDie(
            Asking.models(
              Layer.merge(ScriptedFetch.make([]).layer, Layer.succeed(ModelFacts.ModelOverrides, said)),
              { ...Asking.KEYS, ...variables }
            )
          ))
        )
      for (const id of ["claude-sonnet-4-5", "claude-opus-5", "claude-haiku-4-5-20251001", "claude-sonnet-10"]) {
        assert.isTrue(yield* defers(`anthropic/${id}`, {}), id)
      }
      for (const id of ["claude-sonnet-4-20250514", "claude-3-5-sonnet-latest", "claude-haiku-4"]) {
        assert.isFalse(yield* defers(`anthropic/${id}`, {}), id)
      }
      const elsewhere = { ANTHROPIC_BASE_URL: "http://model.test/v1" }
      assert.isFalse(yield* defers("anthropic/claude-opus-5", elsewhere))
      for (const id of ["gpt-5.4-mini", "gpt-5.5-2026-04-23", "gpt-5.6-sol", "gpt-6-astra"]) {
        assert.isTrue(yield* defers(`openai/${id}`, {}), id)
      }
      for (const id of ["gpt-5", "gpt-5.4-nano", "gpt-6.1-sol"]) assert.isFalse(yield* defers(`openai/${id}`, {}), id)
      assert.isTrue(
        yield* defers("anthropic/claude-opus-5", elsewhere, { "anthropic/claude-opus-5": { defersTools: true } })
      )
      const saying = { "openai/qwen3-8b": { defersTools: true } }
      assert.isFalse(yield* defers("openai/qwen3-8b", { OPENAI_BASE_URL: "http://model.test/v1" }, saying), "no way to")
    }))
})
