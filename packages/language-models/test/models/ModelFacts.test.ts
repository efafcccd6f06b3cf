import { LanguageModels, ModelFacts } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Asking from "../support/Asking.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

/** The models over a network, with what a person says of them. */
const models = (
  network: ReadonlyArray<ScriptedFetch.Answer>,
  variables: Record<string, string> = Asking.KEYS,
  overrides: Record<string, ModelFacts.ModelOverride> = {}
) => {
  const { layer, sent } = ScriptedFetch.make(network)
  const built = Asking.models(Layer.merge(layer, Layer.succeed(ModelFacts.ModelOverrides, overrides)), variables)
  return Effect.map(Effect.provide(LanguageModels, Layer.orDie(built)), (service) => ({ models: service, sent }))
}

const facts = ({ contextTokens, prices, seesImages }: ModelFacts.ModelFacts) => ({
  contextTokens,
  input: prices?.input ?? null,
  seesImages
})

const listing = (...data: ReadonlyArray<Record<string, string | number | Record<string, number>>>) =>
  ScriptedFetch.json(200, { object: "list", data: [...data] })

describe("LanguageModels.facts", () => {
  it.effect("knows context windows and prices of the makers' models, dated names included, without the network", () =>
    Effect.gen(function*() {
      const { models: all, sent } = yield* models([])
      assert.deepStrictEqual(facts(yield* all.facts("anthropic/claude-sonnet-4-5-20250929")), {
        contextTokens: 200_000,
        input: 3,
        seesImages: null
      })
      const gpt = yield* all.facts("openai/gpt-5.4-2026-03-05")
      assert.deepStrictEqual(gpt.prices, {
        input: 2.5,
        output: 15,
        cacheRead: 0.25,
        cacheWrite: null,
        over: { tokens: 271_999, prices: { input: 5, output: 22.5, cacheRead: 0.5, cacheWrite: null, over: null } }
      })
      assert.strictEqual((yield* all.facts("google/gemini-2.5-pro")).contextTokens, 1_000_000)
      assert.strictEqual((yield* all.facts("openai/gpt-3.5-turbo")).seesImages, false)
      assert.strictEqual(sent.length, 0)
    }))

  it.effect("takes a new model of a known family for what the family is, and knows nothing of others", () =>
    Effect.gen(function*() {
      const { models: all } = yield* models([])
      assert.deepStrictEqual(facts(yield* all.facts("anthropic/claude-novel-9")), {
        contextTokens: 200_000,
        input: null,
        seesImages: null
      })
      for (const id of ["openai/my-tuned", "nobody/x", "command", ""]) {
        assert.deepStrictEqual(facts(yield* all.facts(id)), { contextTokens: null, input: null, seesImages: null })
      }
    }))

  it.effect("believes a person first, for one model or all of a provider", () =>
    Effect.gen(function*() {
      const { models: all } = yield* models([], Asking.KEYS, {
        "openai/gpt-5": { contextTokens: 10_000, inputPrice: 1 },
        "openai/*": { seesImages: false, silenceSeconds: 600 },
        "anthropic/mine": { inputPrice: 3, outputPrice: 15, cacheReadPrice: 0.3, cacheWritePrice: 3.75 }
      })
      assert.deepStrictEqual((yield* all.facts("anthropic/mine")).prices, {
        input: 3,
        output: 15,
        cacheRead: 0.3,
        cacheWrite: 3.75,
        over: null
      })
      const known = yield* all.facts("openai/gpt-5")
      assert.deepStrictEqual([known.contextTokens, known.seesImages, known.silenceSeconds], [10_000, false, 600])
      assert.deepStrictEqual(known.prices, { input: 1, output: 10, cacheRead: null, cacheWrite: null, over: null })
      assert.strictEqual((yield* all.facts("openai/gpt-5-mini")).silenceSeconds, 600)
      assert.isNull((yield* all.facts("anthropic/claude-opus-5")).silenceSeconds)
    }))

  it.effect("remembers what a provider taught, and never believes that a model reads more than that", () =>
    Effect.gen(function*() {
      const { models: all } = yield* models([], Asking.KEYS, { "openai/gpt-5": { contextTokens: 50_000 } })
      yield* (yield* all.facts("openai/gpt-5")).learn({ contextTokens: 8000 })
      yield* (yield* all.facts("openai/gpt-5")).learn({ seesImages: false })
      assert.deepStrictEqual(facts(yield* all.facts("openai/gpt-5")), {
        contextTokens: 8000,
        input: 1.25,
        seesImages: false
      })
      yield* (yield* all.facts("openai/gpt-5")).learn({ contextTokens: 90_000 })
      assert.strictEqual((yield* all.facts("openai/gpt-5")).contextTokens, 50_000)
    }))

  it.effect("asks a server of one's own what its models read, once in five minutes", () =>
    Effect.gen(function*() {
      const list = listing(
        { id: "qwen3", max_model_len: 40_960 },
        { id: "llama", meta: { n_ctx: 8192, n_ctx_train: 131_072 } },
        { id: "plain" },
        { id: "openai/gpt-5" }
      )
      const variables = { OPENAI_BASE_URL: "http://model.test/v1/", OPENAI_API_KEY: "secret-key" }
      const { models: all, sent } = yield* models([list, list], variables)
      assert.strictEqual((yield* all.facts("openai/qwen3")).contextTokens, 40_960)
      assert.strictEqual((yield* all.facts("openai/llama")).contextTokens, 8192)
      assert.isNull((yield* all.facts("openai/plain")).contextTokens)
      assert.strictEqual((yield* all.facts("openai/openai/gpt-5")).contextTokens, 400_000, "it is what it is anywhere")
      assert.isNull((yield* all.facts("openai/gpt-oss-20b")).prices, "others offer it, too")
      assert.deepStrictEqual(sent.map(({ headers, url }) => [url, headers.get("authorization")]), [
        ["http://model.test/v1/models", "Bearer secret-key"]
      ])
      yield* TestClock.adjust("6 minutes")
      yield* all.facts("openai/qwen3")
      assert.strictEqual(sent.length, 2)
    }))

  it.effect("waits two seconds for such a server at most, and asks one that lists nothing again later", () =>
    Effect.gen(function*() {
      const never: ScriptedFetch.Answer = () => new Promise(() => {})
      const { models: all, sent } = yield* models(
        [never, ScriptedFetch.json(404, "no"), listing({ id: "qwen3", context_length: 9000 })],
        Asking.COMPATIBLE
      )
      const asking = yield* Effect.forkChild(all.facts("openai/qwen3"))
      yield* TestClock.adjust("2 seconds")
      assert.isNull((yield* Fiber.join(asking)).contextTokens)
      yield* all.facts("openai/qwen3")
      assert.strictEqual(sent.length, 1)
      yield* TestClock.adjust("21 seconds")
      assert.isNull((yield* all.facts("openai/qwen3")).contextTokens)
      yield* TestClock.adjust("21 seconds")
      assert.strictEqual((yield* all.facts("openai/qwen3")).contextTokens, 9000)
    }))
})

