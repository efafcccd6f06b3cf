import { ModelSettings } from "@boocode/language-models"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Asking from "../support/Asking.ts"
import { ANTHROPIC, COMPATIBLE, GOOGLE, OPENAI, PROVIDERS } from "../support/Providers.ts"
import * as ScriptedFetch from "../support/ScriptedFetch.ts"

/** The body of the request after both calls of the first answer got their results. */
const body = Effect.fnUntraced(function*(model: string, conversation: string | null) {
  const provider = PROVIDERS.find((one) => one.model === model) ?? assert.fail(model)
  const asked = { model, variables: provider.variables }
  const first = yield* Asking.ask({ ...asked, prompt: Asking.CONVERSATION }, [ScriptedFetch.events(provider.tools)])
  const { sent: [request] } = yield* Asking.ask(
    { ...asked, prompt: Asking.answered(first.parts) },
    [ScriptedFetch.events(provider.text)]
  ).pipe(Effect.provideService(ModelSettings, { ...ModelSettings.defaultValue(), conversation }))
  return request?.body ?? assert.fail("nothing was sent")
})

/** The places of marks in a body, with the block that each stands on. */
const marks = (value: unknown, at = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  if ("cache_control" in value) return [at]
  return Object.entries(value).flatMap(([key, part]) => marks(part, `${at}/${key}`))
}

describe("PromptCache", () => {
  it.effect("marks the last tool, the system message, the person's message and the last block for Anthropic", () =>
    Effect.gen(function*() {
      const sent = yield* body(ANTHROPIC, "chat-1")
      assert.deepStrictEqual(marks(sent), [
        "/system/0",
        "/messages/0/content/0",
        "/messages/2/content/1",
        "/tools/1"
      ])
    }))

  it.effect("gives OpenAI a key, which is the same for all requests of a conversation", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* body(OPENAI, "chat-1"))["prompt_cache_key"], "chat-1")
      assert.strictEqual((yield* body(OPENAI, "c".repeat(100)))["prompt_cache_key"], "c".repeat(64))
    }))

  it.effect("asks nothing of a provider that may not know the words", () =>
    Effect.gen(function*() {
      for (const model of [GOOGLE, COMPATIBLE]) {
        assert.notInclude(JSON.stringify(yield* body(model, "chat-1")), "cache")
      }
    }))

  it.effect("asks nothing for a request that none follows", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(marks(yield* body(ANTHROPIC, null)), [])
      assert.notProperty(yield* body(OPENAI, null), "prompt_cache_key")
    }))
})
