import { LanguageModels } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Anthropic from "./streams/Anthropic.ts"
import * as Compatible from "./streams/Compatible.ts"
import * as Google from "./streams/Google.ts"
import * as Asking from "./support/Asking.ts"
import * as ScriptedFetch from "./support/ScriptedFetch.ts"

const offline = ScriptedFetch.make([]).layer

const unavailable = (id: string, variables: Record<string, string> = {}) =>
  LanguageModels.use((models) => Effect.flip(models.model(id))).pipe(Effect.provide(Asking.models(offline, variables)))

const statuses = (variables: Record<string, string>) =>
  LanguageModels.use(({ providers }) =>
    Effect.map(providers, (all) => all.map(({ missing, provider, ready }) => ({ provider, ready, missing })))
  ).pipe(Effect.provide(Asking.models(offline, variables)))

describe("LanguageModels", () => {
  it.effect("lists every provider by name, and what it misses", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* statuses({ OPENAI_API_KEY: "", GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "  " }), [
        { provider: "anthropic", ready: false, missing: "set ANTHROPIC_API_KEY" },
        { provider: "google", ready: true, missing: null },
        { provider: "openai", ready: false, missing: "set OPENAI_API_KEY" }
      ])
    }))

  it.effect("gives an example of each provider's ids", () =>
    Effect.gen(function*() {
      const { providers } = yield* LanguageModels
      assert.isTrue((yield* providers).every(({ example, provider }) => example.startsWith(`${provider}/`)))
    }).pipe(Effect.provide(Asking.models(offline, {}))))

  it.effect("gives every turn the same model, so that turns share what it has made of the tools", () =>
    Effect.gen(function*() {
      const { model } = yield* LanguageModels
      assert.strictEqual(yield* model("openai/m"), yield* model("openai/m"))
      assert.notStrictEqual(yield* model("openai/m"), yield* model("openai/n"))
    }).pipe(Effect.provide(Asking.models(offline, { OPENAI_API_KEY: "k" }))))

  it.effect("names the variable of a missing key", () =>
    Effect.gen(function*() {
      for (
        const [id, name] of [
          ["openai/gpt-5", "OPENAI_API_KEY"],
          ["anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
          ["google/gemini-2.5-flash", "GOOGLE_GENERATIVE_AI_API_KEY"]
        ] as const
      ) {
        const error = yield* unavailable(id)
        assert.strictEqual(error._tag, "ModelUnavailable")
        assert.include(error.message, id)
        assert.include(error.message, name)
        assert.include(error.hint, name)
      }
    }))

  it.effect("needs no key where a base URL is set, and says when that is no URL", () =>
    Effect.gen(function*() {
      const [anthropic, , openai] = yield* statuses({
        OPENAI_BASE_URL: "http://localhost:11434/v1",
        ANTHROPIC_BASE_URL: "localhost"
      })
      assert.deepStrictEqual(openai, { provider: "openai", ready: true, missing: null })
      assert.deepStrictEqual(anthropic, {
        provider: "anthropic",
        ready: false,
        missing: "ANTHROPIC_BASE_URL is not a URL"
      })
    }))

  it.effect("refuses keys and addresses whose secret every error would show", () =>
    Effect.gen(function*() {
      const troubles = Effect.fnUntraced(function*(variables: Record<string, string>) {
        return (yield* statuses({ ...Asking.KEYS, ...variables })).flatMap(({ missing }) => missing ?? [])
      })
      const found = [
        ...(yield* troubles({ OPENAI_BASE_URL: "http://user:hunter2secret@model.test/v1" })),
        ...(yield* troubles({ ANTHROPIC_BASE_URL: "https://hunter2secret@model.test" })),
        ...(yield* troubles({ OPENAI_BASE_URL: "hunter2secret:11434/v1" })),
        ...(yield* troubles({ OPENAI_API_KEY: "sk-hunter2secret\nfoo" })),
        ...(yield* troubles({ GOOGLE_GENERATIVE_AI_API_KEY: "", GEMINI_API_KEY: "hunter2secret…" }))
      ]
      assert.deepStrictEqual(found.map((words) => words.split(" ")[0]), [
        "OPENAI_BASE_URL",
        "ANTHROPIC_BASE_URL",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY"
      ])
      assert.notInclude(found.join("\n"), "hunter2")
    }))

  it.effect("names the nearest provider", () =>
    Effect.gen(function*() {
      assert.match((yield* unavailable("antropic/claude", Asking.KEYS)).hint, /did you mean anthropic\?/)
      assert.match((yield* unavailable("opnai/gpt-5", Asking.KEYS)).hint, /did you mean openai\?/)
    }))

  it.effect.each(["gpt-5", "openai/", "/gpt-5", ""])(
    "says how a model is named when given %j",
    (id) =>
      Effect.gen(function*() {
        assert.match((yield* unavailable(id, Asking.KEYS)).message, /PROVIDER\/MODEL/)
      })
  )

  it.effect("keeps slashes in a model's own name", () =>
    Effect.gen(function*() {
      const { sent } = yield* Asking.ask(
        { model: "openai/meta-llama/Llama-3.1-8B", variables: Asking.COMPATIBLE, prompt: "Hello" },
        [ScriptedFetch.events(Compatible.text)]
      )
      assert.strictEqual(sent[0]?.body["model"], "meta-llama/Llama-3.1-8B")
    }))

  it.effect("sends a key to a base URL when there is one, and takes an empty base URL for none", () =>
    Effect.gen(function*() {
      const { layer, sent } = ScriptedFetch.make([ScriptedFetch.events(Compatible.text), ScriptedFetch.refused])
      const ask = (variables: Record<string, string>) =>
        Effect.exit(Stream.runDrain(Asking.stream(layer, { model: "openai/m", variables, prompt: "Hello" })))
      yield* ask({ ...Asking.COMPATIBLE, OPENAI_API_KEY: "k1" })
      yield* ask({ OPENAI_BASE_URL: "", OPENAI_API_KEY: "k2" })
      assert.deepStrictEqual(sent.map(({ headers, url }) => [url, headers.get("authorization")]), [
        ["http://model.test/v1/chat/completions", "Bearer k1"],
        ["https://api.openai.com/v1/responses", "Bearer k2"]
      ])
    }))

  it.effect("reaches Anthropic through ANTHROPIC_BASE_URL, and Google with any of its keys", () =>
    Effect.gen(function*() {
      const anthropic = yield* Asking.ask(
        { model: "anthropic/m", variables: { ANTHROPIC_BASE_URL: "http://proxy.test/v1/" }, prompt: "Hello" },
        [ScriptedFetch.events(Anthropic.text)]
      )
      assert.strictEqual(anthropic.sent[0]?.url, "http://proxy.test/v1/messages")
      const google = yield* Asking.ask(
        { model: "google/gemini-2.5-flash", variables: { GOOGLE_API_KEY: "g" }, prompt: "Hello" },
        [ScriptedFetch.events(Google.text)]
      )
      assert.strictEqual(google.sent[0]?.headers.get("x-goog-api-key"), "g")
    }))
})
