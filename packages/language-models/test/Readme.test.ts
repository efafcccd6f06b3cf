import { LanguageModels, ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { hello } from "../examples/Hello.ts"
import { careful, models } from "../examples/Settings.ts"

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

describe("README", () => {
  it("shows the code of the examples, word for word", () => {
    const blocks = [...read("README.md").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block]) => block ?? "")
    const examples = readdirSync(new URL("../examples", import.meta.url)).map((name) => read(`examples/${name}`))
    assert.strictEqual(blocks.length, examples.length)
    for (const block of blocks) assert.isTrue(examples.some((example) => example.endsWith(block)), block)
  })

  it.effect("has a request that says which variable is missing", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(hello)
      assert.include(error.message, "ANTHROPIC_API_KEY")
    }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} })))))

  it.effect("has settings that hold for the request, and facts that replace others", () =>
    Effect.gen(function*() {
      const temperatures: Array<number | null> = []
      const model = yield* LanguageModel.make({
        generateText: () => Effect.die("not used"),
        streamText: () =>
          Stream.unwrap(Effect.map(ModelSettings, ({ temperature }) => {
            temperatures.push(temperature)
            return Stream.empty
          }))
      })
      yield* Stream.runDrain(careful(model, "Hello"))
      assert.deepStrictEqual(temperatures, [0.2])
      const fetch = () => Promise.reject(new Error("not used"))
      const facts = yield* LanguageModels.use(({ facts }) => facts("openai/qwen3")).pipe(Effect.provide(models(fetch)))
      assert.deepInclude(facts, { contextTokens: 32_768, silenceSeconds: 600 })
    }).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: {} })))))
})
