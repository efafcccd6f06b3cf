import { assert, describe, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import type * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as ProviderError from "../../src/errors/ProviderError.ts"
import * as Anthropic from "../streams/Anthropic.ts"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, GOOGLE, OPENAI, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

/** The error that an answer ends in, what came before it, and how many requests it took. */
const failing = Effect.fnUntraced(function*(model: string, answer: ScriptedFetch.Answer, variables = Asking.KEYS) {
  const { layer, sent } = ScriptedFetch.make([answer, answer, answer])
  const before: Array<Asking.Part> = []
  const result = yield* Asking.stream(layer, { model, variables, prompt: "Hello" }).pipe(
    Stream.runForEach((part) => Effect.sync(() => before.push(part))),
    Effect.result
  )
  if (Result.isSuccess(result)) return assert.fail("the stream did not fail")
  assert.strictEqual(sent.length, 1, "a request is sent once")
  return { error: result.failure, reason: result.failure.reason, before }
})

describe("ProviderError", () => {
  const rateLimit = { type: "error", error: { type: "rate_limit_error", message: "Too many tokens a minute" } }

  it.effect.each([
    { headers: { "retry-after": "20" }, seconds: 20 },
    { headers: { "retry-after-ms": "1500", "retry-after": "2" }, seconds: 1.5 },
    { headers: { "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }, seconds: 30 },
    { headers: {}, seconds: null }
  ])("reads how long to wait after a rate limit: $headers", ({ headers, seconds }) =>
    Effect.gen(function*() {
      const { error, reason } = yield* failing(ANTHROPIC, ScriptedFetch.json(429, rateLimit, { ...headers }))
      assert.strictEqual(reason._tag, "RateLimitError")
      assert.isTrue(error.isRetryable)
      assert.strictEqual(error.retryAfter === undefined ? null : Duration.toSeconds(error.retryAfter), seconds)
    }))

  it.effect("reads Google's RetryInfo", () =>
    Effect.gen(function*() {
      const { error } = yield* failing(
        GOOGLE,
        ScriptedFetch.json(429, {
          error: {
            code: 429,
            message: "Resource has been exhausted",
            status: "RESOURCE_EXHAUSTED",
            details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }]
          }
        })
      )
      assert.strictEqual(error.retryAfter && Duration.toSeconds(error.retryAfter), 34)
    }))

  const openAiError = (code: string | null) => ({ error: { message: "No", type: "error", param: null, code } })
  it.effect.each([
    { status: 400, code: null, tag: "InvalidRequestError" },
    { status: 404, code: "model_not_found", tag: "InvalidRequestError" },
    { status: 401, code: "invalid_api_key", tag: "AuthenticationError" },
    { status: 403, code: null, tag: "AuthenticationError" },
    { status: 429, code: "insufficient_quota", tag: "QuotaExhaustedError" },
    { status: 400, code: "content_policy_violation", tag: "ContentPolicyError" },
    { status: 500, code: null, tag: "InternalProviderError" },
    { status: 503, code: null, tag: "InternalProviderError" }
  ])("maps status $status $code to $tag", ({ code, status, tag }) =>
    Effect.gen(function*() {
      const { reason } = yield* failing(OPENAI, ScriptedFetch.json(status, openAiError(code), { "x-request-id": "r1" }))
      assert.strictEqual(reason._tag, tag)
      assert.deepStrictEqual("http" in reason ? reason.http?.response?.headers : null, { "x-request-id": "r1" })
    }))

  it.effect("says that Anthropic is overloaded, before and inside a stream", () =>
    Effect.gen(function*() {
      const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      const before = yield* failing(ANTHROPIC, ScriptedFetch.json(529, overloaded))
      const start = Anthropic.thinkingTools.slice(0, Anthropic.thinkingTools.indexOf("event: content_block_stop"))
      const inside = yield* failing(
        ANTHROPIC,
        ScriptedFetch.events(`${start}event: error\ndata: ${JSON.stringify(overloaded)}\n\n`)
      )
      for (const { error, reason } of [before, inside]) {
        assert.strictEqual(reason._tag, "InternalProviderError")
        assert.match(error.message, /overloaded \(529\): Overloaded/)
        assert.isTrue(error.isRetryable)
      }
      assert.include(Asking.joined(inside.before, "reasoning-delta"), "Two files")
    }))

  it.effect("maps an error chunk of a chat completions stream", () =>
    Effect.gen(function*() {
      const chunk = { error: { message: "slot lost", type: "server_error", code: 500 } }
      const { reason } = yield* failing("openai/m", ScriptedFetch.events(`data: ${JSON.stringify(chunk)}\n\n`), {
        ...Asking.KEYS,
        ...Asking.COMPATIBLE
      })
      assert.strictEqual(reason._tag, "InternalProviderError")
    }))

  it.effect.each(PROVIDERS)(
    "reports a stream of $model that breaks or stops short as a network error, after what came",
    (provider) =>
      Effect.gen(function*() {
        const half = provider.tools.slice(0, provider.tools.lastIndexOf("I will read "))
        const start = half.slice(0, half.lastIndexOf("\n\n") + 2)
        const variables = { ...Asking.KEYS, ...provider.variables }
        for (const answer of [ScriptedFetch.broken(start), ScriptedFetch.events(start), ScriptedFetch.events("")]) {
          const { error, reason } = yield* failing(provider.model, answer, variables)
          assert.strictEqual(reason._tag, "NetworkError", error.message)
          assert.isTrue(error.isRetryable)
        }
        const { before } = yield* failing(provider.model, ScriptedFetch.broken(start), variables)
        assert.include(Asking.joined(before, "reasoning-delta"), "Two files ")
      })
  )

  it.effect.each(PROVIDERS)(
    "reports that $model cannot be reached, without key or prompt in the error",
    (provider) =>
      Effect.gen(function*() {
        const { error, reason } = yield* failing(provider.model, ScriptedFetch.refused, {
          ...Asking.KEYS,
          ...provider.variables
        })
        assert.strictEqual(reason._tag, "NetworkError")
        assert.match(error.message, /ECONNREFUSED/)
        const everything = JSON.stringify([
          error,
          error.message,
          error.stack,
          yield* Schema.encodeEffect(AiError.AiError)(error)
        ])
        assert.notMatch(everything, /key-(anthropic|google|openai)|Hello/)
      })
  )

  const everything = (error: AiError.AiError) =>
    Effect.map(
      Schema.encodeEffect(AiError.AiError)(error),
      (encoded) => JSON.stringify([error, error.message, error.stack, ProviderError.message(error), encoded])
    )

  it.effect.each([
    { model: ANTHROPIC, key: Asking.KEYS.ANTHROPIC_API_KEY },
    { model: GOOGLE, key: Asking.KEYS.GOOGLE_GENERATIVE_AI_API_KEY },
    { model: OPENAI, key: Asking.KEYS.OPENAI_API_KEY }
  ])("hides a key that $model says back, in an answer and inside a stream", ({ key, model }) =>
    Effect.gen(function*() {
      const message = `wrong key ${key}, again ${encodeURIComponent(key)}`
      for (const status of [400, 401, 404, 429, 500]) {
        const { error } = yield* failing(
          model,
          ScriptedFetch.json(status, { type: "error", error: { type: "e", message } }, { "x-request-id": key })
        )
        assert.notInclude(yield* everything(error), key, String(status))
      }
      const frame = { type: "error", error: { type: "authentication_error", message } }
      const { error } = yield* failing(
        model,
        ScriptedFetch.events(`event: error\ndata: ${JSON.stringify(frame)}\n\n`)
      )
      assert.notInclude(yield* everything(error), key)
      const garbage = yield* failing(model, ScriptedFetch.events(`data: {"${key}": \n\n`))
      assert.notInclude(yield* everything(garbage.error), key)
    }))

  it.effect("shows of an address its origin alone", () =>
    Effect.gen(function*() {
      const variables = { ...Asking.KEYS, OPENAI_BASE_URL: "http://model.test/canary-in-the-path/v1" }
      const { error, reason } = yield* failing("openai/m", ScriptedFetch.refused, variables)
      assert.strictEqual(reason._tag === "NetworkError" ? reason.url : null, "http://model.test")
      assert.notInclude(yield* everything(error), "canary")
      const page = ScriptedFetch.json(404, { error: { message: "no POST /canary-in-the-path/v1/chat", code: null } })
      assert.notInclude(yield* everything((yield* failing("openai/m", page, variables)).error), "canary")
    }))

  it.effect("says what happened once, and leaves the advice to the hint", () =>
    Effect.gen(function*() {
      const message = Effect.fnUntraced(function*(answer: ScriptedFetch.Answer) {
        return ProviderError.message((yield* failing(ANTHROPIC, answer)).error)
      })
      assert.notMatch(yield* message(ScriptedFetch.refused), /\n|check/i)
      const refused = { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }
      assert.strictEqual(yield* message(ScriptedFetch.json(401, refused)), "invalid x-api-key")
    }))

  it.effect("reports an answer that is not what it should be", () =>
    Effect.gen(function*() {
      const start = Anthropic.text.slice(0, Anthropic.text.indexOf("event: content_block_delta"))
      const { reason } = yield* failing(ANTHROPIC, ScriptedFetch.events(`${start}data: {"type":"content_\n\n`))
      assert.strictEqual(reason._tag, "InvalidResponseError", reason.message)
    }))

  it.effect("reports what a provider cannot take as an invalid request, and sends nothing", () =>
    Effect.gen(function*() {
      const { layer, sent } = ScriptedFetch.make([])
      const prompt: Array<Prompt.MessageEncoded> = [{
        role: "user",
        content: [{ type: "file", mediaType: "audio/midi", data: "AAAA" }]
      }]
      const error = yield* Effect.flip(Stream.runDrain(Asking.stream(layer, { model: ANTHROPIC, prompt })))
      assert.strictEqual(error.reason._tag, "InvalidRequestError")
      assert.strictEqual(sent.length, 0)
    }))
})
