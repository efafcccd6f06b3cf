import { LanguageModels, ModelFacts } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const PDF = "JVBERi0xLjcK"

/** What a chat sends with an attached PDF; its own notes on it stay here. */
const QUESTION = Prompt.fromMessages([Prompt.userMessage({
  content: [
    Prompt.filePart({
      mediaType: "application/pdf",
      fileName: "a.pdf",
      data: PDF,
      options: { boocode: { pages: 1, text: "kept back" } }
    }),
    Prompt.textPart({ text: "What is in it?" })
  ]
})])

/** The content of the message of the person, as the provider's package sends it. */
const sent = Effect.fnUntraced(function*(model: string) {
  const provider = PROVIDERS.find((one) => one.model === model) ?? assert.fail(model)
  const { sent: [request] } = yield* Asking.ask(
    { model, variables: provider.variables, prompt: QUESTION },
    [ScriptedFetch.events(provider.text)]
  )
  assert.notInclude(JSON.stringify(request?.body), "kept back")
  const messages = request?.body["messages"] ?? request?.body["input"] ?? request?.body["contents"]
  return Array.isArray(messages) ? Object(messages[0]) : assert.fail("no messages")
})

const readsPdf = (model: string) =>
  Effect.gen(function*() {
    const provider = PROVIDERS.find((one) => one.model === model) ?? assert.fail(model)
    const { layer } = ScriptedFetch.make([ScriptedFetch.json(200, { data: [] })])
    const models = Asking.models(layer, provider.variables)
    return (yield* LanguageModels.use((all) => all.facts(model)).pipe(Effect.provide(models))).readsPdf
  })

describe("A PDF on the wire", () => {
  it.effect("is a document for Anthropic", () =>
    Effect.gen(function*() {
      const { content: [document] } = yield* sent(ANTHROPIC)
      assert.deepInclude(document, {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: PDF }
      })
    }))

  it.effect("is a file with its name for OpenAI", () =>
    Effect.gen(function*() {
      const { content: [file] } = yield* sent(OPENAI)
      assert.deepStrictEqual(file, {
        type: "input_file",
        filename: "a.pdf",
        file_data: `data:application/pdf;base64,${PDF}`
      })
    }))

  it.effect("is a file with its name in chat completions, where a person says that the server takes it", () =>
    Effect.gen(function*() {
      const { content: [file] } = yield* sent(COMPATIBLE)
      assert.deepStrictEqual(file, {
        type: "file",
        file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` }
      })
    }))

  it.effect("is inline data for Google", () =>
    Effect.gen(function*() {
      const { parts: [file] } = yield* sent(GOOGLE)
      assert.deepStrictEqual(file, { inlineData: { mimeType: "application/pdf", data: PDF } })
    }))
})

describe("The facts of a model about PDFs", () => {
  it.effect("say whether its provider takes PDFs: the three makers do, chat completions do not", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* Effect.forEach([ANTHROPIC, GOOGLE, OPENAI, COMPATIBLE], readsPdf),
        [true, true, true, false]
      )
    }))

  it.effect("say what a person says of it, as for a server that takes PDFs in chat completions", () =>
    Effect.gen(function*() {
      const { layer } = ScriptedFetch.make([ScriptedFetch.json(200, { data: [] })])
      const said = Layer.succeed(ModelFacts.ModelOverrides, { [COMPATIBLE]: { readsPdf: true } })
      const models = Asking.models(Layer.merge(layer, said), Asking.COMPATIBLE)
      const facts = yield* LanguageModels.use((all) => all.facts(COMPATIBLE)).pipe(Effect.provide(models))
      assert.isTrue(facts.readsPdf)
    }))

  it.effect("say that it takes none where it sees no images, or its provider said so", () =>
    Effect.gen(function*() {
      const { layer } = ScriptedFetch.make([])
      const facts = yield* LanguageModels.use((all) =>
        Effect.gen(function*() {
          const known = yield* all.facts(OPENAI)
          yield* known.learn({ readsPdf: false })
          return [(yield* all.facts("openai/gpt-3.5-turbo")).readsPdf, (yield* all.facts(OPENAI)).readsPdf]
        })
      ).pipe(Effect.provide(Asking.models(layer)))
      assert.deepStrictEqual(facts, [false, false])
    }))
})