describe("LanguageModels.suggested", () => {
  it.effect.each(["anthropic", "google", "openai"])(
    "gives chat models of %s, the newest first",
    (provider) =>
      Effect.gen(function*() {
        const { models: all, sent } = yield* models([])
        const suggested = yield* all.suggested(provider)
        assert.isAtLeast(suggested.length, 10)
        assert.isAtMost(suggested.length, 300)
        for (const { contextTokens, id, inputPrice, outputPrice } of suggested) {
          assert.isTrue(id.startsWith(`${provider}/`))
          assert.notMatch(id, /embed|image|audio|realtime|tts|whisper|moderation|instruct/)
          assert.isAbove(contextTokens ?? 0, 100_000, id)
          assert.isAbove(inputPrice ?? 0, 0, id)
          assert.isAbove(outputPrice ?? 0, 0, id)
        }
        const first = { anthropic: "claude-opus-5-5", google: "gemini-3.8-flash", openai: "gpt-6-astra" }[provider]
        assert.strictEqual(suggested[0]?.id, `${provider}/${first}`)
        assert.strictEqual(sent.length, 0)
      })
  )

  it.effect("knows the models whose makers have them write programs, wherever they are, and what a person says", () =>
    Effect.gen(function*() {
      const { models: all } = yield* models([], Asking.KEYS, { "google/gemini-3.8-flash": { writesPrograms: true } })
      const writers = yield* Effect.filter(
        [
          "anthropic/claude-opus-4-5",
          "anthropic/claude-sonnet-5-20270101",
          "anthropic/claude-haiku-4-5",
          "anthropic/claude-sonnet-4-20250514",
          "openai/gpt-5.4-mini",
          "openai/gpt-5-nano",
          "openai/gpt-4.1",
          "google/gemini-3.8-flash",
          "google/gemini-3.8-pro"
        ],
        (id) => Effect.map(all.facts(id), ({ writesPrograms }) => writesPrograms === true)
      )
      assert.deepStrictEqual(writers, [
        "anthropic/claude-opus-4-5",
        "anthropic/claude-sonnet-5-20270101",
        "openai/gpt-5.4-mini",
        "google/gemini-3.8-flash"
      ])
    }))

  it.effect("gives none of a provider without a key, or that nobody knows", () =>
    Effect.gen(function*() {
      const { models: all } = yield* models([], { OPENAI_API_KEY: "key-openai" })
      assert.deepStrictEqual(yield* all.suggested("anthropic"), [])
      assert.deepStrictEqual(yield* all.suggested("nobody"), [])
    }))

  it.effect("gives the chat models that a server of one's own lists, 300 at most", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 310 }, (_, index) => ({ id: `m${index}`, context_length: 5000 }))
      const { models: all } = yield* models([listing({ id: "nomic-embed-text" }, ...many)], Asking.COMPATIBLE)
      const suggested = yield* all.suggested("openai")
      assert.strictEqual(suggested.length, 300)
      assert.deepStrictEqual(suggested[0], {
        id: "openai/m0",
        contextTokens: 5000,
        inputPrice: null,
        outputPrice: null,
        seesImages: null
      })
    }))
})
