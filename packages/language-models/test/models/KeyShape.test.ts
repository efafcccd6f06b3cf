import { KeyShape, LanguageModels } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Asking from "../support/Asking.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

const KEYS = [
  "sk-proj-Zq8rT2vLx0Pa7Kd3",
  "sk-ant-api03-Zq8rT2vLx0Pa7Kd3_-x",
  "sk-or-v1-6f1d2c3b4a5968778695a4b3c2d1e0f0",
  "AIzaSyD3x4mpl3K3yF0rT3st1ng0nly12345678",
  "gsk_Zq8rT2vLx0Pa7Kd3Zq8rT2vL",
  "ghp_Zq8rT2vLx0Pa7Kd3Zq8rT2vLx0Pa7Kd3abcd",
  "hf_ZqrTvLxPaKdZqrTvLxPaKd",
  "openai/sk-proj-Zq8rT2vLx0Pa7Kd3",
  "OPENAI_API_KEY=sk-proj-Zq8rT2vLx0Pa7Kd3",
  "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
  "Zq8rT2vLx0Pa7Kd3Wm5Yb1Nc6Hf9Js4G",
  "openai/9f86d081884c7d659a2feaa0c55ad015"
]

const MODELS = [
  "openai/gpt-5.4-2026-03-05",
  "anthropic/claude-sonnet-4-5-20250929",
  "google/gemini-2.5-flash-preview-09-2025",
  "local/qwen3-coder-30b-a3b-instruct-mlx-4bit",
  "local/unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF:Q4_K_M",
  "local/hf.co/bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q8_0",
  "fireworks/accounts/fireworks/models/llama-v3p1-405b-instruct",
  "local/mistralsmall24binstruct2501",
  "openai/ft:gpt-4o-2024-08-06:my-org::9abcDEF1",
  "local/sk-8b",
  "azure/6f1d2c3b-4a59-6877-8695-a4b3c2d1e0f0"
]

describe("KeyShape", () => {
  it("tells keys of services, and long random text, from names of models", () => {
    assert.deepStrictEqual(KEYS.filter((text) => !KeyShape.isLikeKey(text)), [])
    assert.deepStrictEqual(MODELS.filter(KeyShape.isLikeKey), [])
  })

  it("hides the keys in a sentence, and nothing else of it", () => {
    assert.strictEqual(
      KeyShape.scrub(`body.kind: expected "openai", got "${KEYS[0]}"; see openai/gpt-5.4-2026-03-05`),
      "body.kind: expected \"openai\", got \"[hidden]\"; see openai/gpt-5.4-2026-03-05"
    )
  })

  it.effect("keeps a key that was given as a model out of the error", () =>
    Effect.gen(function*() {
      const { model } = yield* LanguageModels
      for (const key of KEYS) {
        const error = yield* Effect.flip(model(key))
        assert.notInclude(`${error.message} ${error.hint} ${error.model}`, key)
        assert.match(error.message, /looks like a key/)
      }
    }).pipe(Effect.provide(Asking.models(ScriptedFetch.make([]).layer))))
})
