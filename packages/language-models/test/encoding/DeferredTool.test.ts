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

const prompt = Prompt.fromMessages([
  Prompt.userMessage({ content: [Prompt.textPart({ text: "Find." })] }),
  Prompt.assistantMessage({
    content: [Prompt.toolCallPart({ id: "c1", name: "tool_search", params: {}, providerExecuted: false })]
  }),
  Prompt.toolMessage({ content: [found] })
])

/** The body of a request with a tool that is left to search, and an answer that found it. */
const body = Effect.fnUntraced(function*(id: string) {
  const { text, variables } = PROVIDERS.find((one) => one.model === id) ?? assert.fail(id)
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
      assert.isFalse(yield* defers("openai/gpt-5.4", {}))
      assert.isTrue(
        yield* defers("anthropic/claude-opus-5", elsewhere, { "anthropic/claude-opus-5": { defersTools: true } })
      )
    }))
})
